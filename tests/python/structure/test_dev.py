"""The script dev: how a failed test is named, and what build passes on."""

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

DEV = Path(__file__).resolve().parents[3] / "dev"
FAILS = """[ RUN      ] Suite.Good
[       OK ] Suite.Good (0 ms)
[ RUN      ] Suite.Bad
[  FAILED  ] Suite.Bad (0 ms)
[ RUN      ] Of/Suite.Each/3
[  FAILED  ] Of/Suite.Each/3, where GetParam() = 3 (0 ms)
[  FAILED  ] 2 tests, listed below:
"""
CRASHES = "[ RUN      ] Suite.Good\n[       OK ] Suite.Good (0 ms)\n[ RUN      ] Suite.Ends\n"


def function_of_dev(name: str) -> str:
    """The text of one of the script's functions."""
    function = re.search(rf"^{name}\(\) \{{\n.*?^\}}\n", DEV.read_text(), re.M | re.S)
    assert function
    return function[0]


@pytest.mark.parametrize(
    ("output", "status", "repeated"),
    [
        (FAILS, 1, ["--gtest_filter='Suite.Bad'", "--gtest_filter='Of/Suite.Each/3'"]),
        (CRASHES, 1, ["--gtest_filter='Suite.Ends'"]),
        ("no test of GoogleTest\n", 3, ["ctest --preset asan -R '^some_test$'"]),
        ("[ RUN      ] Suite.Good\n[       OK ] Suite.Good (0 ms)\n", 0, []),
    ],
)
def test_what_failed_is_named(
    tmp_path: Path, output: str, status: int, repeated: list[str]
) -> None:
    build = tmp_path / "build" / "asan"
    (build / "bin").mkdir(parents=True)
    program = build / "bin" / "some_test"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{output}END\nexit {status}\n")
    program.chmod(0o755)
    (build / "CTestTestfile.cmake").write_text(f'add_test(some_test "{program}")\n')
    presets = {
        "version": 6,
        "configurePresets": [{"name": "asan", "generator": "Ninja", "binaryDir": str(build)}],
        "testPresets": [{"name": "asan", "configurePreset": "asan"}],
    }
    (tmp_path / "CMakePresets.json").write_text(json.dumps(presets))
    done = subprocess.run(
        ["bash", "-c", f"root={tmp_path}\n{function_of_dev('unit_tests')}unit_tests asan"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) == (status == 0)
    lines = [line for line in done.stderr.splitlines() if line.startswith("repeat it: ")]
    assert [line.split(" ", 2)[2] for line in lines] == [
        words
        if words.startswith("ctest")
        else f"HWLOC_PLUGINS_PATH=/nonexistent LSAN_OPTIONS=suppressions=tests/leaks.supp "
        f"build/asan/bin/some_test {words}"
        for words in repeated
    ]


@pytest.mark.parametrize(
    ("words", "passed"),
    [
        ("", ["--preset", "release"]),
        ("debug", ["--preset", "debug"]),
        ("asan --target 'a test' -j 2", ["--preset", "asan", "--target", "a test", "-j", "2"]),
        ("--target x", ["--preset", "release", "--target", "x"]),
    ],
)
def test_options_of_build_reach_cmake(tmp_path: Path, words: str, passed: list[str]) -> None:
    command = re.search(r"^  build\) (.*) ;;$", DEV.read_text(), re.M)
    assert command
    stubs = "setup() { :; }; say() { :; }; configure() { :; }; cmake() { printf '%s\\n' \"$@\"; }"
    done = subprocess.run(
        [
            "bash",
            "-euc",
            f"{stubs}\n{function_of_dev('build')}\nset -- build {words}\n{command[1]}",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["--build", *passed]


def test_the_demo_builds_the_pages_that_the_readme_names(tmp_path: Path) -> None:
    """Not the tests, which take longer than all else."""
    readme = (DEV.parent / "README.md").read_text()
    assert "man build/release/man/homenode.1" in readme
    stubs = "; ".join(
        f"{name}() {{ :; }}" for name in ("setup", "say", "configure", "homenode", "show_next")
    )
    cmake = "cmake() { printf '%s\\n' \"$@\"; }"
    functions = function_of_dev("build") + function_of_dev("demo")
    done = subprocess.run(
        ["bash", "-euc", f"root={tmp_path}\n{stubs}; {cmake}\n{functions}\ndemo"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    words = done.stdout.splitlines()
    assert words[words.index("--target") + 1 :] == ["src/all", "man_pages"]


@pytest.mark.parametrize(
    ("terminal", "more", "bold"),
    [(True, {}, True), (True, {"NO_COLOR": "1"}, False), (False, {}, False)],
)
def test_escapes_go_to_terminals_alone(terminal: bool, more: dict[str, str], bold: bool) -> None:
    reader, writer = pty.openpty() if terminal else os.pipe()
    try:
        subprocess.run(
            ["bash", "-euc", f"{function_of_dev('say')}say building"],
            stderr=writer,
            env={"PATH": os.environ["PATH"]} | more,
            check=True,
        )
        said = os.read(reader, 4096).decode()
    finally:
        os.close(reader)
        os.close(writer)
    assert "== building" in said
    assert ("\x1b[" in said) == bold


ONLY_TESTS_NEED = {"chromium", "gfortran", "clang", "libopenmpi-dev", "mpich", "universal-ctags"}


@pytest.mark.parametrize("kind", ["demo", "all"])
def test_the_demo_installs_only_what_it_needs(tmp_path: Path, kind: str) -> None:
    lists = re.findall(r"^readonly packages_\w+=\([^)]*\)$", DEV.read_text(), re.M)
    stubs = (
        'say() { echo "said $*"; }; die() { exit 1; }; distribution() { echo debian-12; }; '
        'as_root() { echo "$@"; }; packages_missing() { echo "$@"; }; '
        "backports() { echo suite; }; enable_backports() { :; }; unpack_kernel() { :; }; "
        "download_size() { echo 12 MB; }; "
    )
    functions = function_of_dev("install_packages")
    script = "\n".join([*lists, stubs, functions, f"install_packages {kind}"])
    said = subprocess.run(
        ["bash", "-euc", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "/usr/bin:/bin", "cache": str(tmp_path)},
    ).stdout
    installed = {
        word for line in said.splitlines() if "apt-get install" in line for word in line.split()
    }
    assert {"cmake", "qemu-system-x86"} <= installed
    assert installed & ONLY_TESTS_NEED == (ONLY_TESTS_NEED if kind == "all" else set())
    fetched = said.index("to fetch: 12 MB")
    assert fetched < said.index("apt-get install")


def test_the_demo_ends_with_the_command_and_three_to_try() -> None:
    done = subprocess.run(
        ["bash", "-euc", f"say() {{ :; }}; root=/r\n{function_of_dev('show_next')}show_next"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(re.findall(r"^   /r/build/release/bin/homenode \w", done.stderr, re.M)) == 3
    assert function_of_dev("demo").rstrip("}\n ").count("show_next") == 1
