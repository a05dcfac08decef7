"""Who uses what: the patterns by which threads share a program's data."""

from homenode.profile.correlation import Uses
from homenode.profile.patterns import Pattern, Sharing, classify

__all__ = ["Pattern", "Sharing", "Uses", "classify"]
