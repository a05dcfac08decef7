"""Races with runs that are made up: who is beaten, who leads, and what is said in the end."""

import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Self

import pytest
from browsing import faults

from homenode.tune import page
from homenode.tune.answer import Answer
from homenode.tune.budget import Budget
from homenode.tune.candidate import Candidate
from homenode.tune.document import as_json
from homenode.tune.errors import TuneError
from homenode.tune.journal import Journal
from homenode.tune.metric import Metric
from homenode.tune.race import BEATEN, FAILED, SET_ASIDE, Race, taking_part
from homenode.tune.running import Run
from homenode.tune.statistics import MEASURED
from homenode.tune.text import summary
from homenode.tune.tuning import Tuning
from homenode.tune.verdict import Kind, verdict

NOISE = 0.01
MACHINE = {"model": "a processor", "nodes": [{"id": 0, "cpus": [0, 1]}]}


class MadeUp:
    """Runs that take as long as `seconds` has it, with noise; a text is an error."""

    def __init__(self, seconds: dict[str, float | str], stop_after: int | None = None) -> None:
        self._seconds = seconds
        self._random = random.Random(3)
        self._stop_after = stop_after
        self.names: list[str] = []
        self.output: Callable[[str], str] = lambda name: "same"

    def run(self, candidate: Candidate, limit_s: float | None) -> Run:
        if len(self.names) == self._stop_after:
            raise KeyboardInterrupt
        self.names.append(candidate.name)
        usual = self._seconds[candidate.name]
        if isinstance(usual, str):
            return Run(None, 0.1, usual)
        value = usual * math.exp(self._random.gauss(0, NOISE))
        return Run(value, value, None, self.output(candidate.name))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None


class Silent:
    def __init__(self) -> None:
        self.notes: list[str] = []

    def running(self, name: str, race: Race, ran: int, spent_s: float) -> None:
        pass

    def round_done(self, race: Race) -> None:
        pass

    def note(self, text: str) -> None:
        self.notes.append(text)


def candidate(name: str, predicted: float | None = None) -> Candidate:
    return Candidate(name, ("--option", name), why=f"{name} helps", predicted=predicted)


def tuned(
    folder: Path, runner: MadeUp, names: str, runs: int = 120, observer: Silent | None = None
) -> Tuning:
    """A race of the candidates with these names, to its end."""
    chosen = [candidate(name) for name in names.split()]
    with Journal(folder, {"program": ["x"]}) as journal:
        race = Race(chosen, Metric(), MEASURED, 0.02)
        tuning = Tuning(race, runner, journal, Budget(runs=runs), observer or Silent())
        tuning.go()
    return tuning


def answer(tuning: Tuning) -> Answer:
    race = tuning.race
    return Answer(
        ["./x"], MACHINE, race, verdict(race), race.as_it_is, [], tuning.ran, tuning.spent_s
    )


def test_the_fastest_wins_and_the_others_are_beaten(tmp_path) -> None:
    runner = MadeUp({"as it is": 1.0, "a": 0.9, "b": 0.8, "c": 1.3})
    tuning = tuned(tmp_path, runner, "a b c")
    found = verdict(tuning.race)
    assert found.kind == Kind.BETTER and found.winner is not None
    assert found.winner.candidate.name == "b"
    assert 0.15 < math.expm1(found.winner.interval.low) < 0.25
    assert [one.state for one in tuning.race.standings] == [BEATEN, "running", BEATEN]
    assert len(runner.names) < 60
    text = summary(answer(tuning))
    assert "→ homenode run --option b -- ./x" in text and "B helps." in text


@pytest.mark.browser
def test_nothing_is_wrong_with_the_page(tmp_path) -> None:
    out = tmp_path / "page.html"
    tuning = tuned(tmp_path, MadeUp({"as it is": 1.0, "a": 0.9, "b": 0.8, "c": "failed"}), "a b c")
    out.write_text(page.render(answer(tuning)))
    assert faults(out) == []


