"""How `study` and `report` say that something went wrong, and their exit code of their own."""

from homenode.errors import UserError

INTERRUPTED = 130


class StudyError(UserError):
    """A study, or the report on it, could not do what was asked."""
