"""What the lab counts of a program of one's own, in Python: the sum alone, not how it is filled.

homenode lab run --machine quad-4x2 --stats -- python3 own_program.py
"""

import numpy as np

import homenode

array = np.arange(1 << 20) % 2.0
with homenode.roi():
    total = array.sum()
print(f"sum {total:.0f}")
