"""The kernel's word on where data came from, field by field."""

import random

import pytest

from homenode.profile.data_source import decode
from homenode.profile.record import Level, Operation

LOAD, STORE, PREFETCH, EXECUTE = 2, 4, 8, 16


def word(operation: int = 0, bits: int = 0, number: int = 0, remote: int = 0, hops: int = 0) -> int:
    return operation | bits << 5 | number << 33 | remote << 37 | hops << 43


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (LOAD, Operation.READ),
        (STORE, Operation.WRITE),
        (LOAD | STORE, Operation.WRITE),
        (PREFETCH, Operation.READ),
        (EXECUTE, Operation.UNKNOWN),
        (1, Operation.UNKNOWN),
        (0, Operation.UNKNOWN),
    ],
)
def test_an_operation(operation: int, expected: Operation) -> None:
    assert decode(word(operation)).operation is expected


@pytest.mark.parametrize(
    ("bits", "expected"),
    [
        (0x08 | 2, Level.L1),
        (0x20 | 2, Level.L2),
        (0x40 | 2, Level.L3),
        (0x80 | 2, Level.LOCAL_MEMORY),
        (0x100 | 2, Level.REMOTE_MEMORY),
        (0x200 | 2, Level.REMOTE_MEMORY),
        (0x400 | 2, Level.REMOTE_CACHE),
        (0x800 | 2, Level.REMOTE_CACHE),
        (0x10 | 2, Level.UNKNOWN),
        (0x1000 | 2, Level.UNKNOWN),
        (0x08 | 4, Level.UNKNOWN),
        (1, Level.UNKNOWN),
    ],
)
def test_a_level_in_the_words_of_old_kernels(bits: int, expected: Level) -> None:
    assert decode(word(LOAD, bits)).level is expected


@pytest.mark.parametrize(
    ("number", "remote", "hops", "expected"),
    [
        (1, 0, 0, Level.L1),
        (2, 0, 0, Level.L2),
        (3, 0, 0, Level.L3),
        (3, 1, 0, Level.REMOTE_CACHE),
        (4, 0, 0, Level.L3),
        (0xB, 1, 1, Level.L3),  # Another core of the same node.
        (0xB, 1, 2, Level.REMOTE_CACHE),
        (0xD, 0, 0, Level.LOCAL_MEMORY),
        (0xD, 1, 0, Level.REMOTE_MEMORY),
        (0xD, 1, 3, Level.REMOTE_MEMORY),
        (0xE, 1, 0, Level.REMOTE_MEMORY),
        (9, 0, 0, Level.REMOTE_MEMORY),
        (0xC, 0, 0, Level.UNKNOWN),
        (0xA, 0, 0, Level.UNKNOWN),
    ],
)
def test_a_level_by_number(number: int, remote: int, hops: int, expected: Level) -> None:
    assert decode(word(LOAD, 0, number, remote, hops)).level is expected


def test_a_number_is_believed_before_the_old_bits() -> None:
    assert decode(word(LOAD, 0x08 | 2, 0xD)).level is Level.LOCAL_MEMORY
    assert decode(word(LOAD, 0x08 | 2, 0xF)).level is Level.L1


def test_words_that_were_recorded() -> None:
    # From perf's documentation and mails: a load that hit L1, and one from remote memory.
    assert decode(0x68100142).level is Level.L1
    assert decode(0x6A100842).operation is Operation.READ


def test_any_word_is_decoded() -> None:
    numbers = random.Random(7)
    for _ in range(2000):
        found = decode(numbers.getrandbits(64))
        assert found.level in Level
        assert found.operation in Operation
