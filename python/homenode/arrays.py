"""numpy arrays on nodes: made, placed and asked where they are, by the text of a memory rule."""

import inspect
import math
import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from homenode.capi import Array, HomenodeError, NotSupportedError
from homenode.regions import NO_NODE, Receipt, Region, Where

__all__ = [
    "NO_NODE",
    "Receipt",
    "Where",
    "empty",
    "empty_like",
    "full",
    "full_like",
    "name",
    "ones",
    "ones_like",
    "place",
    "where",
    "zeros",
    "zeros_like",
]

Shape = int | tuple[int, ...]
Order = Literal["C", "F"]
MOST_DIMENSIONS = 4
ORDER_C, ORDER_FORTRAN = 0, 1
_refused_rules: set[str] = set()


class _Memory:
    """What numpy sees of a region; an array of it keeps the region until its last view dies."""

    def __init__(self, region: Region, size_bytes: int) -> None:
        self.region = region
        self.bounds = (region.address, region.address + size_bytes)
        self.__array_interface__ = {
            "version": 3,
            "shape": (size_bytes,),
            "typestr": "|u1",
            "data": (region.address, False),
        }


def zeros(
    shape: Shape, rule: str | None = None, dtype: DTypeLike = float, order: Order = "C"
) -> NDArray[Any]:
    """An array of zeros, placed by `rule`, or by its first use when there is none.

    Rules: "cyclic@0-3", "block", "bind@1", "interleave", … (docs/the-library.md). Pages that could
    not be put where the rule wants them are told as a RuntimeWarning, and so is, once for each
    rule, a kernel that refuses to place any (a container's seccomp profile). Raises HomenodeError.
    """
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise TypeError(f"an array of {kind} holds references, not data; use another dtype")
    size_bytes = math.prod(shape if isinstance(shape, tuple) else (shape,)) * kind.itemsize
    if size_bytes <= 0:
        return np.zeros(shape, kind, order)
    region = Region.allocate(size_bytes)
    memory = np.asarray(_Memory(region, size_bytes))
    array: NDArray[Any] = np.ndarray(shape, kind, memory, order=order)
    if rule is not None:
        _place_or_warn(array, rule)
    return array


def empty(
    shape: Shape, rule: str | None = None, dtype: DTypeLike = float, order: Order = "C"
) -> NDArray[Any]:
    """As zeros(): memory that is new to a process is zero anyway."""
    return zeros(shape, rule, dtype, order)


def ones(
    shape: Shape, rule: str | None = None, dtype: DTypeLike = float, order: Order = "C"
) -> NDArray[Any]:
    """As zeros(), filled with ones by the calling thread."""
    return full(shape, 1, rule, dtype, order)


def full(
    shape: Shape,
    value: Any,
    rule: str | None = None,
    dtype: DTypeLike | None = None,
    order: Order = "C",
) -> NDArray[Any]:
    """As zeros(), filled with `value` by the calling thread; its type unless `dtype` says another.

    Without a rule the pages are therefore on the node of that thread.
    """
    array = zeros(shape, rule, np.asarray(value).dtype if dtype is None else dtype, order)
    array[...] = value
    return array


def zeros_like(
    other: ArrayLike, rule: str | None = None, dtype: DTypeLike | None = None
) -> NDArray[Any]:
    """As zeros(), with the shape of `other`, its type unless `dtype` says another, and its order.

    Where `other` is placed is not taken over: give the rule.
    """
    model = np.asarray(other)
    fortran = model.flags.f_contiguous and not model.flags.c_contiguous
    kind = model.dtype if dtype is None else dtype
    return zeros(model.shape, rule, kind, "F" if fortran else "C")


def empty_like(
    other: ArrayLike, rule: str | None = None, dtype: DTypeLike | None = None
) -> NDArray[Any]:
    """As zeros_like(): memory that is new to a process is zero anyway."""
    return zeros_like(other, rule, dtype)


