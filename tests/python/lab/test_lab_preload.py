"""homenode.lab.preload: QEMU's fma() gives what the operation is defined to give."""

import ctypes
import math
import random
from fractions import Fraction
from pathlib import Path

import pytest

from homenode.lab import Lab, artefacts, preload

CPU_HAS_FMA = preload.has_fma()
needs_fma = pytest.mark.skipif(not CPU_HAS_FMA, reason="this CPU has no fused multiply-add")


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    found = ctypes.CDLL(str(artefacts.find(artefacts.FMA)))
    found.fma.restype, found.fma.argtypes = ctypes.c_double, [ctypes.c_double] * 3
    found.fmaf.restype, found.fmaf.argtypes = ctypes.c_float, [ctypes.c_float] * 3
    return found


@needs_fma
class TestFma:
    def test_it_rounds_once(self, library: ctypes.CDLL) -> None:
        chance = random.Random(7)
        for _ in range(2000):
            x, y = chance.uniform(-2, 2), chance.uniform(-2, 2)
            z = -x * y * (1 + chance.choice([0, 1e-16, 1e-8, 1]))  # Most of the product goes.
            exact = Fraction(x) * Fraction(y) + Fraction(z)
            assert library.fma(x, y, z) == float(exact)  # Python rounds a fraction rightly.

    def test_of_single_precision_too(self, library: ctypes.CDLL) -> None:
        assert library.fmaf(1 + 2**-12, 1 + 2**-12, -1) == 2**-11 + 2**-24

    def test_infinities_and_nothing(self, library: ctypes.CDLL) -> None:
        assert library.fma(math.inf, 2.0, -1.0) == math.inf
        assert math.isnan(library.fma(math.inf, 0.0, 1.0))
        assert math.copysign(1.0, library.fma(-0.0, 1.0, -0.0)) == -1.0


class TestEnvironment:
    @needs_fma
    def test_what_was_preloaded_before_still_is(self, monkeypatch: pytest.MonkeyPatch) -> None:
        library = artefacts.find(artefacts.FMA)
        monkeypatch.delenv("LD_PRELOAD", raising=False)
        assert preload.environment()["LD_PRELOAD"] == str(library)
        monkeypatch.setenv("LD_PRELOAD", "/lib/other.so")
        assert preload.environment()["LD_PRELOAD"] == f"{library}:/lib/other.so"

    @pytest.mark.parametrize(
        "text", ["flags\t\t: fpu sse2 avx fma4\n", "Features : fp asimd\n", ""]
    )
    def test_a_cpu_without_it_gets_none(
        self, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "cpuinfo").write_text(text)
        monkeypatch.setattr(preload, "CPUINFO", tmp_path / "cpuinfo")
        monkeypatch.delenv("LD_PRELOAD", raising=False)
        assert "LD_PRELOAD" not in preload.environment()

    def test_a_file_that_cannot_be_read_tells_of_none(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(preload, "CPUINFO", tmp_path / "none")
        assert not preload.has_fma()


@needs_fma
def test_qemu_has_it(quad: Lab) -> None:
    maps = Path(f"/proc/{quad.pid}/maps").read_text()
    assert artefacts.FMA in maps
