"""Golden data: the cases, their arrays, what must come of each call, and the files that hold all this."""
