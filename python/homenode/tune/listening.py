"""Whether a process of a session accepts connections: how one sees that a server is ready."""

import os
import re
from contextlib import suppress
from pathlib import Path

LISTENS = "0A"  # TCP_LISTEN
ACCEPTS = 0x10000  # __SO_ACCEPTCON of unix sockets.
SOCKET = re.compile(r"socket:\[(\d+)\]")


def listens(session: int, proc: Path = Path("/proc")) -> bool:
    """Looks at the TCP and Unix sockets of all processes of the session."""
    listening = _listening(proc)
    return any(_sockets(proc / name) & listening for name in _members(session, proc))


def _members(session: int, proc: Path) -> list[str]:
    found = []
    for entry in proc.iterdir():
        if not entry.name.isdecimal():
            continue
        with suppress(OSError, ValueError, IndexError):
            # What follows the name, which may contain anything: state, parent, group, session.
            words = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(words[3]) == session:
                found.append(entry.name)
    return found


def _sockets(process: Path) -> set[int]:
    numbers = set()
    with suppress(OSError):
        for file in (process / "fd").iterdir():
            with suppress(OSError):
                found = SOCKET.fullmatch(os.readlink(file))  # noqa: PTH115
                if found:
                    numbers.add(int(found[1]))
    return numbers


def _listening(proc: Path) -> set[int]:
    numbers = set()
    for name in ("tcp", "tcp6"):
        for words in _rows(proc / "net" / name):
            if len(words) > 9 and words[3] == LISTENS:
                numbers.add(int(words[9]))
    for words in _rows(proc / "net" / "unix"):
        if len(words) > 6 and int(words[3], 16) & ACCEPTS:
            numbers.add(int(words[6]))
    return numbers


def _rows(path: Path) -> list[list[str]]:
    with suppress(OSError):
        return [line.split() for line in path.read_text().splitlines()[1:]]
    return []
