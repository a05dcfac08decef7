"""Makes a wheel that installs on any distribution with a glibc as new as the tag says.

    python -m release.bundle WHEEL FOLDER

auditwheel copies the libraries that the wheel's programs are linked with into it, and refuses a
wheel that needs a newer glibc. Both tools come with the package's `dev` extra.
"""

import subprocess
import sys
from pathlib import Path

# glibc 2.35: `hypot` and the unwinder's `_dl_find_object` are the newest symbols in use.
PLATFORM = "manylinux_2_35_x86_64"


def bundle(wheel: Path, folder: Path) -> Path:
    """Writes the wheel with what it is linked with into a folder; returns the new file."""
    command = [sys.executable, "-m", "auditwheel", "repair", "--plat", PLATFORM, "--only-plat"]
    done = subprocess.run(
        [*command, "--wheel-dir", str(folder), str(wheel)], capture_output=True, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(f"auditwheel cannot repair {wheel.name}:\n{done.stderr.strip()}")
    (made,) = folder.glob(f"*-{PLATFORM}.whl")
    return made


def main() -> int:
    """Exits with 1 where the wheel cannot be made."""
    if len(sys.argv) != 3:
        print("usage: python -m release.bundle WHEEL FOLDER", file=sys.stderr)
        return 2
    try:
        print(bundle(Path(sys.argv[1]), Path(sys.argv[2])))
    except RuntimeError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
