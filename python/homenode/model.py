"""Predicts how long a program would take under a placement, by the library's models."""

import ctypes
import json
from collections.abc import Mapping, Sequence
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homenode import capi

Floats = NDArray[np.float64]


class _Object(ctypes.Structure):
    """hn_used_object."""

    _fields_ = (
        ("name", c_char_p),
        ("pages", c_size_t),
        ("pages_per_block", c_size_t),
        ("lines_in_flight", c_double),
        ("reads", POINTER(c_double)),
        ("writes", POINTER(c_double)),
        ("first_users", POINTER(c_size_t)),
        ("homes", POINTER(c_int)),
        ("in_order", c_double),
        ("used_before", POINTER(c_double)),
        ("walk_lines", c_double),
    )


class _Program(ctypes.Structure):
    """hn_program."""

    _fields_ = (
        ("threads", c_size_t),
        ("nodes", POINTER(c_int)),
        ("computing_s", POINTER(c_double)),
        ("objects", POINTER(_Object)),
        ("object_count", c_size_t),
        ("independent", c_int),
    )


class _Rule(ctypes.Structure):
    """hn_object_rule."""

    _fields_ = (("object", c_char_p), ("rule", c_char_p))


@dataclass(frozen=True)
class UsedObject:
    """An array or allocation in blocks of `pages_per_block` pages.

    `reads` and `writes` are cache lines from and to memory, [thread, block]. `first_users` is the
    thread that touches each block first, `homes` the node that it was found on; None: not known.
    `in_order` is the share of lines that are asked for ahead of their use, as threads walk through
    the object. `used_before` tells in which order they do: how many lines of the object each thread
    had used before its first one of a block, [thread, block]; None: not known. `walk_lines` follow
    one another, and a thread uses all of them before it goes on elsewhere; 0: the object has no
    such parts.
    """

    name: str
    pages: int
    pages_per_block: int
    reads: Floats
    writes: Floats
    lines_in_flight: float = 1.0
    first_users: Sequence[int] | None = None
    homes: Sequence[int] | None = None
    in_order: float = 0.0
    used_before: Floats | None = None
    walk_lines: float = 0.0


@dataclass(frozen=True)
class Program:
    """The node of each thread, the seconds that it computes, and the objects. `independent`: no
    thread waits for others on its way, as it does at barriers."""

    nodes: Sequence[int]
    objects: Sequence[UsedObject]
    computing_s: Sequence[float] | None = None
    independent: bool = False


@dataclass(frozen=True)
class Prediction:
    """`time` is the slowest thread's, in `unit`: "s", or "relative" to other placements of the same
    program. `raw` is the whole answer (schema homenode.prediction/1)."""

    model: str
    unit: str
    time: float
    thread_times: tuple[float, ...]
    bottleneck: str
    raw: dict[str, Any]


class Machine:
    """A machine that predictions are made for; `source` as for homenode.capi.machine()."""

    def __init__(self, source: str | Path = "live") -> None:
        self._library = capi.library()
        self._handle = c_void_p()
        capi.call("hn_machine_load", str(source).encode(), ctypes.byref(self._handle))

    def __del__(self) -> None:
        if handle := getattr(self, "_handle", None):
            self._library.hn_machine_free(handle)

    def predict(
        self,
        program: Program,
        threads: str | None = None,
        memory: Mapping[str | None, str] | None = None,
        model: str | None = None,
    ) -> Prediction:
        """What the program would take. `threads` is a thread map, `memory` a memory rule by the
        object's name, that of None for all others. Raises capi.HomenodeError and ValueError."""
        kept: list[Any] = []
        given = _program(program, kept)
        # The rule for all others comes last: the first that an object meets is its own.
        rules = sorted((memory or {}).items(), key=lambda item: item[0] is None)
        array = (_Rule * len(rules))(*[_Rule(_text(name), rule.encode()) for name, rule in rules])
        answer = c_void_p()
        capi.call(
            "hn_predict",
            self._handle,
            ctypes.byref(given),
            _text(threads),
            array,
            len(rules),
            _text(model),
            ctypes.byref(answer),
        )
        raw = json.loads(capi.take(answer))
        return Prediction(
            raw["model"],
            raw["unit"],
            raw["time"],
            tuple(raw["thread_times"]),
            raw["bottleneck"]["text"],
            raw,
        )


def _text(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _numbers(values: Sequence[int] | Sequence[float] | Floats, kind: Any, kept: list[Any]) -> Any:
    """A C array, which lives as long as `kept` does."""
    array = (kind * len(values))(*values)
    kept.append(array)
    return ctypes.cast(array, POINTER(kind))


def _program(program: Program, kept: list[Any]) -> _Program:
    threads = len(program.nodes)
    objects = (_Object * len(program.objects))(
        *[_object(used, threads, kept) for used in program.objects]
    )
    kept.append(objects)
    computing = program.computing_s
    if computing is not None and len(computing) != threads:
        raise ValueError(f"{len(computing)} computing times do not fit {threads} threads")
    return _Program(
        threads,
        _numbers(program.nodes, c_int, kept),
        None if computing is None else _numbers(computing, c_double, kept),
        objects,
        len(program.objects),
        int(program.independent),
    )


def _object(used: UsedObject, threads: int, kept: list[Any]) -> _Object:
    blocks = -(-used.pages // max(1, used.pages_per_block))
    cells = {"reads": used.reads, "writes": used.writes, "used before": used.used_before}
    for what, values in cells.items():
        if values is not None and values.shape != (threads, blocks):
            raise ValueError(
                f"{what} of {used.name} has the shape {values.shape}, not {(threads, blocks)}"
            )
    for what, entries in (("first users", used.first_users), ("homes", used.homes)):
        if entries is not None and len(entries) != blocks:
            raise ValueError(f"{used.name} has {len(entries)} {what} for {blocks} blocks")
    first, homes, before = used.first_users, used.homes, used.used_before
    return _Object(
        used.name.encode(),
        used.pages,
        used.pages_per_block,
        used.lines_in_flight,
        _numbers(used.reads.astype(np.float64).ravel(), c_double, kept),
        _numbers(used.writes.astype(np.float64).ravel(), c_double, kept),
        None if first is None else _numbers(first, c_size_t, kept),
        None if homes is None else _numbers(homes, c_int, kept),
        used.in_order,
        None if before is None else _numbers(before.ravel(), c_double, kept),
        used.walk_lines,
    )