def test_nothing_better_is_an_answer_with_a_bound(tmp_path) -> None:
    runner = MadeUp({"as it is": 1.0, "a": 1.0, "b": 1.05})
    tuning = tuned(tmp_path, runner, "a b")
    found = verdict(tuning.race)
    assert found.kind == Kind.NOTHING_BETTER
    assert found.most is not None and 0 < found.most < 0.02
    assert "Nothing here is better than what you have" in summary(answer(tuning))
    assert as_json(answer(tuning))["command"] is None


def test_a_small_budget_leaves_it_undecided(tmp_path) -> None:
    tuning = tuned(tmp_path, MadeUp({"as it is": 1.0, "a": 1.0}), "a", runs=8)
    assert verdict(tuning.race).kind == Kind.UNDECIDED
    assert tuning.ran <= 8
    assert "Nothing here is shown to be better" in summary(answer(tuning))


def test_the_least_promising_are_set_aside_when_the_budget_is_short(tmp_path) -> None:
    seconds = {"as it is": 1.0, "a": 0.8, "b": 1.0, "c": 1.01, "d": 0.99}
    tuning = tuned(tmp_path, MadeUp(seconds), "a b c d", runs=32)
    found = verdict(tuning.race)
    assert found.winner is not None and found.winner.candidate.name == "a"
    assert SET_ASIDE in [one.state for one in tuning.race.standings]
    assert tuning.ran <= 32


def test_a_candidate_that_fails_has_lost_however_fast(tmp_path) -> None:
    tuning = tuned(tmp_path, MadeUp({"as it is": 1.0, "a": "--check failed", "b": 1.0}), "a b")
    lost = tuning.race.standings[0]
    assert (lost.state, lost.why) == (FAILED, "--check failed")
    assert verdict(tuning.race).kind == Kind.NOTHING_BETTER
    assert "--check failed" in summary(answer(tuning))


def test_all_failed_claims_nothing(tmp_path) -> None:
    tuning = tuned(tmp_path, MadeUp({"as it is": 1.0, "a": "broken"}), "a")
    assert verdict(tuning.race).most is None
    assert "No placement could be compared" in summary(answer(tuning))


def test_the_program_itself_must_run(tmp_path) -> None:
    with pytest.raises(TuneError, match="cannot measure the program as it is: exit code 3"):
        tuned(tmp_path, MadeUp({"as it is": "exit code 3"}), "a")


def test_another_output_has_lost(tmp_path) -> None:
    runner = MadeUp({"as it is": 1.0, "a": 0.5})
    runner.output = lambda name: name
    tuning = tuned(tmp_path, runner, "a")
    assert tuning.race.standings[0].state == FAILED
    assert "its output differs" in tuning.race.standings[0].why


def test_outputs_that_vary_are_not_compared(tmp_path) -> None:
    runner, observer = MadeUp({"as it is": 1.0, "a": 0.5}), Silent()
    runner.output = lambda name: str(len(runner.names))
    tuning = tuned(tmp_path, runner, "a", observer=observer)
    assert verdict(tuning.race).kind == Kind.BETTER
    assert len(observer.notes) == 1 and "differs from run to run" in observer.notes[0]


@pytest.mark.parametrize("after", [0, 1, 2, 3, 5, 9, 14])
def test_a_race_that_is_stopped_goes_on_and_keeps_what_ran(tmp_path, after) -> None:
    seconds: dict[str, float | str] = {"as it is": 1.0, "a": 0.8, "b": 1.0}
    with pytest.raises(KeyboardInterrupt):
        tuned(tmp_path, MadeUp(seconds, stop_after=after), "a b")
    rest = MadeUp(seconds)
    tuning = tuned(tmp_path, rest, "a b")
    assert tuning.ran == after + len(rest.names)
    found = verdict(tuning.race)
    assert found.winner is not None and found.winner.candidate.name == "a"
    again = MadeUp(seconds)
    assert verdict(tuned(tmp_path, again, "a b").race) == found
    assert again.names == []


