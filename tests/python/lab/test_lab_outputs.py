"""Files that a program in the lab writes for the host: they are there when it has ended."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from lab_start import lab_or_skip

from homenode.lab import Lab, LabError
from homenode.lab.outputs import Output, find_outputs


def test_paths_are_absolute_without_links_and_each_is_there_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    found = find_outputs(["link/a.svg", "real/a.svg", "./b.svg"])
    assert found == (
        Output("link/a.svg", tmp_path / "real/a.svg"),
        Output("./b.svg", tmp_path / "b.svg"),
    )


def test_streams_and_what_is_in_the_results_need_nothing(tmp_path: Path):
    names = ["/dev/stdout", "/dev/null", "/proc/self/fd/1", str(tmp_path / "below/a.svg")]
    assert find_outputs(names, results=tmp_path) == ()


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        (
            "missing/a.svg",
            "the folder {}/missing does not exist; create it, or name a file elsewhere",
        ),
        (".", "it is not a regular file; name another"),
        ("pipe", "it is not a regular file; name another"),
        ("/a.svg", "it is in the root folder; name a file in a folder below it"),
        (
            "a.svg",
            "the results folder {}/results is below its folder; name a file in the results folder",
        ),
    ],
)
def test_a_file_that_cannot_be_brought_is_said(
    name: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    (tmp_path / "results").mkdir()
    with pytest.raises(LabError) as caught:
        find_outputs([name], results=tmp_path / "results")
    assert str(caught.value) == f"cannot write {name} from the lab: {problem.format(tmp_path)}"
    assert caught.value.exit_code == 1


def test_a_folder_that_cannot_be_written_to_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(os, "access", lambda *_: False)  # Root may write everywhere.
    with pytest.raises(LabError, match=r"you cannot write to the folder .*; name a file elsewhere"):
        find_outputs([str(tmp_path / "a.svg")])


def test_a_file_keeps_its_permissions_and_a_full_disk_its_content(tmp_path: Path):
    content, there = tmp_path / "content", tmp_path / "there"
    content.write_text("new")
    there.write_text("old")
    there.chmod(0o640)
    Output("there", there).land(content)
    assert there.read_text() == "new"
    assert stat.S_IMODE(there.stat().st_mode) == 0o640
    with pytest.raises(
        LabError, match="cannot write /dev/full: No space left on device; free some space"
    ):
        Output("/dev/full", Path("/dev/full")).land(content)


def test_a_folder_that_has_gone_away_is_said(tmp_path: Path):
    content = tmp_path / "content"
    content.touch()
    with pytest.raises(LabError, match="cannot write x/a: No such file or directory"):
        Output("x/a", tmp_path / "x/a").land(content)


SCRIPT = """
printf new > .a.part && mv .a.part "$1"
printf more > "$2"
cat "$3"
"""


@pytest.mark.lab
def test_files_land_on_the_host_under_the_names_that_the_program_used(quad: Lab, tmp_path: Path):
    odd = tmp_path / "a, b:c"
    odd.mkdir()
    old = tmp_path / "old"
    old.write_text("old")
    names = [str(tmp_path / "a"), str(odd / "b"), str(old), str(tmp_path / "never")]
    before = old.stat()
    result = quad.run(["sh", "-c", SCRIPT, "sh", *names], cwd=tmp_path, outputs=names)
    assert (result.status, result.stdout, result.stderr) == (0, b"old", b"")
    assert ((tmp_path / "a").read_text(), (odd / "b").read_text()) == ("new", "more")
    assert sorted(os.listdir(tmp_path)) == ["a", "a, b:c", "old"]  # noqa: PTH208
    assert (old.stat().st_ino, old.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o666 & ~mask
    assert (tmp_path / "a").stat().st_uid == os.getuid()


@pytest.mark.lab
def test_what_else_is_written_is_counted_and_the_next_job_sees_none_of_it(
    quad: Lab, tmp_path: Path
):
    folder = Path.home() / f".homenode-test-{os.getpid()}"
    folder.mkdir()
    try:
        script = "echo 1 >a; echo 2 >b; mkdir c; echo 3 >c/d; echo 4 >/etc/homenode-test"
        result = quad.run(["sh", "-c", script], cwd=folder, outputs=[str(folder / "a")])
        assert result.strays == 2
        assert b"Read-only file system" in result.stderr
        assert os.listdir(folder) == ["a"]  # noqa: PTH208
        after = quad.run(["sh", "-c", "ls; echo 5 >e"], cwd=folder)
        assert (after.stdout, after.status) == (b"a\n", 2)
    finally:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()


@pytest.mark.lab
def test_a_program_that_cannot_start_leaves_the_folder_as_it_was(quad: Lab, tmp_path: Path):
    result = quad.run(["no-such-program"], outputs=[str(tmp_path / "a")])
    assert (result.status, os.listdir(tmp_path)) == (127, [])  # noqa: PTH208
    assert b"homenode" not in quad.run(["grep", str(tmp_path), "/proc/mounts"]).stdout


def homenode(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = shutil.which("homenode")
    if command is None:
        pytest.skip("homenode is not on PATH; run the tests through ./dev test")
    return subprocess.run(
        [command, *words], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.lab
@pytest.mark.parametrize(
    ("words", "files"),
    [
        (
            ("topology", "--svg", "a.svg", "--xml=below/a.xml"),
            {"a.svg": "<svg", "below/a.xml": "<?xml"},
        ),
        (("bench", "map", "--size", "64k", "--output", "a.json"), {"a.json": "{"}),
    ],
)
def test_a_verb_with_a_machine_writes_its_files_on_the_host(
    words: tuple[str, ...], files: dict[str, str], tmp_path: Path
):
    lab_or_skip("tiny-2x2")
    (tmp_path / "below").mkdir()
    done = homenode(tmp_path, *words, "--machine", "tiny-2x2")
    assert (done.returncode, done.stderr) == (0, "")
    for name, start in files.items():
        assert (tmp_path / name).read_text().startswith(start)


@pytest.mark.lab
def test_a_missing_folder_is_said_before_the_boot(tmp_path: Path):
    lab_or_skip("tiny-2x2")
    done = homenode(tmp_path, "topology", "--machine", "tiny-2x2", "--svg", "no/a.svg")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"homenode lab: cannot write no/a.svg from the lab: the folder {tmp_path}/no does not "
        "exist; create it, or name a file elsewhere\n"
    )
