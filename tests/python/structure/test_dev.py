"""The script dev: how a failed test is named, and what build passes on."""

import json
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
