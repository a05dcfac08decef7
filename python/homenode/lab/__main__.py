"""python -m homenode.lab, and the command homenode-lab."""

import sys

from homenode.lab.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
