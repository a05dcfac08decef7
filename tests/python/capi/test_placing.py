"""Arrays that numpy makes inside `with homenode.placing()`, on whatever machine this is."""

import asyncio
import contextvars
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import shared_memory
from typing import Any

import numpy as np
import pytest
from numpy._core.multiarray import get_handler_name
from numpy.typing import NDArray

import homenode

COUNT = 100_000
RULE = "cyclic"
PLACED = f"homenode {RULE}"


def is_of_a_rule(array: NDArray[Any], rule: str = RULE) -> bool:
    """Whether its memory is of that rule's allocator, begins a page and is all there."""
    name = get_handler_name(array)
    begins_a_page = array.ctypes.data % homenode.where(array).page_bytes == 0
    complete = homenode.where(array).pages_on_no_node == {}
    return name == f"homenode {rule}" and begins_a_page and complete


def test_every_array_made_inside_is_placed_and_none_outside() -> None:
    with homenode.placing(RULE):
        made = [np.zeros(COUNT), np.empty(COUNT), np.arange(COUNT), np.ones((300, 400)) * 2]
        copied = made[3].copy()
        assert get_handler_name() == PLACED
    assert all(map(is_of_a_rule, [*made, copied]))
    assert (made[2] == range(COUNT)).all()
    assert not made[0].any()
    assert (copied == 2).all()
    assert get_handler_name() == "default_allocator"
    assert get_handler_name(np.ones(COUNT)) == "default_allocator"


def test_a_failure_inside_ends_it_and_an_inner_one_goes_back_to_the_outer() -> None:
    with homenode.placing(RULE):
        with pytest.raises(KeyError), homenode.placing("block"):
            inner = np.ones(COUNT)
            raise KeyError
        outer = np.ones(COUNT)
    assert is_of_a_rule(inner, "block")
    assert is_of_a_rule(outer)
    assert get_handler_name() == "default_allocator"


def test_arrays_grow_and_shrink_with_their_values() -> None:
    with homenode.placing(RULE):
        array = np.arange(10)
    for size in (COUNT, 2 * COUNT, COUNT // 2, 5, COUNT):
        kept = min(size, array.size)
        before = array[:kept].copy()
        array.resize(size, refcheck=False)  # Outside: by the allocator that it came from.
        assert (array[:kept] == before).all()
        assert not array[kept:].any()
        assert get_handler_name(array) == PLACED
    assert is_of_a_rule(array)


def test_small_and_empty_arrays_and_references_are_ordinary_memory() -> None:
    with homenode.placing(RULE):
        arrays = [np.arange(n) for n in range(40)]
        objects = np.array([str(n) for n in range(COUNT)], dtype=object)
    assert [array.sum() for array in arrays] == [n * (n - 1) // 2 for n in range(40)]
    assert objects[-1] == str(COUNT - 1)


def test_it_is_of_the_context_that_entered_it() -> None:
    names: list[str | None] = []

    def look() -> None:
        names.append(get_handler_name(np.ones(COUNT)))

    async def task(rule: str) -> str | None:
        with homenode.placing(rule):
            await asyncio.sleep(0)
            return get_handler_name(np.ones(COUNT))

    async def both() -> list[str | None]:
        return list(await asyncio.gather(task("block"), task("bind@0")))

    with homenode.placing(RULE):
        outside = threading.Thread(target=contextvars.Context().run, args=[look])
        outside.start()
        outside.join()
        carried = contextvars.copy_context()
        inside = threading.Thread(target=lambda: carried.run(look))
        inside.start()
        inside.join()
    assert names == ["default_allocator", PLACED]
    assert asyncio.run(both()) == ["homenode block", "homenode bind@0"]


def test_threads_free_and_make_arrays_beside_each_other() -> None:
    def work(seed: int) -> int:
        with homenode.placing(RULE):
            kept = [np.full(1000 + 100 * n, seed) for n in range(20)]
            return sum(int((array == seed).sum()) for array in kept)

    with ThreadPoolExecutor(4) as pool:
        sums = set(pool.map(work, range(16)))
    assert sums == {sum(1000 + 100 * n for n in range(20))}


def test_what_keeps_a_placement_and_what_loses_it() -> None:
    array = homenode.ones(COUNT, RULE)
    text = pickle.dumps(array)
    assert get_handler_name(array.copy()) == "default_allocator"
    with homenode.placing(RULE):
        assert is_of_a_rule(array.copy())
        assert is_of_a_rule(array + 1)
        # numpy lets a loaded array lie in the bytes that held it; its copy is placed.
        assert is_of_a_rule(np.array(pickle.loads(text)))
    loaded = pickle.loads(text)
    assert homenode.place(loaded, RULE).pages_refused == 0
    assert (loaded == 1).all()


def test_shared_memory_is_placed_by_whoever_fills_it() -> None:
    memory = shared_memory.SharedMemory(create=True, size=COUNT * 8)
    try:
        array: NDArray[Any] = np.ndarray(COUNT, float, memory.buf)
        receipt = homenode.place(array, RULE)
        assert receipt.pages_refused == 0
        assert homenode.where(array).pages_on_no_node == {}
        del array
    finally:
        memory.close()
        memory.unlink()


@pytest.mark.parametrize(
    ("rule", "words"), [("nonsense", "nonsense"), ("rows", "shape"), ("next-touch", "zeros")]
)
def test_rules_that_cannot_apply_are_one_line_at_the_entry(rule: str, words: str) -> None:
    with pytest.raises(homenode.HomenodeError, match=words), homenode.placing(rule):
        pass
    assert get_handler_name() == "default_allocator"


def test_an_array_may_be_the_last_thing_that_dies() -> None:
    """Its memory is freed while the interpreter ends, when no Python may run."""
    script = """
import homenode, numpy as np, sys
with homenode.placing("cyclic"):
    sys.kept = [np.ones(100_000) for _ in range(10)]
    np.kept = sys.kept[:5]
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
