"""Machine files damaged at random: a machine that the lab can build, or one line that says why not.

The C++ reader has the same test (tests/machine/xml_fuzz_test.cpp).
"""

import random
from collections.abc import Callable

import pytest

from homenode.lab import LabError, parse_machine
from homenode.lab.catalogue import find_file
from homenode.lab.machine_closing import find_gaps
from homenode.lab.machine_model import resolve
from homenode.lab.machine_text import show_text, summary
from homenode.lab.memory import node_sizes
from homenode.lab.new import new_machine
from homenode.lab.numbering import numbered
from homenode.lab.scale import scaled
from homenode.lab.timing import timing_text

SEED = 20121
ROUNDS = 400
FILES = ("tiny-2x2", "quad-4x2", "cxl-3x4", "xeon-ring-4x4")
VALUES = (
    "", "0", "-1", "nan", "inf", "1e9999", "0x0f", "1_0", "²", "18446744073709551616", "9" * 400,
    "0-1:5", "0-1:", "0>1:0,1", "a,b;c", "0xf...f", "NUMANode", "Machine", "256", "64", "10",
)  # fmt: skip


def _value(text: str, chance: random.Random) -> str:
    """Something else in one attribute, any of the infos and memory values more often."""
    tag = chance.choice(('value="', '="', 'value="', "<info ", 'cpuset="'))
    start = text.find(tag, chance.randrange(len(text)))
    start = text.find('"', start) + 1
    end = text.find('"', start)
    if start == 0 or end < 0:
        return text
    return text[:start] + chance.choice(VALUES) + text[end:]


def _line(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    if chance.random() < 0.5:
        lines.insert(chance.randrange(len(lines)), lines[at])
    else:
        del lines[at]
    return "".join(lines)


def _digit(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    while not text[at].isdigit():
        at = (at + 1) % len(text)
    return text[:at] + chance.choice("0123456789-f,") + text[at + 1 :]


def _cut(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    return text[:at] + text[at + chance.randrange(1, 40) :]


DAMAGE = (_value, _value, _value, _digit, _digit, _line, _cut)


def damaged(chance: random.Random) -> str:
    text = find_file(chance.choice(FILES)).read_text()
    for _ in range(chance.randrange(1, 4)):
        text = chance.choice(DAMAGE)(text, chance)
    return text


def use(text: str) -> None:
    """Everything that the lab does with a machine before it boots it."""
    machine = numbered(parse_machine(text, "damaged")).machine
    for each in (machine, scaled(machine, 1 << 20)):
        assert timing_text(each).startswith("homenode.timing 1\n")
        assert sum(node_sizes(each).values()) > 0
    find_gaps(machine, resolve(machine))
    assert show_text(machine) and summary(machine)


def make(text: str) -> None:
    made = new_machine(text, "damaged")
    assert parse_machine(made.text, "made") == made.machine


@pytest.mark.parametrize("what", [use, make])
def test_a_damaged_file_is_used_or_refused_in_one_line(what: Callable[[str], None]):
    chance = random.Random(SEED)
    refused = 0
    for number in range(ROUNDS):
        text = damaged(chance)
        try:
            what(text)
        except LabError as error:
            refused += 1
            assert "\n" not in str(error) and len(str(error)) < 400, f"seed {SEED}, {number}"
            assert error.exit_code == 2
        except Exception as error:
            pytest.fail(f"seed {SEED}, round {number}: {error!r}")
    assert ROUNDS // 5 < refused < ROUNDS, "the damage does no harm, or leaves nothing good"
