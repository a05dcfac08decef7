"""Where and how one run happens: under which allocator, in which folder, how much of the work."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from heap.allocators import Allocator
from heap.launch import FailedError, Launched, Usage, owners, traced


@dataclass(frozen=True)
class Place:
    """What a benchmark needs to know to run once."""

    programs: Path  # The folder of the compiled programs and their launcher.
    allocator: Allocator
    folder: Path  # Empty at the start, gone afterwards.
    percent: int
    log: Path | None = None  # Where the dynamic linker says what it binds; slow.

    def start(self, command: list[str], extra: dict[str, str] | None = None) -> Launched:
        """Starts a command under the allocator."""
        words = command if self.log is None else traced(command, self.log)
        launcher = self.programs / "launch"
        return Launched(launcher, self.allocator.library, words, self.folder, extra or {})

    def run(self, command: list[str], extra: dict[str, str] | None = None) -> tuple[Usage, str]:
        """What a command used, and what it printed."""
        return self.start(command, extra).finish()


@contextmanager
def fresh(
    programs: Path, allocator: Allocator, percent: int, *, trace: bool = False
) -> Iterator[Place]:
    """A place with an empty folder."""
    with tempfile.TemporaryDirectory(prefix="heap-bench-") as name:
        log = Path(name) / "bindings" if trace else None
        yield Place(programs, allocator, Path(name), percent, log)


def check_owner(place: Place) -> None:
    """Fails unless every malloc in the traced run was the allocator's; `place` must have a log."""
    assert place.log is not None
    logs = place.folder.glob(f"{place.log.name}.*")
    texts = (path.read_text(errors="replace") for path in logs)
    library = place.allocator.library
    found = set().union(*(owners(text, library) for text in texts))
    if found != {str(Path(library).resolve())}:
        where = ", ".join(sorted(found)) or "nowhere that the dynamic linker knows"
        raise FailedError(f"malloc came from {where}, not from {library}")
