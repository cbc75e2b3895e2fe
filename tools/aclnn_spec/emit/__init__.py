"""Files made from the spec for others to compile or import: argument checks in C and Python, and the C headers."""
