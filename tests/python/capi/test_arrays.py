"""numpy arrays on nodes, on whatever machine this is; several nodes are tested in the lab."""

import gc
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import homenode
from homenode import arrays


def is_mapped(address: int) -> bool:
    """Whether this process has memory there. Other threads of it may map some elsewhere."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    ranges = [[int(end, 16) for end in line.split()[0].split("-")] for line in lines]
    return any(first <= address < end for first, end in ranges)


def test_zeros_are_zero_and_have_the_shape_the_type_and_the_order() -> None:
    array = homenode.zeros((3, 4, 5), "block", np.int16, "F")
    assert array.shape == (3, 4, 5)
    assert array.dtype == np.int16
    assert array.flags.f_contiguous
    assert array.flags.writeable
    assert not array.any()
    array[2, 3, 4] = 7
    assert array.sum() == 7


def test_a_rule_brings_every_page_in_and_no_rule_none() -> None:
    placed = homenode.where(homenode.zeros(100_000, "cyclic"))
    assert (
        sum(placed.pages_on_node.values()) == placed.nodes.size == -(-800_000 // placed.page_bytes)
    )
    assert placed.pages_on_no_node == {}
    assert sorted(set(placed.nodes)) == sorted(placed.pages_on_node)
    untouched = homenode.where(homenode.empty(100_000))
    assert untouched.pages_on_no_node == {"not present": untouched.nodes.size}
    assert set(untouched.nodes) == {-1}


def test_placing_again_keeps_the_values() -> None:
    array = homenode.zeros(50_000)
    array[:] = np.arange(50_000)
    for rule in ("block", "random:1", "default", "interleave"):
        receipt = homenode.place(array, rule)
        assert receipt.pages_refused == 0
        assert receipt.refusal == ""
    assert (array == np.arange(50_000)).all()


def test_an_array_has_a_name_or_an_error_says_what_one_is() -> None:
    for array in (homenode.zeros(10_000), np.zeros(10_000), np.zeros(0)):
        homenode.name(array, "grid of u")
    for wrong in ("", "u[1]", "x" * 64):
        with pytest.raises(homenode.HomenodeError, match="1 to 63 printable"):
            homenode.name(homenode.zeros(10), wrong)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("rule", ["rows", "columns:16", "blocks"])
def test_arrays_are_cut_by_their_shape(rule: str, order: Literal["C", "F"]) -> None:
    array = homenode.zeros((128, 64, 8), rule, order=order)
    assert homenode.where(array).pages_on_no_node == {}
    assert homenode.place(np.ones((64, 64), order=order), rule).pages_refused == 0
    with pytest.raises(homenode.HomenodeError, match="shape"):
        homenode.place(np.ones((64, 64))[::2], rule)


def test_next_touch_is_for_whole_arrays_of_our_own() -> None:
    array = homenode.zeros((8, 512), "block")
    array[:] = 3
    homenode.place(array, "next-touch")
    assert array.sum() == 3 * array.size
    homenode.place(array, "next-touch")
    assert homenode.place(array.reshape(-1), "default").pages_moved == 0
    assert array.sum() == 3 * array.size
    for other in (array[2:3], np.zeros(5000)):
        with pytest.raises(homenode.HomenodeError, match="next-touch"):
            homenode.place(other, "next-touch")
    homenode.place(array, "next-touch")
    del array  # Armed memory goes like any other.


def test_a_receipt_tells_of_its_own_call_only() -> None:
    array = homenode.zeros(5_000)
    first = homenode.place(array, "block")
    again = homenode.place(array, "block")
    assert first.pages_as_planned == again.pages_as_planned == homenode.where(array).nodes.size
    assert again.pages_moved == 0


def test_arrays_of_numpy_are_placed_too() -> None:
    array = np.full((300, 300), 2.0)
    assert homenode.place(array, "block").pages_refused == 0
    assert (array == 2.0).all()
    every_other_row = array[::2, ::-1]
    assert homenode.where(every_other_row).pages_on_no_node == {}


def test_memory_lives_until_the_last_view_dies() -> None:
    size = 64 << 20
    array = homenode.zeros(size, dtype=np.uint8)
    middle = array.__array_interface__["data"][0] + size // 2
    view = array.reshape(64, -1)[3:5, 10:20].T
    view[:] = 5
    del array
    gc.collect()
    assert is_mapped(middle)
    assert view.sum() == 5 * view.size
    del view
    gc.collect()
    assert not is_mapped(middle)


def test_copies_and_pickles_are_ordinary_arrays() -> None:
    array = homenode.zeros(10, "block")
    array[:] = range(10)
    assert (pickle.loads(pickle.dumps(array)) == array).all()
    assert array.copy().base is None
    assert (array + 1).sum() == 55


@pytest.mark.parametrize("shape", [0, (0, 5), (3, 0)])
def test_empty_shapes_have_no_pages(shape: int | tuple[int, ...]) -> None:
    array = homenode.zeros(shape, "block")
    assert array.size == 0
    assert homenode.where(array).nodes.size == 0


def test_scalars_and_structures_are_possible() -> None:
    assert homenode.zeros((), "block").shape == ()
    record = np.dtype([("x", "f4"), ("n", "i8")])
    assert homenode.zeros(7, "block", record)["n"].sum() == 0


def test_errors_are_one_line() -> None:
    with pytest.raises(homenode.HomenodeError, match=r"^[^\n]*nonsense[^\n]*$"):
        homenode.zeros(10, "nonsense")
    with pytest.raises(homenode.HomenodeError, match=r"^[^\n]+65000[^\n]*$"):
        homenode.place(np.zeros(10), "bind@65000")
    with pytest.raises(TypeError, match="references"):
        homenode.zeros(10, dtype=object)
    with pytest.raises(ValueError, match=r"negative|invalid"):
        homenode.zeros(-1)
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        _ = homenode.nothing_of_this_name


def test_pages_that_are_elsewhere_are_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    from homenode import arrays

    receipt = homenode.Receipt(1, 0, 1, 0.0, "1 of 2 pages are not where the rule places them")
    monkeypatch.setattr(arrays, "place", lambda array, rule: receipt)
    with pytest.warns(RuntimeWarning, match="1 of 2 pages"):
        homenode.zeros(10, "block")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        homenode.zeros(10)


def test_arrays_are_filled_and_shaped_like_others() -> None:
    assert (homenode.ones((30, 40), "block") == 1.0).all()
    sevens = homenode.full((300, 40), np.int16(7), "cyclic", order="F")
    assert (sevens == 7).all()
    assert sevens.dtype == np.int16
    assert homenode.where(sevens).pages_on_no_node == {}
    for make, value in ((homenode.zeros_like, 0), (homenode.ones_like, 1)):
        array = make(sevens, "block")
        assert array.shape == sevens.shape
        assert array.dtype == np.int16
        assert array.flags.f_contiguous
        assert (array == value).all()
    halves = homenode.full_like(sevens, 0.5, "block", np.float32)
    assert halves.dtype == np.float32
    assert (halves == 0.5).all()
    assert homenode.empty_like([1, 2, 3]).shape == (3,)


def test_the_package_lists_its_names_and_says_its_version() -> None:
    listed = dir(homenode)
    assert {"zeros_like", "full", "place", "threads", "__version__"} <= set(listed)
    assert all(hasattr(homenode, name) for name in listed)
    assert homenode.__version__ == homenode.version()
    assert Path(homenode.__file__).with_name("py.typed").is_file()


FILTER = Path(__file__).resolve().parents[1] / "support" / "forbid_policies.c"
ARRAYS_ANYWAY = """
import sys, warnings, homenode
import numpy as np
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for _ in range(3):
        assert homenode.ones(100_000, "cyclic").sum() == 100_000
        assert homenode.zeros(100_000, "bind@0").sum() == 0
        with homenode.placing("bind@0"):
            assert np.ones(100_000).sum() == 100_000
