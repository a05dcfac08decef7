"""`python3 -m homenode.study`: the command homenode-study."""

import sys

from homenode.command import study

if __name__ == "__main__":
    sys.exit(study())
