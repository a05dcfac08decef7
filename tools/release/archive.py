"""The files of a release: source archive and wheel, the same from the same commit."""

import gzip
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from release.bundle import bundle


def git(root: Path, *words: str) -> bytes:
    """What git prints."""
    return subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True).stdout


def source_archive(root: Path, version: str, folder: Path) -> Path:
    """Writes homenode-VERSION.tar.gz of the last commit, whose times are the commit's."""
    name = f"homenode-{version}"
    tar = git(root, "archive", "--format=tar", f"--prefix={name}/", "HEAD")
    file = folder / f"{name}.tar.gz"
    file.write_bytes(gzip.compress(tar, compresslevel=9, mtime=0))
    return file


def wheel(root: Path, archive: Path, folder: Path) -> Path:
    """Builds the wheel of the archive, so that what the archive lacks is noticed."""
    with tempfile.TemporaryDirectory(prefix="homenode-release-") as work:
        with tarfile.open(archive) as sources:
            sources.extractall(work, filter="data")
        tree = next(Path(work).iterdir())
        plain = Path(work) / "plain"
        environment = {
            **os.environ,
            "SOURCE_DATE_EPOCH": git(root, "show", "-s", "--format=%ct").decode().strip(),
            "CCACHE_BASEDIR": str(tree),
        }
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--disable-pip-version-check"]
        command += ["--no-deps", "--no-build-isolation", "-w", str(plain), str(tree)]
        command.append("--config-settings=cmake.define.HOMENODE_WERROR=ON")
        subprocess.run(command, check=True, env=environment)
        return bundle(next(plain.glob("*.whl")), folder)


def digest(file: Path) -> str:
    """A line for SHA256SUMS, as sha256sum writes and checks it."""
    return f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}"
