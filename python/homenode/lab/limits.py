"""What the lab can model: the limits that it shares with QEMU's plugin (limits.inc)."""

from dataclasses import dataclass
from pathlib import Path

from homenode import tables


@dataclass(frozen=True)
class Limit:
    """The least and the most that a number may be, and what they count."""

    least: int
    most: int
    what: str

    def holds(self, value: float) -> bool:
        """Whether the value keeps to it."""
        return self.least <= value <= self.most

    @property
    def complaint(self) -> str:
        """What is said of a value that does not, in the plugin's words."""
        return f"not a whole number of {self.what} from {self.least} to {self.most}"


def _read() -> dict[str, Limit]:
    found = {}
    for name, least, most, what in tables.rows(Path(__file__).with_name("limits.inc")):
        found[str(name)] = Limit(int(least), int(most), str(what))
    return found


LIMITS = _read()
