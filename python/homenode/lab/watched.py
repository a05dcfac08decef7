"""What the guest saw of a program's mappings and threads while it ran (src/lab/init/jobs_watch.c).

Records of a line and a text: "maps PID NANOSECONDS BYTES" and what /proc/PID/maps says, or
"threads PID NANOSECONDS BYTES" and lines "TID NAME". Pure.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

# Where the guest has the host's files; its init is not confined to them.
GUEST_ROOT = "/root"
_MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S{4}) ([0-9a-f]+) \S+ \d+\s*(.*)")


@dataclass(frozen=True)
class Look:
    """One process at one time: "maps" or "threads", and the text."""

    kind: str
    pid: int
    time_ns: int
    text: str

    @cached_property
    def mappings(self) -> list[dict[str, Any]]:
        """Those of a look at "maps"; empty for one at threads."""
        found = map(_MAPPING.fullmatch, self.text.splitlines()) if self.kind == "maps" else ()
        return [
            {
                "begin": int(one[1], 16),
                "end": int(one[2], 16),
                "permissions": one[3],
                "offset": int(one[4], 16),
                "path": one[5].removeprefix(GUEST_ROOT),
            }
            for one in found
            if one is not None
        ]

    @cached_property
    def threads(self) -> dict[int, str]:
        """Names by tid of a look at "threads"; empty for one at mappings."""
        words = (line.partition(" ") for line in self.text.splitlines())
        return {int(tid): name for tid, _, name in words} if self.kind == "threads" else {}

    def document(self) -> dict[str, Any]:
        """As it stands in a sample file."""
        if self.kind == "maps":
            told: dict[str, Any] = {"kind": "mappings", "mappings": self.mappings}
        else:
            threads = [{"tid": tid, "name": name} for tid, name in sorted(self.threads.items())]
            told = {"kind": "threads", "threads": threads}
        return told | {"time_ns": self.time_ns, "pid": self.pid}


def looks(content: bytes) -> Iterator[Look]:
    """The whole records; what the end of the guest cut is left out."""
    position = 0
    while (end := content.find(b"\n", position)) >= 0:
        kind, pid, time_ns, size = content[position:end].decode("ascii", "replace").split()
        position = end + 1 + int(size)
        if position > len(content):
            return
        text = content[end + 1 : position].decode("utf-8", "replace")
        yield Look(kind, int(pid), int(time_ns), text)
