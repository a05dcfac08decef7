"""What must hold on a real kernel with several nodes: the lab, or the tests say why not.

These labs count and keep no clock, which takes half the time: modelled time has tests of its own.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_start import lab_or_skip

from homenode.lab import Lab


@pytest.fixture(scope="session")
def command() -> str:
    """The command under test: the release build's, wherever PATH has it."""
    found = shutil.which("homenode")
    assert found, "homenode is not on PATH; run the tests through ./dev test"
    return found


@pytest.fixture(scope="session")
def quad(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One booted quad-4x2 for all tests that only need four nodes."""
    with lab_or_skip("quad-4x2", tmp_path_factory.mktemp("quad"), timing=False) as lab:
        yield lab


@pytest.fixture(scope="session")
def hp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One booted hp-8x4, the machine of the MAP-numa paper."""
    with lab_or_skip("hp-8x4", tmp_path_factory.mktemp("hp"), timing=False) as lab:
        yield lab


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(str(item.fspath)).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.lab)
