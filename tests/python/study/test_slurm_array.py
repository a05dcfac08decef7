"""A study of 40 runs on a Slurm of four nodes, one of which is killed half-way."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import study_of_40 as forty
from slurm_cluster import SlurmCluster, need

pytestmark = pytest.mark.long


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[SlurmCluster]:
    need()
    folder = tmp_path / "slurm"
    folder.mkdir()
    with SlurmCluster(folder) as cluster:
        yield cluster


def test_no_record_is_lost_or_doubled_when_a_node_is_killed(
    tmp_path: Path, slurm: SlurmCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(forty.ENVIRONMENT, "SLURM_CONF", slurm.environment["SLURM_CONF"])
    file = forty.written(tmp_path)
    alone = forty.start(file, tmp_path / "alone")
    said = alone.communicate()
    assert alone.returncode == 0, said
    study = forty.start(file, tmp_path / "fleet", "--on", "slurm")
    while forty.kept(tmp_path / "fleet") < forty.RUNS // 2:
        assert study.poll() is None, study.communicate()
        time.sleep(0.05)
    slurm.nodes[0].kill()
    said = study.communicate()
    assert study.returncode == 0, said
    forty.check_same_as_alone(tmp_path / "alone", tmp_path / "fleet")
    assert not (tmp_path / "fleet" / "slurm").exists()
