"""Implementations that come with the package."""
