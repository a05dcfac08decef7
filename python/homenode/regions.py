"""Regions of memory that are placed as a whole: what arrays on nodes are made of."""

import ctypes
import json
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homenode import capi

NO_NODE = -1


@dataclass(frozen=True)
class Receipt:
    """What placing did, page by page verified."""

    pages_as_planned: int  # Only a distribution says where each page goes.
    pages_moved: int
    pages_refused: int
    seconds: float
    refusal: str  # Why pages are elsewhere, in one line; "" when none is.


@dataclass(frozen=True)
class Where:
    """Where the pages of an array are, by the kernel's own word."""

    page_bytes: int
    nodes: NDArray[np.intc]  # Of each page; -1 for none.
    pages_on_node: dict[int, int]
    pages_on_no_node: dict[str, int]  # By reason: "not present", …


class Region:
    """A region of the library. Freed when nobody holds it any more."""

    def __init__(self, function: str, *arguments: Any) -> None:
        handle = ctypes.c_void_p()
        capi.call(function, *arguments, ctypes.byref(handle))
        self._handle = handle
        # Not at the interpreter's end: other clean-up may still use the memory.
        weakref.finalize(self, capi.library().hn_region_free, handle).atexit = False

        self.lasts = function == "hn_region_allocate"  # Else it is for one call.

    @staticmethod
    def allocate(size_bytes: int) -> "Region":
        """Zeroed memory whose pages come with their first use."""
        return Region("hn_region_allocate", size_bytes, None)

    @staticmethod
    def adopt(address: int, size_bytes: int) -> "Region":
        """Memory that somebody else keeps."""
        return Region("hn_region_adopt", address, size_bytes)

    @property
    def address(self) -> int:
        """The first byte."""
        address: int = capi.library().hn_region_address(self._handle)
        return address

    def name(self, name: str) -> None:
        """Gives the region the name that profiles show."""
        capi.call("hn_region_name", self._handle, name.encode())

    def place(self, rule: str, array: capi.Array | None = None) -> Receipt:
        """Places the region by the text of a memory rule; some need the array that it holds."""
        before = self._statistics()
        if array is None:
            refusal = capi.call("hn_region_place", self._handle, rule.encode())
        else:
            shape = ctypes.byref(array)
            refusal = capi.call("hn_region_place_array", self._handle, shape, rule.encode())
        return self._receipt(before, refusal)

    def where(self) -> Where:
        """Asks the kernel."""
        nodes = np.full(capi.library().hn_region_pages(self._handle), NO_NODE, dtype=np.intc)
        text = ctypes.c_void_p()
        capi.call(
            "hn_region_audit",
            self._handle,
            nodes.ctypes.data,
            nodes.size,
            ctypes.byref(text),
        )
        audit = json.loads(capi.take(text))
        counts = {int(node): pages for node, pages in audit["pages_on_node"].items()}
        return Where(audit["page_bytes"], nodes, counts, audit["pages_on_no_node"])

    def _statistics(self) -> capi.Statistics:
        statistics = capi.Statistics()
        capi.library().hn_region_statistics(self._handle, ctypes.byref(statistics))
        return statistics

    def _receipt(self, before: capi.Statistics, refusal: str) -> Receipt:
        now = self._statistics()
        return Receipt(
            now.pages_as_planned,
            now.pages_moved - before.pages_moved,
            now.pages_refused,
            now.seconds - before.seconds,
            refusal,
        )
