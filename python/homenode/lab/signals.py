"""Whom a signal to the driver is for: the program in the lab while there is one, else the driver.

Handlers are set only where a signal was not ignored, as under nohup or in a shell's background job.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from homenode.lab.errors import StoppedError
from homenode.lab.lab import Lab

PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    before = {
        number: signal.signal(number, handler)
        for number in PASSED_ON
        if signal.getsignal(number) != signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def passed_on(lab: Lab) -> Iterator[None]:
    """They go to the program in the lab; while it boots, they end it."""
    with _handled(lambda number, _: lab.interrupt(number)):
        yield


@contextmanager
def ending() -> Iterator[None]:
    """They raise StoppedError: for where no program runs, inside passed_on."""

    def stop(number: int, _: FrameType | None) -> None:
        raise StoppedError(number)

    with _handled(stop):
        yield
