"""What a look at a file's text finds sooner than clang-tidy, or finds only in a file of its own.

./dev lint gives clang-tidy several files as one, and half of its time would go on reserved names.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SOURCES = sorted(p for p in (ROOT / "src").rglob("*") if p.suffix in {".c", ".cpp"})
INCLUDED_SOURCE = re.compile(r'^\s*#\s*include\s+["<]([^">]+\.(?:c|cpp))[">]', re.MULTILINE)
NAME = re.compile(r"^\s*(?:using [\w:]*::(\w+)|namespace (\w+) = [\w:]+);", re.MULTILINE)


def faults(text: str) -> list[str]:
    """Sources that a source includes, and names that it takes over and never uses."""
    names = [using or alias for using, alias in NAME.findall(text)]
    rest = NAME.sub("", text)
    unused = [name for name in names if not re.search(rf"\b{name}\b", rest)]
    return INCLUDED_SOURCE.findall(text) + unused


FILES = sorted(p for p in (ROOT / "src").rglob("*") if p.suffix in {".h", ".c", ".cpp"})
# A name that is the compiler's or libc's where it is declared or defined as one's own.
RESERVED = re.compile(
    r"(?:#\s*define|\b(?:struct|class|enum|union|namespace|using)|[\w>]\s*[&*]?)\s+"
    r"((?:_[A-Z]|__|[a-z]\w*__)\w*)\b(?!\s*\()"
)
# What the compiler and libc ask a program to say: their switches, keywords and types.
THEIRS = re.compile(
    r"_GNU_SOURCE|_SC_\w+|_Noreturn|__(?:atomic|builtin|ATOMIC)_\w+|__attribute__|__asm__|__has_builtin"
    r"|__(?:m128i|x86_64__|clang__|GNUC__|AVX2__|SSE2__|SANITIZE_\w+)|__rseq_\w+"
)
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.DOTALL)


def reserved(text: str) -> list[str]:
    """Reserved names that a file declares for itself."""
    bare = COMMENT_OR_TEXT.sub('""', text)
    return [name for name in RESERVED.findall(bare) if not THEIRS.fullmatch(name)]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_file_declares_no_reserved_name(path: Path) -> None:
    assert reserved(path.read_text()) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("#define _Mine 1\n", ["_Mine"]),
        ("int __mine = 1;\n", ["__mine"]),
        ("struct _Node {};\nint* a__b;\n", ["_Node", "a__b"]),
        ("#define _GNU_SOURCE\nint mine_;  // int __mine\n", []),
        ('auto x = __builtin_trap;\nauto* y = "int __z";\n', []),
    ],
)
def test_reserved_names_are_seen(text: str, wrong: list[str]) -> None:
    assert reserved(text) == wrong


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_source_includes_headers_and_uses_the_names_that_it_takes(path: Path) -> None:
    assert faults(path.read_text()) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("using machine::Node;\nNode node;\n", []),
        ("using machine::Node;\nNodes nodes;\n", ["Node"]),
        ("namespace map = workloads::map;\n", ["map"]),
        ('#include "cli/where.cpp"\n', ["cli/where.cpp"]),
    ],
)
def test_faults_are_seen(text: str, wrong: list[str]) -> None:
    assert faults(text) == wrong
