"""`homenode measure` with GPUs: by a CUDA driver that is made for tests."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from json_documents import errors

SOURCE = Path(__file__).parents[2] / "measure" / "gpus" / "fake_cuda.c"
WORDS = ["--only", "gpus", "--no-progress", "--size", "4M", "--runs", "2"]
Measure = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("driver")
    library = folder / "libcuda.so.1"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(SOURCE)], check=True)
    return folder


@pytest.fixture
def measure(command: str, driver: Path) -> Measure:
    def run(*words: str, fail: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [command, "measure", *WORDS, *words],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"LD_LIBRARY_PATH": str(driver), "FAKE_CUDA": fail},
        )

    return run


def test_every_node_has_figures_of_the_gpu(
    measure: Measure,
) -> None:
    result = measure("--json")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert not errors(report, "homenode.measure")
    (gpu,) = report["gpus"]
    assert (gpu["model"], gpu["driver"]) == ("A GPU for tests", "CUDA 13.2")
    assert gpu["pci"] == "0000:af:00.0"
    assert [figure["node"] for figure in gpu["figures"]] == report["targets"]
    for figure in gpu["figures"]:
        assert figure["to_gpu_mib_per_s"]["median"] == pytest.approx(10e9 / 2**20, rel=0.01)
        assert figure["from_gpu_mib_per_s"]["median"] == pytest.approx(20e9 / 2**20, rel=0.01)
        assert figure["latency_ns"]["median"] == pytest.approx(800, rel=0.01)


def test_the_machines_xml_keeps_them(measure: Measure, tmp_path: Path) -> None:
    file = tmp_path / "machine.xml"
    result = measure("--output", str(file))
    assert result.returncode == 0, result.stderr
    assert "A GPU for tests" in result.stdout
    assert 'name="homenode:Gpu.0000:af:00.0" value="node 0: 95' in file.read_text()


def test_a_machine_without_one_says_so(measure: Measure) -> None:
    result = measure(fail="none")
    assert (result.returncode, result.stdout) == (3, "")
    assert "there is no GPU to measure" in result.stderr


def test_a_driver_that_does_not_start_says_why(measure: Measure) -> None:
    result = measure(fail="init")
    assert (result.returncode, result.stdout) == (1, "")
    assert "the CUDA driver cannot start: made to fail (999)" in result.stderr
