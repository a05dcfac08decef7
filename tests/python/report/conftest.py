"""Records for the report's tests: made by the study itself over a synthetic lab."""

import dataclasses
import io
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
STUDIES = TESTS.parents[1] / "studies"
sys.path.insert(0, str(TESTS / "study"))  # For synthetic.py, which both rooms' tests use.


@pytest.fixture(scope="session")
def make_records(tmp_path_factory: pytest.TempPathFactory) -> object:
    """Runs a study of the catalogue once on its synthetic machine; gives its records' folder."""
    from synthetic import HP, QUAD, FakeRunner

    from homenode.study import spec
    from homenode.study.progress import PlainProgress
    from homenode.study.records import RecordStore
    from homenode.study.session import run_study

    def make(name: str, answers: dict[str, object] | None = None) -> Path:
        folder = tmp_path_factory.mktemp(name)
        runner = FakeRunner({"demo": QUAD, "luo2012": HP}[name], answers)
        study = dataclasses.replace(spec.load(STUDIES / f"{name}.toml"), repetitions=1)
        with RecordStore(folder) as store, PlainProgress(io.StringIO()) as progress:
            run_study(study, lambda machine: runner, store, progress)
        return folder

    return make
