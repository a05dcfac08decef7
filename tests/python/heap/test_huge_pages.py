"""Where the kernel hands out huge pages unasked, a small program's heap does not become one: in the
lab, whose guest can be told to."""

import pytest
from lab_start import lab_or_skip

from homenode.study.command import find_command

pytestmark = pytest.mark.lab

PEAK = ("awk", "/VmHWM/ {print $2}", "/proc/self/status")
HUGE_PAGE_KIB = 2048


@pytest.mark.parametrize("policy", ["local", "bind"])
def test_a_small_program_does_not_fill_a_huge_page(policy: str) -> None:
    # Linux gives none below 512 MiB.
    with lab_or_skip("tiny-2x2", plugin=False, huge_pages=True, node_memory_mib=384) as lab:
        ours = (str(find_command()), "run", "--malloc", policy, "--", *PEAK)
        # One in some starts has a huge page all the same: where the library's own data lie so that
        # one fits into them.
        peaks = [min(int(lab.run(list(words)).stdout) for _ in range(4)) for words in (PEAK, ours)]
    assert peaks[1] - peaks[0] < HUGE_PAGE_KIB // 2