print(*(f"{each.filename}: {each.message}" for each in told), sep="\\n")
try:
    homenode.place(homenode.zeros(100_000), "cyclic")
except homenode.HomenodeError:
    sys.exit(7)
"""


@pytest.fixture(scope="module")
def forbidding(tmp_path_factory: pytest.TempPathFactory) -> str:
    program = tmp_path_factory.mktemp("filter") / "forbid_policies"
    subprocess.run(["cc", "-std=c11", "-O1", FILTER, "-o", program], check=True)
    return str(program)


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the calls of x86-64")
@pytest.mark.parametrize("what", ["setting", "all"])
def test_where_the_kernel_refuses_an_array_is_made_with_one_warning(
    forbidding: str, what: str
) -> None:
    command = [forbidding, what, sys.executable, "-c", ARRAYS_ANYWAY]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 7, result.stderr  # place() is asked for nothing else, so it fails.
    cyclic, bind = result.stdout.splitlines()
    assert cyclic.startswith("<string>: arrays are not placed by 'cyclic': ")
    assert bind.startswith("<string>: arrays are not placed by 'bind@0': ")
    assert "seccomp" in cyclic


def test_numpy_is_loaded_only_for_arrays() -> None:
    """The verbs, which import the package too, start without it."""
    script = (
        "import homenode, homenode.lab, sys; homenode.version(); sys.exit('numpy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    "view",
    [
        lambda array: array,
        lambda array: array[::2, 1:3],
        lambda array: array[::-1],
        lambda array: array[2:, ::-2].T,
        lambda array: array[1, 2, ...],
    ],
)
def test_the_bytes_of_a_view_are_numpys(view: Callable[[Any], Any]) -> None:
    array_utils = pytest.importorskip("numpy.lib.array_utils")
    array = view(np.zeros((6, 5), dtype=np.int16))
    assert arrays._byte_bounds(array) == array_utils.byte_bounds(array)
