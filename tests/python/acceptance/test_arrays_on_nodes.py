"""Arrays land page for page where their rule says, from every language, on four nodes."""

import json
import sys
from pathlib import Path

import example_programs as examples
import pytest

from homenode import places
from homenode.lab import Lab

PAGES = 1000
ON_FOUR_NODES = f"""
import json, os, sys
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np
import homenode
from homenode import threads

def nodes(array):
    return homenode.where(array).nodes.tolist()

answer = {{}}
for rule in ("cyclic@0-3", "cyclic:3@1,3", "block@0-3", "skew@0-3", "bind@2"):
    array = homenode.zeros({PAGES} * 4096, rule, np.uint8)
    array[:] = 1
    answer[rule] = nodes(array)
moving = homenode.zeros({PAGES} * 4096, "bind@1", np.uint8)
moving[:] = np.arange(moving.size) % 251
receipt = homenode.place(moving, "cyclic@0-3")
answer["moved"] = [nodes(moving), receipt.pages_moved, receipt.pages_refused]
answer["kept"] = bool((moving == np.arange(moving.size) % 251).all())
matrix = homenode.zeros((64, 4096), "rows@0-3", np.uint8)
answer["rows"] = nodes(matrix)
columns = homenode.zeros((4096, 64), "columns@0-3", np.uint8, order="F")
answer["columns"] = nodes(columns)
with homenode.placing("cyclic@0-3"):
    made = np.ones({PAGES} * 4096, np.uint8)
    answer["placing"] = [nodes(made), nodes(made + made)]
answer["copied"] = nodes(made.copy())
with homenode.placing("block@1,3"):
    answer["copied inside"] = nodes(made.copy())
threads.bind("6")
threads.place("local")
touched = homenode.zeros(100 * 4096, None, np.uint8)  # Fresh: malloc may give memory used before.
touched[:] = 1
answer["thread"] = [threads.where(), threads.cpus(), nodes(touched)]
touched = homenode.zeros(64 * 4096, "bind@1", np.uint8)
touched[:] = 7
homenode.place(touched, "next-touch")
answer["next-touch sum"] = int(touched[: 16 * 4096].sum())  # On CPU 6, of node 3.
homenode.place(touched, "default")
answer["next-touch"] = nodes(touched)
sys.path.insert(0, {str(examples.EXAMPLES)!r})
threads.place("default")
threads.bind("all")
import rows
rows.main("rows", "0-7")
print(json.dumps(answer))
"""


@pytest.fixture(scope="module")
def from_python(quad: Lab, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, str]:
    """What one Python program on four nodes found out, and what the example printed there."""
    script = tmp_path_factory.mktemp("python") / "on_four_nodes.py"
    script.write_text(ON_FOUR_NODES)
    folder = f"{places.LIBEXEC}={examples.library().parent}"
    result = quad.run(["env", folder, sys.executable, str(script)], timeout_s=300)
    assert result.status == 0, result.stderr
    *printed, answer = result.stdout.decode().splitlines()
    return json.loads(answer), "\n".join(printed) + "\n"


def test_numpy_arrays_land_page_for_page(from_python: tuple[dict, str]) -> None:
    answer, _ = from_python
    assert answer["cyclic@0-3"] == [p % 4 for p in range(PAGES)]
    assert answer["cyclic:3@1,3"] == [(1, 3)[p // 3 % 2] for p in range(PAGES)]
    assert answer["block@0-3"] == [p * 4 // PAGES for p in range(PAGES)]
    assert answer["skew@0-3"] == [(p + p // 4 + 1) % 4 for p in range(PAGES)]
    assert answer["bind@2"] == [2] * PAGES


def test_what_numpy_allocates_inside_placing_lands_page_for_page(
    from_python: tuple[dict, str],
) -> None:
    answer, _ = from_python
    assert answer["placing"] == [[p % 4 for p in range(PAGES)]] * 2
    assert answer["copied"] != answer["placing"][0]
    assert answer["copied inside"] == [(1, 3)[p * 2 // PAGES] for p in range(PAGES)]


def test_arrays_that_are_placed_again_move_and_keep_their_values(
    from_python: tuple[dict, str],
) -> None:
    answer, _ = from_python
    nodes, moved, refused = answer["moved"]
    assert nodes == [p % 4 for p in range(PAGES)]
    assert moved == sum(p % 4 != 1 for p in range(PAGES))
    assert refused == 0
    assert answer["kept"]


def test_next_touch_moves_exactly_what_is_touched(from_python: tuple[dict, str]) -> None:
    answer, _ = from_python
    assert answer["next-touch sum"] == 7 * 16 * 4096
    assert answer["next-touch"] == [3] * 16 + [1] * 48


def test_matrices_are_cut_by_their_indices(from_python: tuple[dict, str]) -> None:
    answer, _ = from_python
    assert answer["rows"] == answer["columns"] == [row * 4 // 64 for row in range(64)]


def test_a_thread_gets_its_cpu_and_its_memory(from_python: tuple[dict, str]) -> None:
    answer, _ = from_python
    assert answer["thread"] == [[6, 3], [6], [3] * 100]


def test_the_python_example_puts_rows_on_four_nodes(from_python: tuple[dict, str]) -> None:
    _, printed = from_python
    assert examples.pages_on_node(printed) == dict.fromkeys(range(4), examples.PAGES // 4)


def test_compiled_examples_put_their_matrix_on_four_nodes(quad: Lab, tmp_path: Path) -> None:
    for program in examples.COMPILERS:
        assert not examples.missing(program), f"needs {examples.missing(program)}; ./dev setup"
        command = examples.command(program, tmp_path)
        arguments = [examples.default_rule(program), "0-7"]
        result = quad.run(["env", "OMP_NUM_THREADS=8", *command, *arguments])
        assert result.status == 0, result.stderr
        pages = examples.pages_on_node(result.stdout.decode())
        assert pages == dict.fromkeys(range(4), examples.PAGES // 4), program
