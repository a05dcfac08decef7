"""A release: what has to agree before one, and the files that it consists of."""
