"""`python3 -m homenode.lab`: the command homenode-lab."""

import sys

from homenode.command import lab

if __name__ == "__main__":
    sys.exit(lab())
