"""`python3 -m homenode.draw`: the command homenode-draw."""

import sys

from homenode.command import draw

if __name__ == "__main__":
    sys.exit(draw())
