"""Claims: what a paper says, as data, held against a study's records. Pure but for the reading."""
