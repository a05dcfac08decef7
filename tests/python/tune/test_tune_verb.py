"""`homenode tune` on this host: what it prints, what it leaves, and that no process is left."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from json_documents import breaches, errors

from homenode.study.command import find_command
from homenode.tune import cli

SHORT = ["--budget", "6runs", "--candidates", "1"]
PRINTS = 'import sys; print("rate:", 5); sys.exit(0)'


def tune(folder: Path, *words: str) -> int:
    return cli.main([*SHORT, "--results", str(folder), *words])


def script(folder: Path, text: str) -> str:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_the_answer_is_text_and_json_and_runs_are_kept(tmp_path, capfd) -> None:
    out = tmp_path / "answer.json"
    assert tune(tmp_path / "r", "--json", str(out), "--", "true") == 0
    printed = capfd.readouterr()
    assert printed.out.startswith("as it is: ") and "6 runs in all" in printed.out
    document = json.loads(out.read_text())
    assert errors(document, "homenode.tune") == [] and list(breaches(document)) == []
    order = json.loads((tmp_path / "r" / "order.json").read_text())
    assert errors(order, "homenode.tune.order") == []
    lines = (tmp_path / "r" / "runs.jsonl").read_text().splitlines()
    assert len(lines) == 6
    for line in lines:
        assert errors(json.loads(line), "homenode.tune.run") == []
    assert tune(tmp_path / "r", "--json", "-", "--", "true") == 0
    assert json.loads(capfd.readouterr().out)["runs"] == 6
    assert len((tmp_path / "r" / "runs.jsonl").read_text().splitlines()) == 6
    assert not (tmp_path / "r" / "running").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--", "false"], "cannot measure the program as it is: it ended with exit code 1"),
        (["--", "/nonexistent/x"], "there is no program '/nonexistent/x'"),
        (["--metric", "rate", "--", "true"], "it printed nothing that matches 'rate'"),
        (["--timeout", "0.1", "--", "sleep", "60"], "it did not end within 0.1 s"),
        (
            ["--check", "echo wrong; false", "--", "true"],
            "--check failed after it with exit code 1",
        ),
        (["--load", "true", "--", "true"], "it ended with exit code 0"),
        (["--load", "true", "--ready", "false", "--", "sh", "-c", "exit 4"], "exit code 4"),
    ],
)
def test_a_program_that_cannot_be_measured_is_one_line(tmp_path, capfd, words, said) -> None:
    assert tune(tmp_path / "r", *words) == 1
    printed = capfd.readouterr()
    assert printed.out == ""
    assert said in printed.err and printed.err.count("\n") == 1


def test_a_program_that_cannot_run_twice_is_told(tmp_path, capfd) -> None:
    program = script(tmp_path, f"mkdir {tmp_path}/made")
    assert tune(tmp_path / "r", "--", program) == 1
    assert "--prepare" in capfd.readouterr().err
    again = ["--prepare", f"rm -rf {tmp_path}/made", "--", program]
    assert tune(tmp_path / "s", *again) == 0


def test_a_placement_that_fails_the_check_has_lost(tmp_path, capfd) -> None:
    program = script(tmp_path, 'echo "${LD_PRELOAD:-none}"')
    words = ["--ignore-output", "--check", "grep -qx none", "--", program]
    assert tune(tmp_path / "r", *words) == 0
    assert "--check failed after it with exit code 1" in capfd.readouterr().out


def test_a_placement_that_changes_the_output_has_lost(tmp_path, capfd) -> None:
    program = script(tmp_path, 'echo "${LD_PRELOAD:-none}"')
    assert tune(tmp_path / "r", "--", program) == 0
    assert "its output differs" in capfd.readouterr().out


def test_a_number_that_is_printed_is_compared(tmp_path, capfd) -> None:
    program = script(tmp_path, 'if [ "$LD_PRELOAD" ]; then echo rate: 10; else echo rate: 5; fi')
    words = ["--metric", r"rate: (\d+)", "--higher", "--budget", "20runs", "--", program]
    assert tune(tmp_path / "r", *words) == 0
    printed = capfd.readouterr().out
    assert "+100 % better" in printed and f"→ homenode run --malloc bind -- {program}" in printed


def test_a_recipe_is_applied_and_warns_elsewhere(tmp_path, capfd) -> None:
    program = script(tmp_path, 'if [ "$LD_PRELOAD" ]; then echo rate: 10; else echo rate: 5; fi')
    recipe, page = tmp_path / "recipe.json", tmp_path / "page.html"
    words = ["--metric", r"rate: (\d+)", "--higher", "--budget", "20runs", "--recipe", str(recipe)]
    words += ["--output", str(page), "--emit", "numactl"]
    assert tune(tmp_path / "r", *words, "--", program) == 0
    capfd.readouterr()
    document = json.loads(recipe.read_text())
    assert errors(document, "homenode.recipe") == [] and list(breaches(document)) == []
    assert f"homenode run --malloc bind -- {program}" in page.read_text()
    assert "http" not in page.read_text().replace("http://www.w3.org", "")
    applied = run_recipe(recipe, program)
    assert (applied.stdout, applied.stderr) == ("rate: 10\n", "")
    elsewhere = run_recipe(recipe, "true")
    assert elsewhere.returncode == 0 and f"was found for {program}, not true" in elsewhere.stderr
    document["machine"] = {"model": "another", "nodes": []}
    recipe.write_text(json.dumps(document))
    elsewhere = run_recipe(recipe, program)
    assert elsewhere.stdout == "rate: 10\n" and elsewhere.stderr.count("tune again") == 2


def run_recipe(recipe: Path, program: str) -> "subprocess.CompletedProcess[str]":
    words = [str(find_command()), "run", "--recipe", str(recipe), "--", program]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_no_recipe_is_written_where_nothing_is_better(tmp_path, capfd) -> None:
    assert tune(tmp_path / "r", "--recipe", str(tmp_path / "x.json"), "--", "false") == 1
    assert not (tmp_path / "x.json").exists()


SERVER = """
import socket, sys
with socket.create_server(("127.0.0.1", 0)) as server:
    with open(sys.argv[1], "w") as file:
        file.write(str(server.getsockname()[1]))
    while True:
        peer, _ = server.accept()
        peer.sendall(b"rate: 7\\n")
        peer.close()
