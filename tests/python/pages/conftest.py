"""The command whose pages are looked at."""

import shutil

import pytest


@pytest.fixture(scope="session")
def command() -> str:
    """The release build's, wherever PATH has it."""
    found = shutil.which("homenode")
    if found is None:
        pytest.skip("homenode is not on PATH; run the tests through ./dev test")
    return found
