"""Next touch moves exactly the touched pages to the node of the thread that touched them."""

import json
import shutil
from typing import Any

import pytest

from homenode.lab import Lab

NODE_OF_CPU = {0: 0, 2: 1, 4: 2, 7: 3}
CPUS = list(NODE_OF_CPU)


def touched(lab: Lab, pages: int, unit: int, cpus: list[int]) -> dict[str, Any]:
    program = shutil.which("next_touch_probe")
    assert program, "next_touch_probe is not on PATH; run the tests through ./dev test"
    result = lab.run([program, str(pages), str(unit), *map(str, cpus)], timeout_s=120)
    assert result.status == 0, result.stderr.decode()
    answer = json.loads(result.stdout)
    assert isinstance(answer, dict)
    return answer


# 1600 pages are written as huge pages first, which must be divided to move page by page.
@pytest.mark.parametrize(("pages", "unit"), [(90, 1), (1600, 1), (203, 8)])
def test_touched_pages_are_on_the_touchers_node_and_the_others_stay(
    quad: Lab, pages: int, unit: int
) -> None:
    answer = touched(quad, pages, unit, CPUS)
    turns = [*CPUS, None]
    owners = [turns[page // unit % len(turns)] for page in range(pages)]
    assert answer["before"] == [NODE_OF_CPU[CPUS[0]]] * pages
    assert answer["after"] == [NODE_OF_CPU[CPUS[0] if cpu is None else cpu] for cpu in owners]
    assert answer["kept"]
    units = [owners[first] for first in range(0, pages, unit)]
    assert answer["counts"] == {
        "units": len(units),
        "touched": sum(cpu is not None for cpu in units),
        "moved": sum(cpu is not None for cpu in owners),
        "left": 0,
        "gave_up": False,
    }
