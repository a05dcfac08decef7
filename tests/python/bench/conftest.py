"""The benchmarks are a folder of scripts and of the package `heap`; here they are imported."""

import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parents[3] / "bench"
if str(BENCH) not in sys.path:
    sys.path.append(str(BENCH))
