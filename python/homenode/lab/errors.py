"""How the lab says that something went wrong: one line, with the exit code that fits it."""

FAILED = 1
BAD_USAGE = 2
NOT_SUPPORTED = 3
TIMED_OUT = 124
NOT_EXECUTABLE = 126
NOT_FOUND = 127
SIGNAL_BASE = 128


class LabError(Exception):
    """The lab could not do what was asked. The text says what was tried, and what to do next."""

    def __init__(self, message: str, exit_code: int = FAILED):
        super().__init__(message)
        self.exit_code = exit_code


class LabLostError(LabError):
    """The virtual machine went away under a running program: a panic, or a killed QEMU."""


class StoppedError(LabError):
    """A signal to the driver ended the lab before the program had ended."""

    def __init__(self, signal_number: int):
        super().__init__(
            f"stopped by signal {signal_number} before the program ended",
            SIGNAL_BASE + signal_number,
        )
