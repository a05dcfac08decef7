"""Comma-separated values: a row for each sample."""

import csv
import io

from homenode.profile.export.content import Content


def write(content: Content) -> bytes:
    """The rows below their heads, in UTF-8."""
    columns = content.columns()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    return text.getvalue().encode("utf-8", "replace")
