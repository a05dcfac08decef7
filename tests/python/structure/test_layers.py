"""The layer rule is data (layers.toml); this test fails on every include that it does not allow."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LAYERS = tomllib.loads((ROOT / "layers.toml").read_text())
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SYSTEM_CALL_HEADERS = re.compile(
    r"^\s*#\s*include\s+<(sys/(syscall|mman|wait|prctl)\.h|sched\.h|numa.*\.h|fcntl\.h)>",
    re.MULTILINE,
)
SOURCES = sorted(p for p in (ROOT / "src").rglob("*") if p.suffix in {".h", ".c", ".cpp"})


def forbidden(file: str, text: str) -> list[str]:
    """The includes of src/<file> that layers.toml does not allow."""
    room = file.split("/")[0]
    if room not in LAYERS["rooms"]:
        return [f"room {room} is not in layers.toml"]
    sees = LAYERS["rooms"][room]["sees"]
    wrong = []
    for target in INCLUDE.findall(text):
        if "/" not in target or target.split("/")[0] == room:
            continue
        target_room = target.split("/")[0]
        pure = file in LAYERS["pure"]["files"]
        raw = target in LAYERS["raw_calls"]
        if target_room in sees and not (pure and target_room == "os") and not raw:
            continue
        if "freestanding" in sees and target in LAYERS["freestanding"]:
            continue
        wrong.append(target)
    return wrong


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_includes_follow_the_layers(path: Path) -> None:
    file = str(path.relative_to(ROOT / "src"))
    assert forbidden(file, path.read_text()) == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_the_pure_middle_makes_no_system_calls(path: Path) -> None:
    file = path.relative_to(ROOT / "src")
    if str(file) in LAYERS["raw_calls"]:
        return
    if file.parts[0] in {"base", "machine", "access", "placement"}:
        assert not SYSTEM_CALL_HEADERS.search(path.read_text())


def test_the_rule_can_fail() -> None:
    assert forbidden("placement/x.cpp", '#include "os/os.h"\n') == ["os/os.h"]
    assert forbidden("workloads/x.cpp", '#include "base/result.h"\n') == ["base/result.h"]
    assert forbidden("actuation/plan.cpp", '#include "os/os.h"\n') == ["os/os.h"]
    assert forbidden("os/x.cpp", '#include "base/raw_call.h"\n') == ["base/raw_call.h"]
    assert forbidden("heap/x.cpp", '#include "base/raw_call.h"\n') == []
    assert forbidden("nowhere/x.cpp", "") == ["room nowhere is not in layers.toml"]


PYTHON = ROOT / "python" / "homenode"
PYTHON_SEES: dict[str, set[str]] = {
    "draw": {"draw"},
    "fleet": {"fleet"},
    "lab": {"draw", "lab", "profile"},
    "study": {"lab", "study"},
    "claims": {"lab", "study", "claims"},
    "report": {"claims", "draw", "lab", "study", "report"},
    "profile": {"draw", "lab", "study", "report", "profile"},
}
IMPORT = re.compile(r"^\s*(?:from|import) homenode\.(\w+)", re.MULTILINE)
IMPORT_FROM = re.compile(r"^\s*from homenode import (.+)", re.MULTILINE)


def packages(text: str) -> set[str]:
    """The packages of homenode that a module's text imports."""
    names = set(IMPORT.findall(text))
    for line in IMPORT_FROM.findall(text):
        names |= {name.split()[0] for name in line.split(",")}
    return names & set(PYTHON_SEES)


@pytest.mark.parametrize("package", PYTHON_SEES)
def test_python_packages_import_only_those_below(package: str) -> None:
    seen = {p.name: packages(p.read_text()) for p in (PYTHON / package).rglob("*.py")}
    assert seen
    assert {name: wrong for name, s in seen.items() if (wrong := s - PYTHON_SEES[package])} == {}


def test_the_python_rule_can_fail() -> None:
    assert packages("from homenode import study, errors\n") == {"study"}
    assert packages("    import homenode.report.page as page\n") == {"report"}


def test_the_layers_have_no_cycle() -> None:
    rooms = LAYERS["rooms"]
    done: set[str] = {"freestanding", "homenode"}
    while remaining := {r for r in rooms if r not in done}:
        ready = {r for r in remaining if set(rooms[r]["sees"]) <= done}
        assert ready, f"cycle among {sorted(remaining)}"
        done |= ready
