"""Finds the kernel that the lab boots, and unpacks it once so that the guest need not."""

import gzip
import lzma
import os
import re
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from homenode.errors import NOT_SUPPORTED
from homenode.lab import cache
from homenode.lab.errors import LabError

ENVIRONMENT = "HOMENODE_LAB_KERNEL"
PREFIX = "vmlinuz-"
# Documentation/arch/x86/boot.rst of Linux: the fields of a bzImage's header.
SETUP_SECTORS, HEADER_MAGIC, PAYLOAD = 0x1F1, 0x202, 0x248
SECTOR = 512
ELF_MAGIC = b"\x7fELF"
# The ELF note by which a kernel offers the PVH entry point (Xen's XEN_ELFNOTE_PHYS32_ENTRY).
PVH_NOTE = struct.pack("<3I", 4, 8, 18) + b"Xen\0"
PVH_NOTE_SHORT = struct.pack("<3I", 4, 4, 18) + b"Xen\0"


@dataclass(frozen=True)
class Kernel:
    """A bootable kernel image and the folder of its modules (lib/modules/RELEASE)."""

    image: Path
    modules: Path

    @property
    def release(self) -> str:
        """What uname -r says in the guest."""
        return self.modules.name


def find_kernel() -> Kernel:
    """The kernel that the environment, the cache or this system offers, in this order.

    HOMENODE_LAB_KERNEL names an image or a folder with boot and lib; './dev setup' unpacks one
    into the cache. Where there are several, the newest. Raises LabError.
    """
    wanted = os.environ.get(ENVIRONMENT)
    if wanted:
        path = Path(wanted)
        found = _of_image(path) if path.is_file() else _newest(_in_tree(path))
        if found is None:
            raise LabError(
                f"{ENVIRONMENT}={wanted} has no readable boot/{PREFIX}RELEASE with its "
                "lib/modules/RELEASE; unset it to use the one that './dev setup' fetches",
                NOT_SUPPORTED,
            )
        return found
    cached = cache.cache_home() / "kernels"
    trees = sorted(cached.iterdir()) if cached.is_dir() else []
    found = _newest(kernel for tree in trees for kernel in _in_tree(tree))
    found = found or _newest(_in_tree(Path("/")))
    if found is None:
        raise LabError(
            f"no kernel for the lab: none in {cached} and none readable in /boot; "
            f"run './dev setup', or set {ENVIRONMENT}",
            NOT_SUPPORTED,
        )
    return found


def _in_tree(tree: Path) -> Iterator[Kernel]:
    boot = tree / "boot"
    for image in sorted(boot.glob(f"{PREFIX}*")) if os.access(boot, os.R_OK) else []:
        kernel = _of_image(image)
        if kernel is not None:
            yield kernel


def _of_image(image: Path) -> Kernel | None:
    release = image.name.removeprefix(PREFIX)
    near = image.resolve().parent.parent
    for root in (near, near / "usr", Path("/"), Path("/usr")):
        modules = root / "lib" / "modules" / release
        if (modules / "kernel").is_dir() and os.access(image, os.R_OK):
            return Kernel(image, modules)
    return None


def version_key(release: str) -> list[int]:
    """Orders releases by their numbers: 6.12.9 comes before 6.12.95."""
    return [int(number) for number in re.findall(r"\d+", release)]


def _newest(kernels: Iterator[Kernel]) -> Kernel | None:
    return max(kernels, key=lambda kernel: version_key(kernel.release), default=None)


def decompress(data: bytes, what: str) -> bytes:
    """Unpacks xz, gzip or zstd by their magic numbers; other data is returned as it is."""
    try:
        if data.startswith(b"\xfd7zXZ\0"):
            return lzma.LZMADecompressor().decompress(data)
        if data.startswith(b"\x1f\x8b"):
            return gzip.decompress(data)
        if data.startswith(b"\x28\xb5\x2f\xfd"):
            # zstd complains about the size that the kernel's build appends, but unpacks all.
            done = subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=False)
            if not done.stdout:
                raise OSError(done.stderr.decode(errors="replace").strip())
            return done.stdout
    except FileNotFoundError as error:
        raise LabError(
            f"cannot unpack {what}: the program zstd is missing; install the package zstd",
            NOT_SUPPORTED,
        ) from error
    except (lzma.LZMAError, EOFError, OSError) as error:
        raise LabError(
            f"cannot unpack {what}: {error}; run './dev setup' to fetch it again", NOT_SUPPORTED
        ) from error
    return data


def unpack_image(image: bytes) -> bytes | None:
    """The kernel proper of a bzImage, if it can be booted by its PVH entry; else None. Pure."""
    if len(image) < PAYLOAD + 8 or image[HEADER_MAGIC : HEADER_MAGIC + 4] != b"HdrS":
        return None
    offset, length = struct.unpack_from("<2I", image, PAYLOAD)
    start = (image[SETUP_SECTORS] + 1) * SECTOR + offset
    kernel = decompress(image[start : start + length], "the kernel")
    if not kernel.startswith(ELF_MAGIC):
        return None
    return kernel if PVH_NOTE in kernel or PVH_NOTE_SHORT in kernel else None


def bootable(kernel: Kernel) -> Path:
    """The file to give to QEMU: the unpacked kernel, or the image if it cannot be unpacked.

    Unpacking once, on the host, saves the guest seconds at each boot.
    """
    status = kernel.image.stat()
    identity = f"{kernel.image.resolve()} {status.st_size} {status.st_mtime_ns}"
    name = f"vmlinux-{kernel.release}-{sha256(identity.encode()).hexdigest()[:16]}"
    ready = cache.lab_cache() / name
    if ready.is_file():
        return ready
    unpacked = unpack_image(kernel.image.read_bytes())
    return kernel.image if unpacked is None else cache.store(name, unpacked)
