"""The pages of the documentation site that are made of the program and its headers."""