def ones_like(
    other: ArrayLike, rule: str | None = None, dtype: DTypeLike | None = None
) -> NDArray[Any]:
    """As zeros_like(), filled with ones."""
    return full_like(other, 1, rule, dtype)


def full_like(
    other: ArrayLike, value: Any, rule: str | None = None, dtype: DTypeLike | None = None
) -> NDArray[Any]:
    """As zeros_like(), filled with `value`."""
    array = zeros_like(other, rule, dtype)
    array[...] = value
    return array


def place(array: NDArray[Any], rule: str) -> Receipt:
    """Places the pages of any array, anew as often as wanted; its values stay.

    "rows", "columns" and "blocks" cut an array of up to four dimensions along its indices. Pages
    that it shares with its neighbours go with it. "next-touch" lasts until the array is placed
    anew, so it is for whole arrays of zeros() and empty(). Raises HomenodeError.
    """
    if array.nbytes == 0:
        return Receipt(0, 0, 0, 0.0, "")
    region = _region_of(array)
    if rule.startswith("next-touch") and not region.lasts:
        raise HomenodeError("next-touch is for whole arrays; make one with homenode.zeros()")
    return region.place(rule, _shape_of(array))


def name(array: NDArray[Any], text: str) -> None:
    """Gives an array the name under which `homenode profile` shows it: up to 63 printable ASCII
    characters, none of them one of \\ ` $ [ ]. Only whole pages of it have the name. Raises
    HomenodeError."""
    if array.nbytes:
        _region_of(array).name(text)


def where(array: NDArray[Any]) -> Where:
    """Where the pages of any array are; no page is made present for it. Raises HomenodeError."""
    if array.nbytes == 0:
        return Where(0, np.empty(0, np.intc), {}, {})
    return _region_of(array).where()


def _place_or_warn(array: NDArray[Any], rule: str) -> None:
    """Places a new array; a kernel that refuses leaves it where its first use puts it."""
    try:
        refusal = place(array, rule).refusal
    except NotSupportedError as error:
        warn_of_refused(rule, error)
        return
    if refusal:
        warnings.warn(refusal, RuntimeWarning, stacklevel=_callers_level())


def warn_of_refused(rule: str, error: NotSupportedError) -> None:
    """Warns, once for each rule, that arrays are not placed by it."""
    if rule not in _refused_rules:
        _refused_rules.add(rule)
        words = f"arrays are not placed by '{rule}': {error}"
        warnings.warn(words, RuntimeWarning, stacklevel=_callers_level())


def _callers_level() -> int:
    """The stack level, for the function that asks, of the first one outside this package."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and (frame := frame.f_back) is not None:
        if not frame.f_globals.get("__name__", "").startswith("homenode."):
            return level
        level += 1
    return level


def _byte_bounds(array: NDArray[Any]) -> tuple[int, int]:
    """The addresses of an array's first byte and behind its last. pre: it has elements.

    numpy has such a function, in one module before version 2 and in another since.
    """
    steps = [(n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True)]
    first = array.ctypes.data + sum(step for step in steps if step < 0)
    last = array.ctypes.data + sum(step for step in steps if step > 0)
    return first, last + array.itemsize


def _region_of(array: NDArray[Any]) -> Region:
    """The memory from the array's first byte to its last: our own, or a loan for one call."""
    bounds = _byte_bounds(array)
    memory: Any = array
    while isinstance(memory, np.ndarray):
        memory = memory.base
    if isinstance(memory, _Memory) and memory.bounds == bounds:
        return memory.region
    return Region.adopt(bounds[0], bounds[1] - bounds[0])


def _shape_of(array: NDArray[Any]) -> Array | None:
    """How the array lies in memory, where that can be said in a few words."""
    contiguous = array.flags.c_contiguous or array.flags.f_contiguous
    if not contiguous or not 1 <= array.ndim <= MOST_DIMENSIONS:
        return None
    extents = (*array.shape, *(1,) * (MOST_DIMENSIONS - array.ndim))
    order = ORDER_C if array.flags.c_contiguous else ORDER_FORTRAN
    return Array(extents, array.itemsize, array.ndim, order)
