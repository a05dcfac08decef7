"""homenode.roi: what `homenode lab run` counts and times of a Python program.

with homenode.roi():
    solve(a)

Outside the lab nothing happens. Inside, what the interpreter does between both ends is counted with
the rest, and so is what other threads of the process do; with `all_processes`, what every process
does.
"""

from contextlib import ContextDecorator
from typing import Self

from homenode.capi import library


class roi(ContextDecorator):  # noqa: N801 - used like a function
    """A region of interest: `with homenode.roi():`, or `@homenode.roi()` on a function.

    `all_processes`: every process is counted, not this one alone; one process begins the region,
    and ends it, while the others wait, as ranks of MPI do at a barrier.
    `roi.begin()` and `roi.end()` do the same where both ends are far apart. Regions are not nested:
    inside one, a second begin changes nothing and the first end ends it. Raises HomenodeError when
    the library was not built.
    """

    def __init__(self, *, all_processes: bool = False) -> None:
        self._all_processes = all_processes

    @staticmethod
    def begin(*, all_processes: bool = False) -> None:
        """Begins the region of interest of this process, or of all."""
        if all_processes:
            library().hn_roi_begin_all_here()
        else:
            library().hn_roi_begin_here()

    @staticmethod
    def end() -> None:
        """Ends the region of interest that this process began."""
        library().hn_roi_end_here()

    def __enter__(self) -> Self:
        self.begin(all_processes=self._all_processes)
        return self

    def __exit__(self, *error: object) -> None:
        self.end()
