"""Reading the official pages of aclnn operators: parse, lint, draft, drift, render."""
