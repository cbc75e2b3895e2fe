"""Backends in files of their own, for the commands that load an implementation from a path."""
