"""Judging implementations: the protocol they fill, the runner, the judge, the certificate and the report."""
