"""What only the command can judge of a study's values is told before anything runs."""

from pathlib import Path

import pytest
from synthetic import QUAD, FakeRunner

from homenode.study import cli

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
