"""The Fortran module, compiled strictly as Fortran 2008."""

import subprocess
from pathlib import Path

import example_programs as examples
import pytest


@pytest.mark.skipif(examples.missing("columns.f90") is not None, reason="needs gfortran")
def test_the_module_says_what_the_library_says(tmp_path: Path) -> None:
    source = examples.ROOT / "tests" / "capi" / "module_test.f90"
    program = examples.build([*examples.COMPILERS["columns.f90"], str(source)], tmp_path / "module")
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
