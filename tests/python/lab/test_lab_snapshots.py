"""homenode.lab.snapshots: what is kept, under which name, and what goes, all without a guest."""

import fcntl
import os
from pathlib import Path

import pytest

from homenode.lab import snapshots


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "homenode/lab/snapshots"


def keep(name: str, content: bytes) -> Path:
    with snapshots.storing(name) as partial:
        partial.write_bytes(content)
    found = snapshots.find(name)
    assert found is not None
    return found


def test_what_is_stored_is_found_whole_and_private(own_cache: Path):
    kept = keep("key", b"content")
    assert kept.read_bytes() == b"content" and snapshots.whole(kept)
    assert kept.stat().st_mode & 0o077 == 0
    assert list(own_cache.iterdir()) == [kept]
    assert snapshots.find("other") is None and snapshots.find("ke") is None


@pytest.mark.parametrize("damaged", [b"", b"conten", b"contenT", b"content "])
def test_damage_is_seen(damaged: bytes):
    kept = keep("key", b"content")
    kept.write_bytes(damaged)
    assert not snapshots.whole(kept)


def test_one_that_is_gone_is_not_whole_and_may_be_discarded_again():
    kept = keep("key", b"content")
    snapshots.discard(kept)
    assert not snapshots.whole(kept)
    snapshots.discard(kept)


def test_an_error_while_storing_leaves_nothing(own_cache: Path):
    def fail() -> None:
        with snapshots.storing("key") as partial:
            partial.write_bytes(b"half")
            raise ValueError

    with pytest.raises(ValueError):
        fail()
    assert list(own_cache.iterdir()) == []


def test_what_a_killed_driver_had_half_written_is_swept_and_what_is_being_written_is_not(
    own_cache: Path,
):
    own_cache.mkdir(parents=True)
    dead = own_cache / "a-1.partial"
    alive = own_cache / "a-2.partial"
    dead.touch()
    with alive.open("wb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        keep("key", b"content")
        assert not dead.exists() and alive.exists()


def test_the_least_recently_used_go_when_room_is_short(own_cache: Path):
    kept = {name: keep(name, name.encode() * 100) for name in "abc"}
    for age, name in enumerate("bca"):  # a was used last, b first
        os.utime(kept[name], (1000 + age, 1000 + age))
    snapshots.make_room(own_cache, 200)
    assert sorted(path.name[0] for path in own_cache.iterdir()) == ["a", "c"]


def test_finding_one_is_using_it():
    kept = keep("key", b"content")
    os.utime(kept, (1000, 1000))
    snapshots.find("key")
    assert kept.stat().st_mtime > 1000


def test_a_key_is_that_of_all_that_the_guest_depends_on(tmp_path: Path):
    qemu = tmp_path / "qemu"
    qemu.write_bytes(b"1")
    first = snapshots.key(["-m", "1M"], qemu, "10.0.2", "cpu")
    assert first == snapshots.key(["-m", "1M"], qemu, "10.0.2", "cpu")
    others = {
        snapshots.key(["-m", "2M"], qemu, "10.0.2", "cpu"),
        snapshots.key(["-m", "1M"], qemu, "10.0.3", "cpu"),
        snapshots.key(["-m", "1M"], qemu, "10.0.2", "another"),
    }
    qemu.write_bytes(b"22")
    others.add(snapshots.key(["-m", "1M"], qemu, "10.0.2", "cpu"))
    assert len(others) == 4 and first not in others
