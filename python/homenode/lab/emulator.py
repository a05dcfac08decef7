"""Finds QEMU and asks it what it can do."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from homenode.errors import NOT_SUPPORTED
from homenode.lab.errors import LabError
from homenode.lab.qemu import FAST_FIRMWARE

ENVIRONMENT = "HOMENODE_QEMU"
PROGRAM = "qemu-system-x86_64"
OLDEST = (7, 2)
# From this version on, a plugin can read a vCPU's registers and so tell processes apart.
FIRST_WITH_REGISTERS = (9, 0)
# From this version on, QEMU writes a machine to a file, and goes on from one, by itself.
FIRST_WITH_SNAPSHOTS = (8, 2)
# From this version on, the plugin can model time: its interface is version 3 or newer.
FIRST_WITH_TIME = (9, 1)


@dataclass(frozen=True)
class Emulator:
    """QEMU: its path, its version, whether it loads plugins, and where its firmware lies."""

    path: Path
    version: tuple[int, ...]
    plugins: bool
    data: tuple[Path, ...]

    @property
    def registers(self) -> bool:
        """Whether a plugin can read registers: needed to count one process and each thread."""
        return self.version >= FIRST_WITH_REGISTERS

    @property
    def snapshots(self) -> bool:
        """Whether a guest can start from a snapshot of a booted one."""
        return self.version >= FIRST_WITH_SNAPSHOTS

    @property
    def time(self) -> bool:
        """Whether a plugin can model time."""
        return self.plugins and self.version >= FIRST_WITH_TIME

    @property
    def version_text(self) -> str:
        """The version as people write it."""
        return ".".join(str(number) for number in self.version)

    def command(self) -> list[str]:
        """The program with the firmware that starts fastest, where it has it."""
        fast = any((folder / FAST_FIRMWARE).is_file() for folder in self.data)
        return [str(self.path), *(("-bios", FAST_FIRMWARE) if fast else ())]


def parse_version(text: str) -> tuple[int, ...]:
    """The version in what --version prints, () if there is none. Pure."""
    found = re.search(r"version (\d+(?:\.\d+)*)", text)
    return tuple(int(number) for number in found.group(1).split(".")) if found else ()


def find_emulator() -> Emulator:
    """QEMU as named by HOMENODE_QEMU or found on PATH. Raises LabError."""
    wanted = os.environ.get(ENVIRONMENT) or PROGRAM
    path = shutil.which(wanted)
    if path is None:
        raise LabError(
            f"{wanted} does not exist or is not executable; run './dev setup', or set "
            f"{ENVIRONMENT}",
            NOT_SUPPORTED,
        )
    version = parse_version(_ask(path, "--version"))
    if version < OLDEST:
        raise LabError(
            f"{path} is version {'.'.join(map(str, version)) or 'unknown'}; the lab needs 7.2 or "
            f"newer: run './dev setup', or set {ENVIRONMENT}",
            NOT_SUPPORTED,
        )
    data = tuple(Path(folder) for folder in _ask(path, "-L", "help").split())
    return Emulator(Path(path), version, "-plugin" in _ask(path, "--help"), data)


def _ask(path: str, *question: str) -> str:
    try:
        answer = subprocess.run([path, *question], capture_output=True, text=True, check=False)
    except OSError as error:
        raise LabError(f"cannot run {path}: {error.strerror}", NOT_SUPPORTED) from error
    if answer.returncode != 0:
        said = (answer.stderr.strip() or "no message").splitlines()[0]
        raise LabError(f"cannot run {path}: {said}", NOT_SUPPORTED)
    return answer.stdout
