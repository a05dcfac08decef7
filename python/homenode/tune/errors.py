"""What goes wrong in a tune."""

from homenode.errors import UserError


class TuneError(UserError):
    """One line: what is wrong, and what to do."""
