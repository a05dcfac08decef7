"""homenode in Python: the lab driver, studies and their report, over the command and its files."""
