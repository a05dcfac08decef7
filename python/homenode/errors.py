"""What every verb ends with: the exit codes, and the error that becomes one line for a person."""

DONE = 0
FAILED = 1
USAGE = 2
NOT_SUPPORTED = 3


class UserError(Exception):
    """One line: what was tried, what went wrong, what to do next; `exit_code` is the verb's."""

    def __init__(self, message: str, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code
