"""Read, lint and question the spec: tables, rules, operators."""
