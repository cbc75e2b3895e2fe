"""A backend whose library is not there."""

raise OSError("libnothing.so: cannot open shared object file")
