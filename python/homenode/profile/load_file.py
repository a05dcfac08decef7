"""From a sample file to a profile; whatever is odd in the file ends in one line."""

from pathlib import Path

from homenode.profile.analysis import analyse
from homenode.profile.errors import ProfileError
from homenode.profile.recording import Recording, read_recording
from homenode.profile.values import Profile

# What documents of another shape, or numbers beyond all bounds, end in.
ODD = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    MemoryError,
    RecursionError,
)


def read(path: Path) -> tuple[Recording, Profile]:
    """Both of a file. Raises ProfileError."""
    recording = read_recording(path)
    return recording, profile_of(recording, str(path))


def profile_of(recording: Recording, name: str) -> Profile:
    """The profile of a recording, which is called `name` in errors. Raises ProfileError."""
    try:
        return analyse(recording)
    except ODD as error:
        raise ProfileError(
            f"{name} is inconsistent ({error!r}); record it again with this version of homenode"
        ) from error
