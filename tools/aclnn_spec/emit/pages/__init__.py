"""Pages of the site, made from the spec, the golden data and the certificates."""
