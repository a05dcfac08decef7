"""The one exception that `study` and `report` turn into a one-line message and an exit code."""

DONE = 0
FAILED = 1
USAGE = 2
NOT_SUPPORTED = 3
INTERRUPTED = 130


class StudyError(Exception):
    """One line: what was tried, what went wrong, what to do next; `exit_code` is the verb's."""

    def __init__(self, message: str, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code
