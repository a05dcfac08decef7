"""Report: one self-contained HTML page from a study's records. Every number comes from a record."""
