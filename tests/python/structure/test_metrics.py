"""What ./dev metrics measures may only get better; each rule shows here that it can fail."""

import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from metrics.commits import is_subject, measure_commits
from metrics.complexity import measure_complexity
from metrics.documents import measure_documents
from metrics.duplicates import measure_duplicates
from metrics.homes import measure_homes
from metrics.kernel import measure_kernel
from metrics.ratchet import (
    FILE,
    Ratchet,
    fallen,
    lowered,
    measure_all,
    parse_ratchet,
    risen,
)
from metrics.sizes import measure_sizes
from metrics.tree import Measure, Tree, read_tree

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / FILE).read_text()

MakeTree = Callable[[dict[str, str]], Tree]


@cache
def of_this_tree() -> dict[str, Measure]:
    return {m.name: m for m in measure_all(read_tree(ROOT), parse_ratchet(TEXT))}


@pytest.fixture
def tree_of(tmp_path: Path) -> MakeTree:
    def make(files: dict[str, str]) -> Tree:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return read_tree(tmp_path)

    return make


def values(measures: list[Measure]) -> dict[str, int]:
    return {m.name: m.value for m in measures}


@pytest.mark.parametrize("name", parse_ratchet(TEXT).allowed)
def test_nothing_rises(name: str) -> None:
    measure, allowed = of_this_tree()[name], parse_ratchet(TEXT).allowed[name]
    assert measure.value <= allowed, f"see ./dev metrics --show {name}: {measure.places[:20]}"


def test_every_measure_has_an_allowed_value() -> None:
    assert set(of_this_tree()) == set(parse_ratchet(TEXT).allowed)


def test_what_is_excepted_is_there() -> None:
    assert [h for h in parse_ratchet(TEXT).shared_headers if not (ROOT / h).is_file()] == []


def test_a_complex_function_is_counted(tree_of: MakeTree) -> None:
    branches = "".join(f"  if (x == {n}) return {n};\n" for n in range(15))
    c = f"int many(int x) {{\n{branches}  return 0;\n}}\nint one() {{ return 1; }}\n"
    python = "def many(x):\n" + "".join(f"    if x == {n}:\n        pass\n" for n in range(16))
    tree = tree_of({"src/a/a.cpp": c, "python/homenode/b.py": python})
    assert values(measure_complexity(tree)) == {
        "functions_above_complexity_15": 2,
        "highest_complexity": 17,
    }


def test_long_and_short_files_are_counted(tree_of: MakeTree) -> None:
    tree = tree_of({"src/a.cpp": "\n" * 401, "src/cli/b.cpp": "\n" * 29, "src/c.h": "\n" * 30})
    assert values(measure_sizes(tree)) == {
        "longest_file_lines": 401,
        "files_above_400_lines": 1,
        "src_files_below_30_lines": 1,
        "src_cli_files": 1,
    }


def test_a_kernel_header_that_its_room_is_not_allowed_is_counted(tree_of: MakeTree) -> None:
    files = {
        "src/os/a.cpp": "#include <sys/mman.h>\n",
        "src/heap/b.cpp": "#include <sys/mman.h>\n#include <linux/futex.h>\n#include <vector>\n",
        "src/new/c.cpp": "# include <unistd.h>\n",
    }
    measures = measure_kernel(tree_of(files), {"heap": ["sys/mman.h"]})
    assert values(measures) == {"kernel_includes_outside_os": 3, "kernel_headers_not_allowed": 2}
    assert measures[1].places == [
        "src/heap/b.cpp includes <linux/futex.h>",
        "src/new/c.cpp includes <unistd.h>",
    ]


def test_a_function_that_another_source_defines_is_counted(tree_of: MakeTree) -> None:
    files = {
        "src/a/x.h": "namespace n { int here(); int there(int a,\n int b); int nowhere();\n"
        "class C { void one(); void part(); void away(); }; }\n",
        "src/a/x.cpp": "namespace n { int here() { return 1; } void C::one() {} }\n",
        "src/a/x_part.cpp": "namespace n { void C::part() {} }\n",
        "src/a/y.cpp": "namespace n { int there(int a, int b) { return a + b; }\n"
        "void C::away() {} int nowhere_else() { return nowhere(); } }\n",
    }
    (measure,) = measure_homes(tree_of(files), [])
    assert sorted(measure.places) == [
        "src/a/x.h:1: n::there is defined in src/a/y",
        "src/a/x.h:3: n::C::away is defined in src/a/y",
    ]
    assert measure_homes(tree_of(files), ["src/a/x.h"])[0].value == 0


