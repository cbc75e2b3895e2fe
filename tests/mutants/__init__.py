"""Wrong implementations on purpose, to measure how strong the cases are. `python -m tests.mutants` writes the table."""
