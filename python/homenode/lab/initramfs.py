"""Builds the guest's first files: init, the modules it loads, and a console to speak on."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from homenode.lab import cache
from homenode.lab.kernel import Kernel
from homenode.lab.modules import load_order

DIRECTORY, FILE, CHARACTER_DEVICE = 0o040755, 0o100755, 0o020600
TRAILER = "TRAILER!!!"
CONSOLE = (5, 1)


@dataclass(frozen=True)
class Entry:
    """One file of the archive; `device` is the (major, minor) of a device file."""

    name: str
    mode: int
    content: bytes = b""
    device: tuple[int, int] = (0, 0)


def archive(entries: list[Entry]) -> bytes:
    """The entries as a cpio archive in the "newc" format, which the kernel unpacks. Pure.

    Written here and not by cpio, because only root could make the device file that cpio would read.
    """
    parts: list[bytes] = []
    for number, entry in enumerate([*entries, Entry(TRAILER, 0)], start=1):
        name = entry.name.encode() + b"\0"
        fields = (number, entry.mode, 0, 0, 1, 0, len(entry.content), 0, 0, *entry.device)
        header = b"070701" + b"".join(b"%08X" % value for value in (*fields, len(name), 0))
        parts += [_padded(header + name), _padded(entry.content)]
    return b"".join(parts)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def entries(init: bytes, modules: list[tuple[str, bytes]]) -> list[Entry]:
    """What the archive holds. `modules` is in the order of loading. Pure."""
    names = [f"lib/{name}.ko" for name, _ in modules]
    listing = "".join(f"/{name}\n" for name in names).encode()
    return [
        Entry("dev", DIRECTORY),
        Entry("dev/console", CHARACTER_DEVICE, device=CONSOLE),
        Entry("lib", DIRECTORY),
        Entry("init", FILE, init),
        Entry("modules", FILE, listing),
        *(Entry(path, FILE, content) for path, (_, content) in zip(names, modules, strict=True)),
    ]


def build(kernel: Kernel, init: Path) -> Path:
    """The archive for this kernel and this init, from the cache where it is unchanged."""
    program = init.read_bytes()
    source = Path(__file__).read_bytes()
    places = f"{kernel.modules.resolve()} {kernel.image.stat().st_mtime_ns}"
    digest = sha256(program + source + places.encode()).hexdigest()[:16]
    name = f"initramfs-{kernel.release}-{digest}.cpio"
    ready = cache.lab_cache() / name
    if ready.is_file():
        return ready
    return cache.store(name, archive(entries(program, load_order(kernel))))