def test_files_that_share_lines_are_counted(tree_of: MakeTree) -> None:
    body = "".join(
        f"  total += weigh(part[{n}], {n});\n  check(total);\n  seen.push_back({n} * total);\n"
        for n in range(2)
    )
    other = body.replace("total", "sum").replace("+=", "-=")
    files = {
        "src/a.cpp": f"// One.\n{body}",
        "src/b.cpp": f"#include <vector>\n{body.replace('  ', '    ')}",
        "src/c.cpp": body.replace("total", "sum"),
        "src/d.cpp": other,
        "src/e.cpp": "\n".join(body.splitlines()[:5]),
        "src/list.h": "".join(f"  int one_{n} = {n};\n  Name two_{n};\n" for n in range(4)),
        "src/other_list.h": "".join(f"  int a_{n} = {n};\n  Text b_{n};\n" for n in range(4)),
    }
    assert values(measure_duplicates(tree_of(files))) == {
        "pairs_of_files_with_same_lines": 1,
        "pairs_of_files_with_alike_lines": 3,
    }


def test_a_path_that_is_named_and_missing_is_counted(tree_of: MakeTree) -> None:
    files = {
        "docs/a.md": "See `src/a/gone.h`, `src/a/x.h`, `a/x.h`, [there](b.md), [not](c.md#d),\n"
        "`gone.cpp`, `x.h`, `src/a/<name>.h`, `/proc/self/maps` and https://example.org/a/b.md.\n",
        "docs/b.md": "`other/place.c`, `src/others/y.h`\n",
        "src/a/x.h": "// See a/x.h, a/lost.h and sys/mman.h.\nint x;  // docs/b.md, ../a/x.h\n",
        "src/a/y.py": '"""Like a/x.h, unlike a/none.h."""\nx = "a/text.h"  \x23 docs/d.md\n',
    }
    (measure,) = measure_documents(tree_of(files), ["src/others/y.h"])
    assert measure.places == [
        "docs/a.md names c.md",
        "docs/a.md names gone.cpp",
        "docs/a.md names src/a/gone.h",
        "src/a/x.h names a/lost.h",
        "src/a/y.py names a/none.h",
        "src/a/y.py names docs/d.md",
    ]


@pytest.mark.parametrize(
    ("subject", "right"),
    [
        ("tests: wait for the peer's end of the pipe", True),
        ("src/cli: move parsing into folders", True),
        ("launch, trial: name the rooms", True),
        ("launch,: name the rooms", False),
        ("Fix the thing", False),
        ("heap:no space", False),
        ("Heap: lend blocks", False),
        ("heap: lend blocks.", False),
        ("heap: lend " + "b" * 61, True),
        ("heap: lend " + "b" * 62, False),
    ],
)
def test_subjects_of_commits_have_a_form(subject: str, right: bool) -> None:
    assert is_subject(subject) is right


def test_commits_are_looked_at_in_a_shallow_clone_too(tmp_path: Path) -> None:
    def git(*words: str, folder: Path) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(folder), *words],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    whole, shallow = tmp_path / "whole", tmp_path / "shallow"
    whole.mkdir()
    git("init", "-q", folder=whole)
    for subject in ("Before", "os: ask once", "Another form"):
        git("commit", "-q", "--allow-empty", "-m", subject, folder=whole)
    base = git("rev-parse", "HEAD~2", folder=whole)
    assert [p.split(" ", 1)[1] for p in measure_commits(whole, base)[0].places] == ["Another form"]
    git("clone", "-q", "--depth=1", f"file://{whole}", str(shallow), folder=tmp_path)
    assert measure_commits(shallow, base)[0].value == 1
    assert measure_commits(tmp_path, base)[0].value == 0  # No clone at all.


def test_the_ratchet_sees_what_rose_and_writes_what_fell() -> None:
    text = (
        'base = "0"\npaths_of_others = []\n[allowed]\na = 3\nb = 12\nc = 1\n'
        '\n[kernel_headers]\nheap = ["poll.h", "sched.h"]\nlab = ["fcntl.h"]\n\n[shared_headers]\n'
    )
    ratchet = parse_ratchet(text)
    assert ratchet == Ratchet(
        {"a": 3, "b": 12, "c": 1}, {"heap": ["poll.h", "sched.h"], "lab": ["fcntl.h"]}, {}, [], "0"
    )
    measures = [Measure("a", 4, []), Measure("b", 2, []), Measure("c", 1, []), Measure("d", 1, [])]
    assert [m.name for m in risen(measures, ratchet)] == ["a", "d"]
    assert [m.name for m in fallen(measures, ratchet)] == ["b"]
    assert lowered(text, measures, {"heap": ["sched.h", "unistd.h"]}) == (
        text.replace("b = 12", "b = 2")
        .replace('heap = ["poll.h", "sched.h"]\n', 'heap = ["sched.h"]\n')
        .replace('lab = ["fcntl.h"]\n', "")
    )
