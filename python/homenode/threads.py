"""The calling thread: on which CPUs it runs, and where the memory goes that it touches first."""

import ctypes
from collections.abc import Callable
from itertools import count

from homenode import capi


def bind(cpus: str) -> None:
    """Binds the calling thread to CPUs in numactl's notation: "0-3,8", "all", "!2", "+0-1"."""
    capi.call("hn_thread_bind", cpus.encode())


def bind_rank(thread_map: str, rank: int) -> None:
    """Binds the calling thread to what a thread map such as "0,4,8-11" has for `rank`."""
    if rank < 0:
        raise ValueError(f"{rank} is not a rank; ranks start at 0")
    capi.call("hn_thread_bind_rank", thread_map.encode(), rank)


def in_order(thread_map: str) -> Callable[[], None]:
    """For the initializer of a thread pool: each thread takes the next rank of the map."""
    ranks = count()

    def bind_next() -> None:
        bind_rank(thread_map, next(ranks))

    return bind_next


def place(rule: str) -> None:
    """Sets the kernel's policy for what the calling thread touches first from now on."""
    capi.call("hn_thread_place", rule.encode())


def where() -> tuple[int, int]:
    """The CPU and the node that the caller runs on at this moment."""
    cpu, node = ctypes.c_int(), ctypes.c_int()
    capi.call("hn_thread_where", ctypes.byref(cpu), ctypes.byref(node))
    return cpu.value, node.value


def cpus() -> list[int]:
    """The CPUs that the calling thread may run on."""
    library = capi.library()
    room = library.hn_thread_cpus(None, 0)
    numbers = (ctypes.c_int * room)()
    listed = library.hn_thread_cpus(numbers, room)
    return list(numbers)[:listed]
