"""The models, through the C interface: closed forms on machines of the catalogue."""

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from homenode.capi import HomenodeError
from homenode.model import Machine, Prediction, Program, UsedObject

ROOT = Path(__file__).resolve().parents[3]
LINES = 64 * 16  # of 16 pages


def four_readers(*, divided: bool, lines_in_flight: float = 64) -> Program:
    """A thread on each node of quad-4x2 that reads a quarter of an array, or all of it."""
    reads = np.eye(4) * LINES if divided else np.full((4, 4), float(LINES))
    array = UsedObject(
        "array", 64, 16, reads, np.zeros((4, 4)), lines_in_flight, [0, 1, 2, 3], in_order=1.0
    )
    return Program([0, 1, 2, 3], [array], [0.0] * 4)


@pytest.fixture(scope="module")
def quad() -> Machine:
    return Machine(ROOT / "machines" / "quad-4x2.xml")


def test_a_divided_array_is_best_with_its_users(quad: Machine) -> None:
    program = four_readers(divided=True)
    by_rule = {
        rule: quad.predict(program, memory={None: rule}).time
        for rule in ("default", "bind@0", "interleave", "cyclic:16@1,2,3,0")
    }
    assert min(by_rule, key=lambda rule: by_rule[rule]) == "default"
    # 6100 MiB/s of each node's own memory.
    assert by_rule["default"] == pytest.approx(LINES * 64 / (6100 * 2**20), rel=0.05)
    assert by_rule["bind@0"] >= 4 * by_rule["default"]


def test_the_bottleneck_of_one_nodes_memory_is_named(quad: Machine) -> None:
    hot = quad.predict(four_readers(divided=False), memory={"array": "bind@0"}, model="bandwidth")
    assert "memory of node 0" in hot.bottleneck
    assert hot.unit == "s"


def test_an_objects_own_rule_wins_over_that_of_all_others(quad: Machine) -> None:
    program = four_readers(divided=True)
    both = quad.predict(program, memory={None: "bind@0", "array": "bind@3"})
    assert both.raw == quad.predict(program, memory={"array": "bind@3"}).raw


def test_the_answer_follows_its_schema(quad: Machine) -> None:
    schema = json.loads((ROOT / "docs/schemas/homenode.prediction.json").read_text())
    for model in (None, "distance", "latency", "bandwidth", "both"):
        answer = quad.predict(four_readers(divided=True), model=model)
        assert isinstance(answer, Prediction)
        assert not list(Draft202012Validator(schema).iter_errors(answer.raw))


def test_what_makes_no_sense_is_refused(quad: Machine) -> None:
    program = four_readers(divided=True)
    with pytest.raises(HomenodeError, match="no model 'guess'"):
        quad.predict(program, model="guess")
    with pytest.raises(HomenodeError, match="no node 9"):
        quad.predict(Program([9, 1, 2, 3], program.objects))
    with pytest.raises(ValueError, match="shape"):
        quad.predict(Program([0, 1], program.objects))
