"""A lab for tests: where it cannot start they are skipped and say so.

With HOMENODE_LAB_REQUIRED set, as in CI, a lab that cannot start is a failure.
"""

import os

import pytest

from homenode.lab import Lab, LabError


def lab_or_skip(*arguments: object, **options: object) -> Lab:
    try:
        return Lab(*arguments, **options)  # type: ignore[arg-type]
    except LabError as error:
        if os.environ.get("HOMENODE_LAB_REQUIRED"):
            raise
        pytest.skip(f"the lab cannot start here: {error}")