"""
CLIENT = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(open(sys.argv[1]).read()))) as server:
    print(server.recv(100).decode())
"""


def test_a_server_is_put_under_load_and_ended(tmp_path, capfd) -> None:
    port = tmp_path / "port"
    (tmp_path / "client.py").write_text(CLIENT)
    load = f"{sys.executable} {tmp_path}/client.py {port}"
    words = ["--load", load, "--metric", r"rate: (\d+)", "--higher", "--"]
    assert tune(tmp_path / "r", *words, sys.executable, "-c", SERVER, str(port)) == 0
    assert "as it is: 7 " in capfd.readouterr().out
    assert processes_with(str(port)) == []


def processes_with(text: str) -> list[str]:
    """The processes whose command line has a text, this one excepted."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            line = (folder / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if text in line and folder.name.isdecimal() and int(folder.name) != os.getpid():
            found.append(line)
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_it_ends_no_process_is_left(tmp_path, number) -> None:
    """The program tells through a pipe that it runs; the pipe ends when all its processes have."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    program = script(tmp_path, f"exec 9>{pipe}; sleep 1000 & echo up >&9; sleep 1000")
    words = [sys.executable, "-m", "homenode.command", "tune", *SHORT, "--results"]
    with subprocess.Popen(
        [*words, str(tmp_path / "r"), "--", program], stderr=subprocess.PIPE, text=True
    ) as tuning:
        with pipe.open() as reader:
            assert reader.readline() == "up\n"
            tuning.send_signal(number)
            assert reader.read() == ""  # Everybody who could write is gone.
        said = tuning.communicate()[1]
    if number == signal.SIGKILL:
        assert tuning.returncode == -number
    else:
        assert tuning.returncode == 130
        assert "run the same command again to resume" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "the program is missing"),
        (["--budget", "soon", "--", "true"], "'soon' is no budget"),
        (["--budget", "2runs", "--", "true"], "too little"),
        (["--metric", "(", "--", "true"], "no regular expression"),
        (["--higher", "--", "true"], "--metric"),
        (["--ready", "true", "--", "true"], "--load"),
        (["--roi", "all", "--", "true"], "--machine"),
        (["--machine", "x", "--load", "true", "--", "true"], "--load"),
        (["--machine", "x", "--with", "pkeys", "--", "true"], "--with"),
        (["--with", "sched", "--", "true"], "invalid choice: 'sched'"),
    ],
)
def test_bad_usage(words, said, capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
