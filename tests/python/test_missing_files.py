"""A file that is named and is not there is exit code 1 for every verb: the words made sense.

A name that stands for nothing, such as a machine's or a device's, is bad usage, exit code 2.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from homenode import man
from homenode.verbs import BUILT_IN

MISSING = "/nonexistent/folder/file"
RECORDS = str(Path(__file__).parent / "report/data/records-v2.jsonl")
FAILED, USAGE, LAUNCHER_FAILED = 1, 2, 125
# Every way to name a file that is read, by verb: the words, and MISSING.
INPUTS = [
    ("topology", "--input", MISSING),
    ("topology", "--machine", f"{MISSING}.xml"),
    ("where", "--file", MISSING),
    ("bench", "gather", "--file", MISSING),
    ("run", "--file", MISSING, "--dump"),
    ("run", "--shm", MISSING, "--dump"),
    ("run", "--recipe", MISSING, "true"),
    ("balance", "--all", "--once", "--config", MISSING),
    ("tune", "--machine", f"{MISSING}.xml", "--", "true"),
    ("run", "--near", f"file:{MISSING}", "true"),
    ("run", "-m", f"file:{MISSING}", "true"),
    ("lab", "run", "--machine", f"{MISSING}.xml", "--", "true"),
    ("lab", "enter", "--machine", MISSING),
    ("lab", "show", MISSING),
    ("lab", "new", MISSING),
    ("study", f"{MISSING}.toml"),
    ("study", "--dry-run", "demo", "--machine", MISSING),
    ("report", MISSING),
    ("report", RECORDS, "--claims", "--claims-from", MISSING),
    ("profile", "show", MISSING),
    ("profile", "diff", MISSING, MISSING),
    ("profile", "export", MISSING, "--as", "csv"),
    ("profile", "import", MISSING, "--samples", "/dev/null"),
    ("profile", "import", "/dev/null", "--samples", "/dev/null", "--topology", MISSING),
    ("profile", "--samples", MISSING, "--", "true"),
    ("profile", "--machine", f"{MISSING}.xml", "--", "true"),
]
NAMES = [
    ("topology", "--machine", "no-such-machine"),
    ("run", "--near", "no-such-device", "true"),
    ("lab", "show", "no-such-machine"),
    ("study", "no-such-study"),
    ("study", "--dry-run", "demo", "--machine", "no-such-machine"),
]
WRITTEN = {"--output", "--svg", "--xml", "--snapshot", "--seismogram", "--timeline", "--json"} | {
    "--samples",
    "--csv",
    "--markdown",
    "--log",
    "--metrics",
    "--html",
    "--report",
    "--state",  # Of balance; what is not there yet has nothing to put back.
}


def passes_on(words: tuple[str, ...]) -> bool:
    """Whether the exit code would be that of a program."""
    return (words[-1] == "true" and words[0] != "tune") or words[:2] == ("lab", "enter")


def run(words: tuple[str, ...], given: str = "") -> subprocess.CompletedProcess[str]:
    command = shutil.which("homenode")
    if command is None:
        pytest.skip("homenode is not on PATH; run the tests through ./dev test")
    return subprocess.run(
        [command, *words], capture_output=True, text=True, check=False, input=given
    )


@pytest.mark.parametrize("words", INPUTS, ids=" ".join)
def test_a_file_that_is_not_there_is_a_failure_in_one_line(words: tuple[str, ...]) -> None:
    done = run(words)
    code = LAUNCHER_FAILED if passes_on(words) else FAILED
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert done.stderr.startswith("homenode ") and done.stderr.count("\n") == 1
    assert MISSING in done.stderr and "; " in done.stderr


@pytest.mark.parametrize("words", NAMES, ids=" ".join)
def test_a_name_that_stands_for_nothing_is_bad_usage(words: tuple[str, ...]) -> None:
    done = run(words)
    code = LAUNCHER_FAILED if passes_on(words) else USAGE
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert done.stderr.startswith("homenode ") and done.stderr.count("\n") == 1


def options_with_files(page: str) -> set[str]:
    """The options of a man page whose value is a file, each by its last name."""
    terms = re.findall(r"^\.TP\n(.*)$", page, re.MULTILINE)
    plain = [re.sub(r"\\f[BIR]|\\&", "", term).replace("\\-", "-") for term in terms]
    found = (re.fullmatch(r"(?:.*, )?(-\S+) \S*FILE\S*", term) for term in plain)
    return {option[1] for option in found if option}


@pytest.mark.parametrize("verb", [*BUILT_IN, *man.VERBS])
def test_every_option_whose_value_is_a_file_is_read_here_or_written(verb: str) -> None:
    if verb in BUILT_IN:
        page = run(("--man-page", verb)).stdout
    else:
        page = run(("--man-page", "-"), json.dumps(man.description(man.VERBS[verb]))).stdout
    options = options_with_files(page)
    assert options, "every verb has --machine or --json"
    assert options <= WRITTEN | {word for words in INPUTS for word in words}
