"""Exact counts from the lab: they add up to the plugin's own, and tell patterns right."""

import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from lab_driver import ROOT
from lab_start import lab_or_skip
from map_cuts import expected

from homenode.lab import Lab, Result
from homenode.profile import Pattern, Sharing, Uses, classify
from homenode.profile.attribution import attribute
from homenode.profile.exposure import weights
from homenode.profile.lab_recording import LabRecording, recording_of
from homenode.profile.record import Operation
from homenode.profile.recording import Recording, Samples, parse, read_recording, write_recording

LINE = 64
COMMAND = str(ROOT / "build" / "release" / "bin" / "homenode")
