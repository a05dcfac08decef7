"""`./dev release`: checks that the tree is a release, and makes its files. It tags nothing."""

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from release import archive
from release.version import hindrances, prepare, version

ROOT = Path(__file__).resolve().parents[2]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev release", description=__doc__)
    parser.add_argument(
        "--prepare",
        metavar="VERSION",
        help="only write the version and today's date into the files that name them",
    )
    parser.add_argument(
        "--output", type=Path, default=ROOT / "dist", metavar="FOLDER", help="default: dist"
    )
    parser.add_argument("--no-wheel", action="store_true", help="make the source archive alone")
    return parser.parse_args()


def _complaints(wanted: str) -> list[str]:
    said = hindrances(ROOT)
    if archive.git(ROOT, "status", "--porcelain"):
        said.append("the tree has changes; commit them, or put them aside")
    if archive.git(ROOT, "tag", "--list", f"v{wanted}"):
        said.append(f"v{wanted} is tagged already; './dev release --prepare' a newer version")
    return said


def main() -> int:
    """Exits with 1 where the tree is no release."""
    given = _arguments()
    if given.prepare:
        prepare(ROOT, given.prepare, datetime.now(UTC).date().isoformat())
        print(f"wrote version {given.prepare}; look at 'git diff', commit it, then './dev release'")
        return 0
    wanted = version(ROOT)
    complaints = _complaints(wanted)
    if complaints:
        for complaint in complaints:
            print(f"release: {complaint}", file=sys.stderr)
        return 1
    given.output.mkdir(parents=True, exist_ok=True)
    files = [archive.source_archive(ROOT, wanted, given.output)]
    if not given.no_wheel:
        files.append(archive.wheel(ROOT, files[0], given.output))
    sums = "".join(f"{archive.digest(file)}\n" for file in files)
    (given.output / "SHA256SUMS").write_text(sums)
    print(sums, end="")
    for file in files:
        print(f"{file}: {file.stat().st_size / 1e6:.1f} MB")
    print(f"to release it: git tag -s v{wanted} -m 'homenode {wanted}'")
    return 0


if __name__ == "__main__":
    sys.exit(main())
