"""How the page writes times and ratios."""

import pytest

from homenode.report.words import duration, ratio


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (2.5, "2.50 s"),
        (123.4, "123 s"),
        (1234.0, "1230 s"),
        (0.9999, "1.00 s"),
        (0.002721, "2.72 ms"),
        (0.0272, "27.2 ms"),
        (0.272, "272 ms"),
        (0.0004637, "464 µs"),
        (5e-9, "5.00 ns"),
        (1e-12, "0.00 ns"),
    ],
)
def test_a_time_has_three_digits_in_the_unit_that_suits_it(seconds: float, text: str) -> None:
    assert duration(seconds).replace("\N{NARROW NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize(("value", "text"), [(1.0, "1.00"), (0.128, "0.13"), (0.0561, "0.056")])
def test_a_ratio_has_two_digits_that_say_something(value: float, text: str) -> None:
    assert ratio(value) == text
