"""What goes wrong while a profile is taken or read."""

from homenode.errors import UserError


class ProfileError(UserError):
    """One line: what is wrong, and what to do."""
