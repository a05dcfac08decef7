"""A study runs what is left, records what fails, and goes on after a kill."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from synthetic import QUAD, FakeRunner, outcome

from homenode.study import cli
from homenode.study.errors import StudyError
from homenode.study.progress import PlainProgress
from homenode.study.records import FILE_NAME, RecordStore, is_complete, read
from homenode.study.runner import Outcome, RunnerLostError
from homenode.study.session import run_study
from homenode.study.share import Summary
from homenode.study.spec import parse

STUDY = {
    "schema": "homenode.study/1",
    "name": "tiny",
    "title": "A tiny study",
    "workload": "map",
    "machines": ["quad-4x2"],
    "fixed": {"threads": 8, "seed": 7},
    "factors": {
        "pattern": ["shared", "divided"],
        "op": ["read", "write"],
        "method": ["default", "api"],
    },
}
NAMES = ("pattern", "op", "method")
TOML = """
schema = "homenode.study/1"
name = "tiny"
title = "A tiny study"
workload = "map"
machines = ["quad-4x2"]
fixed = { threads = 8, seed = 7 }
factors = { pattern = ["shared", "divided"], op = ["read", "write"], method = ["default", "api"] }
"""


def run(folder: Path, runner: FakeRunner) -> tuple[Summary, str]:
    said = io.StringIO()
    with RecordStore(folder) as store, PlainProgress(said) as progress:
        return run_study(parse(STUDY), lambda name: runner, store, progress), said.getvalue()


def test_every_case_gets_a_record_with_all_that_a_repetition_needs(tmp_path: Path) -> None:
    runner = FakeRunner(QUAD)
    summary, said = run(tmp_path, runner)
    assert (summary.cases, summary.already_done, summary.ran, summary.failed) == (8, 0, 8, [])
    records = read(tmp_path)
    assert len({r["case"]["id"] for r in records}) == 8 and all(map(is_complete, records))
    first = records[0]
    assert (first["schema"], first["repetition"]) == ("homenode.record/3", 1)
    assert (first["seed"], first["exit_code"], first["error"]) == (7, 0, None)
    assert first["command"] == runner.ran[0] and first["command"][:3] == [
        "homenode",
        "bench",
        "map",
    ]
    assert first["versions"] == {"homenode": "0.1.0", "kernel": "6.12.1", "qemu": "10.0.0"}
    assert first["started"].endswith("+00:00") and first["machine"]["name"] == "quad-4x2"
    assert first["bench"]["schema"] == "homenode.bench.map/2"
    assert first["counts"][0]["schema"] == "homenode.counts/2"
    assert first["matrix"]["provenance"] == "exact" and len(first["matrix"]["reads"]) == 4
    assert said.count("\n") == 10  # The plan, the start, and one line for each case.
    assert "[8/8] divided · write · api: 100.0% local, hottest node 25.0%, 0.2 ms modelled" in said


def test_the_record_keeps_the_time_and_what_explains_it(tmp_path: Path) -> None:
    run(tmp_path, FakeRunner(QUAD))
    by_name = {tuple(r["case"]["options"][n] for n in NAMES): r for r in read(tmp_path)}
    assert by_name["divided", "read", "default"]["time"] == {
        "modelled_ps": 800_000 * 1000 + 200_000 * 100,
        "local_read_share": 0.25,
        "busiest_controller": {"node": 0, "utilisation": pytest.approx(800 / 820)},
        "late_waits": 0,
        "from_caches": 0.0,
    }
    assert by_name["divided", "read", "api"]["time"]["modelled_ps"] == 200_000 * 1000
    assert by_name["divided", "read", "api"]["time"]["local_read_share"] == 1.0
    assert by_name["divided", "read", "api"]["counts"][0]["time"]["modelled"] is True


def test_repetitions_run_each_case_again_after_all_others(tmp_path: Path) -> None:
    study = parse(STUDY | {"repetitions": 3})
    runner = FakeRunner(QUAD)
    said = io.StringIO()
    with RecordStore(tmp_path) as store, PlainProgress(said) as progress:
        summary = run_study(study, lambda name: runner, store, progress)
    assert (summary.cases, summary.runs, summary.ran) == (8, 24, 24)
    assert runner.ran[:8] == runner.ran[8:16] == runner.ran[16:]
    assert [r["repetition"] for r in read(tmp_path)] == [1] * 8 + [2] * 8 + [3] * 8
    assert "[9/24] shared · read · default · run 2:" in said.getvalue()


def test_more_repetitions_later_keep_those_that_are_there(tmp_path: Path) -> None:
    run(tmp_path, FakeRunner(QUAD))
    study = parse(STUDY | {"repetitions": 2})
    with RecordStore(tmp_path) as store, PlainProgress(io.StringIO()) as progress:
        summary = run_study(study, lambda name: FakeRunner(QUAD), store, progress)
    assert (summary.already_done, summary.ran) == (8, 8)


@pytest.mark.parametrize(("real_clock", "time"), [(True, {"measured_s": 0.25}), (False, None)])
def test_a_host_is_timed_by_its_own_clock_and_a_guest_is_not(
    tmp_path: Path, real_clock: bool, time: object
) -> None:
    made = outcome(QUAD, ["--pattern", "divided", "--method", "default", "--op", "readwrite"])
    bench = json.loads(made.stdout) | {"seconds": {"wall": 0.25}}
    bench["matrices"]["writes"] = bench["matrices"]["reads"]
    uncounted = Outcome(0, json.dumps(bench), "", None, real_clock)
    run(tmp_path, FakeRunner(QUAD, {"bench": uncounted}))
    assert [r["time"] for r in read(tmp_path)] == [time] * 8


@pytest.mark.parametrize(
    ("wanted", "said_so"), [({}, True), ({"time": True}, True), ({"time": False}, False)]
)
def test_kept_records_without_time_are_pointed_out(
    tmp_path: Path, wanted: dict[str, bool], said_so: bool
) -> None:
    run(tmp_path, FakeRunner(QUAD, timed=False))
    said = io.StringIO()
    with RecordStore(tmp_path) as store, PlainProgress(said) as progress:
        run_study(parse(STUDY | wanted), lambda name: FakeRunner(QUAD), store, progress)
    assert ("8 kept records have no modelled time; --fresh" in said.getvalue()) == said_so


def test_complete_cases_are_skipped_and_the_machine_is_not_even_started(tmp_path: Path) -> None:
    run(tmp_path, FakeRunner(QUAD))
    again = FakeRunner(QUAD)
    summary, _ = run(tmp_path, again)
    assert (summary.already_done, summary.ran, again.starts) == (8, 0, 0)


def test_one_failing_case_is_recorded_and_the_others_go_on(tmp_path: Path) -> None:
    refused = Outcome(2, "", "noise\nhomenode bench: no such node\n", [])
    runner = FakeRunner(QUAD, {"--pattern divided --op read --method api": refused})
    summary, said = run(tmp_path, runner)
    assert summary.failed == ["divided · read · api"] and summary.ran == 8
    bad = [r for r in read(tmp_path) if not is_complete(r)]
    assert len(bad) == 1 and bad[0]["error"] == "exit code 2: homenode bench: no such node"
    assert "failed: exit code 2" in said
    assert bad[0]["command"][-1] == "--json"
    mended, _ = run(tmp_path, FakeRunner(QUAD))
    assert (mended.already_done, mended.ran, mended.failed) == (7, 1, [])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (TimeoutError(), "did not end within 300 s"),
        (Outcome(0, "no json", "", []), "cannot use what the command printed"),
        (Outcome(0, '{"schema":"x"}', "", []), "schema 'x'"),
        (Outcome(0, '{"schema":"homenode.bench.map/2"}', "", []), "no access was counted"),
        (Outcome(0, '{"schema":"homenode.bench.map/2"}', "", None), "'matrices'"),
        (Outcome(0, '{"schema":"homenode.bench.map/2"}', "", [{"schema": "old"}]), "'old'"),
    ],
)
def test_whatever_a_command_leaves_the_record_says_what_was_wrong(
    tmp_path: Path, answer: Any, said: str
) -> None:
    summary, _ = run(tmp_path, FakeRunner(QUAD, {"--op read --method default": answer}))
    assert len(summary.failed) == 2 and summary.ran == 8
    assert [said in r["error"] for r in read(tmp_path) if r["error"]] == [True, True]


def test_without_a_counter_the_benchs_own_matrix_is_used(tmp_path: Path) -> None:
    from synthetic import outcome

    class Host(FakeRunner):
        def run(self, command: Any, timeout_s: float) -> Outcome:
            made = outcome(self.machine, command)
            return Outcome(0, made.stdout, "", None)

    run(tmp_path, Host(QUAD))
    assert {r["matrix"]["provenance"] for r in read(tmp_path)} == {"computed"}


def test_a_machine_that_dies_is_started_again_for_the_rest(tmp_path: Path) -> None:
    runner = FakeRunner(QUAD, {"shared --op read --method api": RunnerLostError("killed")})
    # `--pattern shared` comes as an option pair of its own, so spell the words as they are joined.
    summary, _ = run(tmp_path, runner)
    assert (runner.starts, summary.ran, summary.failed) == (2, 8, ["shared · read · api"])
    assert not runner.is_open


@pytest.mark.parametrize("losses", [1, 2])
def test_a_machine_that_dies_while_it_starts_is_started_again(tmp_path: Path, losses: int) -> None:
    runner = FakeRunner(QUAD, start_losses=losses)
    summary, said = run(tmp_path, runner)
    assert (runner.starts, summary.ran, summary.failed) == (losses + 1, 8, [])
    assert said.count("quad-4x2 was lost: the guest panicked") == losses


def test_a_machine_that_never_starts_ends_the_study(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"lost 3 times in a row .*8 cases did not run"):
        run(tmp_path, FakeRunner(QUAD, start_losses=99))


def test_losses_with_work_between_them_do_not_add_up(tmp_path: Path) -> None:
    lost = RunnerLostError("killed")
    runner = FakeRunner(QUAD, {"--op write --method api": lost, "read --method api": lost})
    summary, _ = run(tmp_path, runner)
    assert (summary.ran, len(summary.failed), runner.starts) == (8, 4, 4)


def test_a_machine_that_keeps_dying_ends_the_study_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "s.toml"
    study.write_text(TOML)
    runner = FakeRunner(QUAD, {"bench": RunnerLostError("killed")})
    code = cli.main([str(study), "--out", str(tmp_path / "o")], lambda name: runner)
    assert code == 1 and runner.starts == 3
    assert "lost 3 times in a row" in capsys.readouterr().err.splitlines()[-1]


def test_ctrl_c_ends_cleanly_and_keeps_what_was_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "s.toml"
    study.write_text(TOML)
    runner = FakeRunner(QUAD, {"divided --op read --method default": KeyboardInterrupt()})
    code = cli.main([str(study), "--out", str(tmp_path / "o")], lambda name: runner)
    assert code == 130 and not runner.is_open
    assert "4 new records are kept" in capsys.readouterr().err
    assert len(read(tmp_path / "o")) == 4
    assert {r["study_file"] for r in read(tmp_path / "o")} == {str(study)}


def test_the_verb_reports_failures_with_exit_code_1_and_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "s.toml"
    study.write_text(TOML)
    refused = Outcome(1, "", "no memory\n", [])
    runner = FakeRunner(QUAD, {"divided --op write --method api": refused})
    words = [str(study), "--out", str(tmp_path / "o"), "--json"]
    assert cli.main(words, lambda name: runner) == 1
    said = json.loads(capsys.readouterr().out)
    assert said == {
        "schema": "homenode.study.result/1",
        "records": str(tmp_path / "o" / FILE_NAME),
        "cases": 8,
        "runs": 8,
        "already_done": 0,
        "ran": 8,
        "failed": ["divided · write · api"],
    }
    assert cli.main(words, lambda name: FakeRunner(QUAD)) == 0


def test_a_study_of_which_nothing_succeeded_names_no_page_to_make(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "s.toml"
    study.write_text(TOML)
    words = [str(study), "--out", str(tmp_path / "an out")]
    runner = FakeRunner(QUAD, {"bench": Outcome(2, "", "no\n", [])})
    assert cli.main(words, lambda name: runner) == 1
    assert capsys.readouterr().out == "8 cases, 8 run now\n"
    assert cli.main(words, lambda name: FakeRunner(QUAD)) == 0
    assert f"; next: homenode report '{tmp_path / 'an out'}'\n" in capsys.readouterr().out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_a_study_ends_it_like_ctrl_c(
    number: signal.Signals, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "s.toml"
    study.write_text(TOML)
    answers = {"divided --op read --method default": lambda: os.kill(os.getpid(), number)}
    before = signal.getsignal(number)
    runner = FakeRunner(QUAD, answers)
    try:
        code = cli.main([str(study), "--out", str(tmp_path / "o")], lambda name: runner)
    finally:
        signal.signal(number, before)
    assert code == 130 and not runner.is_open
    assert "4 new records are kept" in capsys.readouterr().err


def test_a_dry_run_lists_the_cases_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "s.toml"
    study.write_text(TOML)
    runner = FakeRunner(QUAD)
    words = [str(study), "--out", str(tmp_path / "o"), "--dry-run"]
    assert cli.main(words, lambda name: runner) == 0
    assert capsys.readouterr().out.count("homenode bench map") == 8
    assert cli.main([*words, "--json"], lambda name: runner) == 0
    assert len(json.loads(capsys.readouterr().out)["cases"]) == 8
    assert runner.starts == 0 and not (tmp_path / "o").exists()


def test_bad_usage_is_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["no-such-study"], lambda name: FakeRunner(QUAD)) == 2
    with pytest.raises(SystemExit) as raised:
        cli.main(["--frobnicate"], lambda name: FakeRunner(QUAD))
    assert raised.value.code == 2
    assert "--help' lists the options" in capsys.readouterr().err


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[3])
from synthetic import QUAD, FakeRunner
from homenode.study import cli
def die():
    os.kill(os.getpid(), signal.SIGKILL)
answers = {"divided --op read --method default": die} if sys.argv[4] == "die" else {}
runner = FakeRunner(QUAD, answers)
code = cli.main([sys.argv[1], "--out", sys.argv[2]], lambda name: runner)
print(len(runner.ran))
sys.exit(code)
"""


def test_a_killed_study_goes_on_where_it_stopped(tmp_path: Path) -> None:
    study = tmp_path / "s.toml"
    study.write_text(TOML)

    def go(what: str) -> subprocess.CompletedProcess[str]:
        words = [str(study), str(tmp_path / "o"), str(Path(__file__).parent), what]
        return subprocess.run(
            [sys.executable, "-c", KILLED, *words],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )

    assert go("die").returncode == -signal.SIGKILL
    assert len(read(tmp_path / "o")) == 4
    with (tmp_path / "o" / FILE_NAME).open("ab") as file:
        file.write(b'{"schema":"homenode.rec')  # As if the kill had hit in the middle of a write.
    resumed = go("live")
    assert resumed.returncode == 0, resumed.stderr
    assert resumed.stdout.splitlines()[-1] == "4"
    assert "because the study was killed" in resumed.stderr and "4 already done" in resumed.stderr
    records = read(tmp_path / "o")
    assert len(records) == 8 and len({r["case"]["id"] for r in records}) == 8
