"""Pages for any run: what a verb's JSON holds, as one self-contained HTML file."""
