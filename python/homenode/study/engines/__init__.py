"""Engines: what runs a study's cases on other computers. One file for each, and the table."""
