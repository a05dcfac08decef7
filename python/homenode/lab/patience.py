"""When to signal a program, when to kill it, and when to give up on the guest."""

import signal
from collections.abc import Callable
from dataclasses import dataclass

# How long a program may take to end after a signal from outside; how long after SIGTERM it is
# killed when its time is up; and how long a guest under load may then take to say that it is dead.
ANSWER_S = 5.0
TERM_TO_KILL_S = 2.0
KILLED_S = 30.0


@dataclass
class Patience:
    """Decides for one job. `now` is a monotonic clock; `send` sends the job a signal."""

    now: Callable[[], float]
    send: Callable[[int], None]
    timeout_s: float | None = None
    interrupted_by: int | None = None
    timed_out: bool = False
    _deadline: float | None = None
    _give_up: float | None = None
    _interrupts_again: bool = False

    def __post_init__(self) -> None:
        self.started()

    def started(self) -> None:
        """The program's time begins, or begins again: until now the guest was making it ready."""
        if self.timeout_s is not None:
            self._deadline = self.now() + self.timeout_s

    def interrupt(self, signal_number: int) -> None:
        """The driver was signalled: the program gets the signal; a second one ends the lab."""
        if self.interrupted_by is not None:
            self._interrupts_again = True
            return
        self.interrupted_by = signal_number
        self._give_up = self.now() + ANSWER_S
        self.send(signal_number)

    def exhausted(self) -> bool:
        """Does what is due by now. True when the guest is to be ended with the program in it."""
        if self._interrupts_again:
            return True
        if self._deadline is not None and self.now() >= self._deadline:
            if self.timed_out:
                self.send(signal.SIGKILL)
                self._deadline = None
                self._give_up = self.now() + KILLED_S
            else:
                self.timed_out = True
                self.send(signal.SIGTERM)
                self._deadline = self.now() + TERM_TO_KILL_S
        return self._give_up is not None and self.now() >= self._give_up
