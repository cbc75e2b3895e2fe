"""The ways in which others judge results, measured on the same wrong and right implementations as ours.

`python -m tests.competition` measures and writes `table.json`.
"""
