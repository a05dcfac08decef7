"""What only the command can judge of a study's values is told before anything runs."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from lab_start import lab_or_skip
from synthetic import QUAD, FakeRunner

from homenode.study import cli
from homenode.study.runner import Outcome

HEAD = 'schema = "homenode.study/1"\nname = "s"\ntitle = "T"\nmachines = ["quad-4x2"]\n'
GUPS = HEAD + 'workload = "gups"\n'
COMMAND = HEAD + 'command = ["./solver", "{size}"]\n'


def checked(text: str, folder: Path) -> int:
    study = folder / "s.toml"
    study.write_text(text)
    words = [str(study), "--out", str(folder / "o"), "--dry-run"]
    return cli.main(words, lambda name: FakeRunner(QUAD))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            GUPS + '[fixed]\nsize = "1X"\n[factors]\nthreads = [2]\n',
            "the fixed size: homenode bench gups: --size: cannot read the size '1X'",
        ),
        (
            GUPS + '[factors]\nsize = ["1M", "many"]\n',
            "the factor size: homenode bench gups: --size: cannot read the size 'many'",
        ),
        (
            GUPS + '[factors]\nsize = ["1M", "3M"]\n',
            "the factor size: homenode bench gups: --size: 3145728 bytes are not a power of two",
        ),
        (
            GUPS + '[factors]\nrun = ["", "--interleaved=all"]\n',
            "the factor run: homenode run: there is no option --interleaved",
        ),
        (
            COMMAND + '[fixed]\nrun = "--nothing"\n[factors]\nsize = [1]\n',
            "the fixed run: homenode run: there is no option --nothing",
        ),
    ],
)
def test_a_value_that_cannot_be_read_is_told_before_anything_runs(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(text, tmp_path) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_values_that_can_be_read_pass(tmp_path: Path) -> None:
    factors = '[factors]\nsize = ["1M", "2M"]\nrun = ["", "--threads compact --malloc bind"]\n'
    assert checked(GUPS + factors, tmp_path) == 0
    assert checked(COMMAND + '[factors]\nsize = ["1X"]\n', tmp_path) == 0


class Narrow(FakeRunner):
    """A machine of one node, whose cases fail."""

    def run(self, command: Sequence[str], timeout_s: float) -> Outcome:
        self.ran.append(list(command))
        wrong = "--explain" not in command or "--membind=1" in command
        return Outcome(2 * wrong, "", "no node 1\nits nodes: 0" * wrong, None)


def run(text: str, folder: Path, runner: FakeRunner) -> int:
    (folder / "s.toml").write_text(text)
    return cli.main([str(folder / "s.toml"), "--out", str(folder / "o")], lambda name: runner)


def test_a_placement_that_the_machine_cannot_set_is_told_before_the_first_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runner = Narrow(QUAD)
    text = COMMAND + '[fixed]\nsize = 1\n[factors]\nrun = ["", "-m 0", "--membind=1", "-i 0"]\n'
    assert run(text, tmp_path, runner) == 2
    assert "run = '--membind=1' on quad-4x2: no node 1\n" in capsys.readouterr().err
    asked = [
        ["homenode", "run", *words, "--explain", "--", "true"]
        for words in (["-m", "0"], ["--membind=1"])
    ]
    assert runner.ran == asked and (tmp_path / "o/records.jsonl").read_text() == ""


def test_the_machine_is_not_asked_where_nothing_is_placed(tmp_path: Path) -> None:
    runner = Narrow(QUAD)
    assert run(COMMAND + '[factors]\nrun = [""]\nsize = [1]\n', tmp_path, runner) == 1
    assert [words[:3] for words in runner.ran] == [["homenode", "run", "--"]]


@pytest.mark.lab
def test_a_node_that_no_machine_of_the_lab_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lab_or_skip("tiny-2x2")
    text = (
        COMMAND.replace("quad-4x2", "tiny-2x2") + '[factors]\nrun = ["-m 1", "-m 7"]\nsize = [1]\n'
    )
    (tmp_path / "s.toml").write_text(text)
    assert cli.main([str(tmp_path / "s.toml"), "--out", str(tmp_path / "o")]) == 2
    said = capsys.readouterr().err
    assert (
        "run = '-m 7' on tiny-2x2: homenode run: cannot use '7': this machine has no node 7" in said
    )
