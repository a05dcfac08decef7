"""How a size of memory is written."""

import pytest

from homenode.sizes import size_text


@pytest.mark.parametrize(
    ("byte_count", "text"),
    [
        (0, "0 bytes"),
        (7, "7 bytes"),
        (1023, "1023 bytes"),
        (1024, "1 KiB"),
        (1 << 20, "1 MiB"),
        (1310720, "1.25 MiB"),
        (3 << 19, "1.5 MiB"),
        (999 << 20, "999 MiB"),
        ((1 << 30) - 1, "1 GiB"),
        (8 << 30, "8 GiB"),
        (1 << 34, "16 GiB"),
        (3 << 45, "96 TiB"),
    ],
)
def test_a_size_has_three_digits_in_the_largest_unit_that_fits(byte_count: int, text: str) -> None:
    assert size_text(byte_count) == text
