"""Which lock guards what in the malloc is written as clang's annotations (src/heap/lock.h); this
has clang's analysis look at each source, by way of clang-tidy."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SOURCES = sorted((ROOT / "src" / "heap").glob("*.cpp"))
WARNING = re.compile(r"^.*: (?:warning|error): .*$", re.MULTILINE)
# clang-tidy wants a check of its own beside the compiler's warnings; this one is quick.
CHECKS = "-*,clang-diagnostic-thread-safety*,clang-diagnostic-error,misc-static-assert"

pytestmark = pytest.mark.skipif(not shutil.which("clang-tidy"), reason="clang-tidy is missing")


def warnings(source: Path) -> list[str]:
    """What the analysis says of a source."""
    tidy = f"clang-tidy --quiet --checks={CHECKS} --extra-arg=-Wthread-safety"
    compiler = f"-- -std=c++20 -I{ROOT}/src -I{ROOT}/include -D_GNU_SOURCE -DHN_HEAP_SHARED"
    command = [*tidy.split(), str(source), *compiler.split()]
    result = subprocess.run(command, capture_output=True, text=True)
    assert "no checks enabled" not in result.stderr.lower(), result.stderr
    return WARNING.findall(result.stdout)


@pytest.mark.parametrize("source", SOURCES, ids=lambda p: p.name)
def test_what_a_lock_guards_is_used_by_its_holders_alone(source: Path) -> None:
    assert warnings(source) == []


def test_a_missing_lock_is_seen(tmp_path: Path) -> None:
    source = tmp_path / "wrong.cpp"
    source.write_text(
        '#include "heap/arena.h"\n'
        "using namespace homenode::heap;\n"
        "void right(Arena& arena) { const Guard guard(arena.lock); ++arena.mapped_bytes; }\n"
        "void wrong(Arena& arena) { ++arena.mapped_bytes; }\n"
    )
    assert len(warnings(source)) == 1
    assert "'mapped_bytes'" in warnings(source)[0]
