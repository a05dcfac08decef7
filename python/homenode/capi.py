"""The C interface through ctypes: thin, typed, and the only way in which Python sees the core."""

import ctypes
import json
from functools import cache
from pathlib import Path
from typing import Any

from homenode.lab.artefacts import find

LIBRARY = "libhomenode.so"


class HomenodeError(Exception):
    """What the library says went wrong, in one line that ends with what to do."""


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(find(LIBRARY)))
    library.hn_version.restype = ctypes.c_char_p
    library.hn_string_free.argtypes = [ctypes.c_void_p]
    library.hn_machine_json.argtypes = [
        ctypes.c_char_p,
        ctypes.POINTER(ctypes.c_void_p),
        ctypes.POINTER(ctypes.c_void_p),
    ]
    return library


def _take(string: ctypes.c_void_p) -> str:
    """Copies a string of the library and frees it."""
    if not string.value:
        return ""
    text = ctypes.string_at(string.value).decode()
    _library().hn_string_free(string)
    return text


def version() -> str:
    """The library's version."""
    text: bytes = _library().hn_version()
    return text.decode()


def machine(source: str | Path = "live") -> dict[str, Any]:
    """Describes a machine (schema homenode.machine/1).

    `source` is "live", an hwloc XML file or "synthetic:DESCRIPTION". Raises HomenodeError.
    """
    answer, error = ctypes.c_void_p(), ctypes.c_void_p()
    status = _library().hn_machine_json(
        str(source).encode(), ctypes.byref(answer), ctypes.byref(error)
    )
    text, message = _take(answer), _take(error)
    if status != 0:
        raise HomenodeError(message)
    description: dict[str, Any] = json.loads(text)
    return description
