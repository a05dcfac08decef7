"""Parquet, through pyarrow: the same columns as the comma-separated values."""

import io

from homenode.errors import NOT_SUPPORTED
from homenode.profile.errors import ProfileError
from homenode.profile.export.content import Content

WORDS = ("thread", "operation", "object", "code")


def write(content: Content) -> bytes:
    """The file. Raises ProfileError where pyarrow is missing."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise ProfileError(
            "Parquet needs the Python module pyarrow; install it (pip install pyarrow), or use "
            "--as csv",
            NOT_SUPPORTED,
        ) from error
    columns = {
        name: pyarrow.array(column.tolist(), pyarrow.string()).dictionary_encode()
        if name in WORDS
        else pyarrow.array(column)
        for name, column in content.columns().items()
    }
    out = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), out)
    return out.getvalue()
