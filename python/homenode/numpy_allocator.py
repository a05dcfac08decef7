"""`with placing(rule):` every array of numpy made inside is placed, through numpy's own interface
for allocators (NEP 49).

numpy calls four functions of libhomenode directly, so that arrays may be made and freed at any
moment: no Python runs for them, and this package needs no compiled part that knows numpy.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from homenode import capi
from homenode.arrays import warn_of_refused
from homenode.regions import Region

# Where numpy keeps the table of its C interface, and the place in it, which no release may change.
CORE = "numpy._core" if int(np.__version__.split(".")[0]) >= 2 else "numpy.core"
TABLE = f"{CORE}._multiarray_umath"
SET_HANDLER = 304
HANDLER_VERSION = 1
CAPSULE_NAME = b"mem_handler"


class _Handler(ctypes.Structure):
    """PyDataMem_Handler of numpy's ndarraytypes.h."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("rule", ctypes.c_char_p),
        ("malloc", ctypes.c_void_p),
        ("calloc", ctypes.c_void_p),
        ("realloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
    )


@contextmanager
def placing(rule: str) -> Iterator[None]:
    """Places every array of at least a page that numpy allocates inside, by a memory rule.

    It applies to the context (contextvars) that enters it: other threads, and tasks of asyncio that
    began before, are as before. Arrays may outlive it. A rule that needs the shape of an array
    ("rows", …) is for homenode.zeros(). A kernel that refuses to place memory is a RuntimeWarning.
    Raises HomenodeError for a rule that has no meaning.
    """
    if rule.startswith("next-touch"):
        raise capi.HomenodeError("next-touch is for whole arrays; make one with homenode.zeros()")
    try:
        Region.allocate(capi.library().hn_page_bytes()).place(rule)
    except capi.NotSupportedError as error:
        warn_of_refused(rule, error)
    before = _set_handler(_handler(rule))
    try:
        yield
    finally:
        _set_handler(before)


@cache
def _handler(rule: str) -> Any:
    """The capsule of a rule's allocator. Kept for good: arrays free their memory with it."""
    library = capi.library()
    functions = (
        ctypes.cast(getattr(library, f"hn_rule_{name}"), ctypes.c_void_p)
        for name in ("malloc", "calloc", "realloc", "free")
    )
    text = rule.encode()
    name = f"homenode {rule}".encode()[:126]
    handler = _Handler(name, HANDLER_VERSION, text, *functions)
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype = ctypes.py_object
    new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    keep_for_good = ctypes.pythonapi.Py_IncRef
    keep_for_good.argtypes = [ctypes.py_object]
    for kept in (handler, text):
        keep_for_good(kept)
    return new_capsule(ctypes.addressof(handler), CAPSULE_NAME, None)


@cache
def _setter() -> Any:
    """PyDataMem_SetHandler(): takes a capsule, gives the one that was in force."""
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype = ctypes.POINTER(ctypes.c_void_p)
    get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    table = get_pointer(import_module(TABLE)._ARRAY_API, None)
    return ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[SET_HANDLER])


def _set_handler(capsule: Any) -> Any:
    return _setter()(capsule)
