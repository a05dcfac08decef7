"""What the paper itself claims: Table 1 of Luo et al. 2012, as printed, and what its prose adds."""

from collections.abc import Mapping
from dataclasses import dataclass

SOURCE = (
    "Q. Luo, C. Liu, C. Kong, Y. Cai: MAP-numa: Access Patterns Used to Characterize the NUMA "
    "Memory Access Optimization Techniques and Algorithms, NPC 2012, Table 1."
)


@dataclass(frozen=True)
class Mark:
    """One cell. `healed` is None where nothing is printed and the prose does not decide either."""

    printed: str
    healed: bool | None
    prose: str = ""


YES = Mark("✓", True)
NO = Mark("×", False)

METHODS = ("default", "command-line", "api", "rewrite")

TABLE: Mapping[str, Mapping[str, Mark]] = {
    "shared": dict(zip(METHODS, (NO, YES, YES, YES), strict=True)),
    "divided": {
        "default": NO,
        "command-line": Mark("", False, "the prose says “not perfectly”"),
        "api": YES,
        "rewrite": YES,
    },
    "interleaved": dict(zip(METHODS, (NO, NO, NO, YES), strict=True)),
    "multi-patterns": {
        "default": NO,
        "command-line": NO,
        "api": Mark("", True, "the prose says that the API can handle it"),
        "rewrite": YES,
    },
}
