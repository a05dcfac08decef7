"""A file is written whole or not at all, and what is no regular file is written to."""

import os
from pathlib import Path

import pytest

from homenode.files import write_whole


def test_a_new_file_has_the_permissions_that_any_has(tmp_path: Path) -> None:
    (tmp_path / "any").touch()
    write_whole(tmp_path / "new", b"text")
    assert (tmp_path / "new").read_bytes() == b"text"
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "any").stat().st_mode
    write_whole(tmp_path / "private", b"text", 0o600)
    assert (tmp_path / "private").stat().st_mode & 0o777 == 0o600


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("file")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_whole(tmp_path / "pipe", b"text")
    assert os.read(reader, 9) == b"text"
    os.close(reader)


def test_a_pipe_is_written_to_by_a_descriptors_name() -> None:
    reader, writer = os.pipe()
    write_whole(Path(f"/dev/fd/{writer}"), b"text")
    assert os.read(reader, 9) == b"text"
    os.close(reader)
    os.close(writer)


def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("old")

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(tmp_path / "file", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"