def test_a_round_that_was_cut_short_is_never_completed_later(tmp_path) -> None:
    seconds: dict[str, float | str] = {"as it is": 1.0, "a": 1.0}
    with pytest.raises(KeyboardInterrupt):
        tuned(tmp_path, MadeUp(seconds, stop_after=3), "a", runs=8)
    tuned(tmp_path, MadeUp(seconds), "a", runs=8)
    with Journal(tmp_path, {"program": ["x"]}) as journal:
        rounds = [kept.round for kept in journal.runs]
    assert rounds == [0, 0, 1, 2, 2, 3, 3]


def test_another_command_is_refused(tmp_path) -> None:
    with Journal(tmp_path, {"program": ["x"]}) as journal:
        journal.begin([candidate("a")])
        assert journal.candidates() is None
    with Journal(tmp_path, {"program": ["x"]}) as journal:
        assert journal.candidates() == [candidate("a")]
        with pytest.raises(TuneError, match="another 'homenode tune' is writing"):
            Journal(tmp_path, {"program": ["x"]})
    with pytest.raises(TuneError, match="its program differs"):
        Journal(tmp_path, {"program": ["y"]})
    with Journal(tmp_path, {"program": ["y"]}, fresh=True) as journal:
        assert journal.runs == []


@pytest.mark.parametrize("tail", [b'{"schema": "homen', b"\0\0\0\0\n"])
def test_a_torn_line_is_left_out(tmp_path, tail) -> None:
    tuned(tmp_path, MadeUp({"as it is": 1.0, "a": 1.0}), "a", runs=8)
    runs = tmp_path / "runs.jsonl"
    whole = runs.read_bytes()
    runs.write_bytes(whole + tail)
    with Journal(tmp_path, {"program": ["x"]}):
        assert runs.read_bytes() == whole


def test_a_damaged_line_is_refused(tmp_path) -> None:
    tuned(tmp_path, MadeUp({"as it is": 1.0, "a": 1.0}), "a", runs=8)
    runs = tmp_path / "runs.jsonl"
    runs.write_bytes(b"{}\n" + runs.read_bytes())
    with pytest.raises(TuneError, match="line 1 of"):
        Journal(tmp_path, {"program": ["x"]})


def test_the_best_predictions_take_part() -> None:
    known = [candidate("a", 0.9), candidate("b"), candidate("c", 0.7)]
    assert [one.name for one in taking_part(known, 2)] == ["c", "a"]


def test_one_of_each_way_to_place_memory_takes_part_before_others_of_it() -> None:
    def told(name: str, time: float, memory: str, *threads: str) -> Candidate:
        options = ("-i", memory, *threads)
        return Candidate(name, options, memory=((None, memory),), predicted=time, sure=0.2)

    known = [
        told("moved", 0.7, "all", "-C", "0"),
        told("plain", 0.704, "all"),
        told("other", 0.72, "all", "-C", "1"),
        told("two", 0.8, "0,1"),
        told("far", 1.06, "0"),  # What it errs would not make it the best.
        candidate("unknown"),
    ]
    names = [one.name for one in taking_part(known, 9)]
    assert names == ["plain", "two", "moved", "other", "far", "unknown"]
    assert [one.name for one in taking_part(known, 2)] == ["plain", "two"]


def test_higher_can_be_better() -> None:
    assert Metric("x", higher=True).log_gain(1, 2) == pytest.approx(math.log(2))
    assert Metric().log_gain(1, 2) == pytest.approx(-math.log(2))


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"rate: (\S+)", "rate: 1\nrate: 2.5e3\n", 2500.0),
        (r"\d+", "12 and 13", 13.0),
        (r"rate: (\S+)", "rate: 1,234.5", 1234.5),
        (r"rate: (\S+)", "nothing", "it printed nothing that matches"),
        (r"rate: (\S+)", "rate: fast", "'fast' is no number"),
        (r"rate: (\S+)", "rate: 0", "only numbers above 0"),
        (r"rate: (\S+)", "rate: inf", "only numbers above 0"),
    ],
)
def test_numbers_that_a_program_prints(pattern, text, found) -> None:
    value = Metric(pattern).read(text)
    assert found in value if isinstance(found, str) else value == found
