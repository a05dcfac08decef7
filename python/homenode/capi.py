"""The C interface through ctypes: thin, typed, and the only way in which Python sees the core."""

import ctypes
import json
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

from homenode import places

LIBRARY = "libhomenode.so"
NOT_SUPPORTED = -3  # By this kernel, machine or privilege.
INCOMPLETE = -4  # Done, but some pages are elsewhere.


class HomenodeError(Exception):
    """What the library says went wrong, in one line that ends with what to do."""


class NotSupportedError(HomenodeError):
    """This kernel, machine or privilege lacks what is needed."""


class Statistics(ctypes.Structure):
    """hn_statistics: what placing a region has done so far."""

    _fields_ = (
        ("placements", c_uint64),
        ("pages_moved", c_uint64),
        ("pages_as_planned", c_uint64),
        ("pages_refused", c_uint64),
        ("seconds", c_double),
    )


class Array(ctypes.Structure):
    """hn_array: an array of one to four dimensions as it lies in memory."""

    _fields_ = (
        ("extents", c_size_t * 4),
        ("element_bytes", c_size_t),
        ("dimensions", c_int),
        ("order", c_int),
    )


_TEXT = POINTER(c_void_p)  # A string that the library hands out.
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "hn_version": (c_char_p, []),
    "hn_string_free": (None, [c_void_p]),
    "hn_machine_json": (c_int, [c_char_p, _TEXT, _TEXT]),
    "hn_machine_load": (c_int, [c_char_p, POINTER(c_void_p), _TEXT]),
    "hn_machine_free": (None, [c_void_p]),
    "hn_predict": (
        c_int,
        [c_void_p, c_void_p, c_char_p, c_void_p, c_size_t, c_char_p, _TEXT, _TEXT],
    ),
    "hn_page_bytes": (c_size_t, []),
    "hn_region_allocate": (c_int, [c_size_t, c_char_p, POINTER(c_void_p), _TEXT]),
    "hn_region_adopt": (c_int, [c_void_p, c_size_t, POINTER(c_void_p), _TEXT]),
    "hn_region_free": (None, [c_void_p]),
    "hn_region_address": (c_void_p, [c_void_p]),
    "hn_region_name": (c_int, [c_void_p, c_char_p, _TEXT]),
    "hn_region_pages": (c_size_t, [c_void_p]),
    "hn_region_place": (c_int, [c_void_p, c_char_p, _TEXT]),
    "hn_region_place_array": (c_int, [c_void_p, POINTER(Array), c_char_p, _TEXT]),
    "hn_region_audit": (c_int, [c_void_p, c_void_p, c_size_t, _TEXT, _TEXT]),
    "hn_region_statistics": (None, [c_void_p, POINTER(Statistics)]),
    "hn_roi_begin_here": (None, []),
    "hn_roi_begin_all_here": (None, []),
    "hn_roi_end_here": (None, []),
    "hn_thread_bind": (c_int, [c_char_p, _TEXT]),
    "hn_thread_bind_rank": (c_int, [c_char_p, c_size_t, _TEXT]),
    "hn_thread_where": (c_int, [POINTER(c_int), POINTER(c_int), _TEXT]),
    "hn_thread_cpus": (c_size_t, [c_void_p, c_size_t]),
    "hn_thread_place": (c_int, [c_char_p, _TEXT]),
}


@cache
def library() -> ctypes.CDLL:
    """The library with its functions' types. Raises HomenodeError when it was not built."""
    path = places.find_built(LIBRARY)
    if path is None:
        raise HomenodeError(f"{LIBRARY} is missing; build it with './dev build'")
    loaded = ctypes.CDLL(str(path))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


def take(string: c_void_p) -> str:
    """Copies a string of the library and frees it."""
    if not string.value:
        return ""
    text = ctypes.string_at(string.value).decode()
    library().hn_string_free(string)
    return text


def call(function: str, *arguments: Any) -> str:
    """Calls a function that ends in a place for its error, and raises that as HomenodeError.

    Gives "" when all is done, and the library's words when it is done but for some pages.
    """
    error = c_void_p()
    status = getattr(library(), function)(*arguments, ctypes.byref(error))
    message = take(error)
    if status == NOT_SUPPORTED:
        raise NotSupportedError(message)
    if status not in (0, INCOMPLETE):
        raise HomenodeError(message)
    return message


def version() -> str:
    """The library's version."""
    text: bytes = library().hn_version()
    return text.decode()


def machine(source: str | Path = "live") -> dict[str, Any]:
    """Describes a machine (schema homenode.machine/2).

    `source` is "live", an hwloc XML file or "synthetic:DESCRIPTION". Raises HomenodeError.
    """
    answer = c_void_p()
    call("hn_machine_json", str(source).encode(), ctypes.byref(answer))
    description: dict[str, Any] = json.loads(take(answer))
    return description
