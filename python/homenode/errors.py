"""What every verb ends with: the exit codes, and the error that becomes one line for a person."""

DONE = 0
FAILED = 1
USAGE = 2
NOT_SUPPORTED = 3
# Of a verb that passes on the exit code of a program that it was given: in place of 1 to 3, as
# env(1) and timeout(1) have it.
LAUNCHER_FAILED = 125


def own_failure(usual: int, *, names_program: bool) -> int:
    """The exit code of a failure of the verb's own; those above 3 say more, and stay."""
    own = usual in (FAILED, USAGE, NOT_SUPPORTED)
    return LAUNCHER_FAILED if names_program and own else usual


class UserError(Exception):
    """One line: what was tried, what went wrong, what to do next; `exit_code` is the verb's."""

    def __init__(self, message: str, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code
