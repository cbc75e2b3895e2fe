"""How fast the package is, each figure as a ratio to a peer in the same run. `python -m benchmarks` prints the table."""
