"""How fast the package is, each figure against a peer in the same run: `python -m benchmarks` prints a table."""
