"""Mutated input for everything that reads. `python -m tests.fuzz` runs at length what `test_fuzz.py` runs in short."""
