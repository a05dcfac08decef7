"""Warnings are errors for who develops homenode, and warnings for who builds it."""

import json
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_no_build_file_makes_errors_of_warnings_by_itself() -> None:
    files = [
        *ROOT.glob("cmake/*.cmake"),
        *ROOT.glob("src/**/CMakeLists.txt"),
        ROOT / "CMakeLists.txt",
    ]
    lines = [line for file in files for line in file.read_text().splitlines()]
    assert [line.strip() for line in lines if "-Werror" in line] == [
        "set(HOMENODE_WERROR_FLAG -Werror)"
    ]


def test_each_preset_makes_errors_of_warnings() -> None:
    presets = {
        preset["name"]: preset
        for preset in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    }

    def value(name: str) -> str | None:
        preset = presets[name]
        own = preset.get("cacheVariables", {}).get("HOMENODE_WERROR")
        return own or (value(preset["inherits"]) if "inherits" in preset else None)

    assert {name: value(name) for name in presets} == dict.fromkeys(presets, "ON")


def test_a_wheel_is_built_without() -> None:
    defined = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]["cmake"]
    assert "HOMENODE_WERROR" not in defined["define"]
