"""How the lab says that something went wrong, and its exit codes beside those of every verb."""

from homenode.errors import UserError

TIMED_OUT = 124
NOT_EXECUTABLE = 126
NOT_FOUND = 127
SIGNAL_BASE = 128


class LabError(UserError):
    """The lab could not do what was asked."""


class LabLostError(LabError):
    """The virtual machine went away: a panic, or a killed QEMU.

    `why` is without advice. `guest_died`: its own kernel ended it, and another boot may go well.
    """

    def __init__(self, why: str, *, guest_died: bool = False):
        super().__init__(f"the lab machine was lost: {why}; run it again")
        self.why = why
        self.guest_died = guest_died


class StoppedError(LabError):
    """A signal to the driver ended the lab before the program had ended."""

    def __init__(self, signal_number: int):
        super().__init__(
            f"stopped by signal {signal_number} before the program ended",
            SIGNAL_BASE + signal_number,
        )
        self.number = signal_number
