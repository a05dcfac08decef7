"""Recipes of packages name what the build needs, in versions that the project accepts."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from release.version import version

ROOT = Path(__file__).resolve().parents[3]
PACKAGING = ROOT / "packaging"
SPACK = (PACKAGING / "spack/package.py").read_text()
CONDA = (PACKAGING / "conda/meta.yaml").read_text()
DEBIAN = (PACKAGING / "deb/build").read_text()
NEEDED = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]


@pytest.mark.parametrize("needed", NEEDED)
def test_every_recipe_has_what_the_python_part_needs(needed: str) -> None:
    name, _, least = needed.partition(">=")
    assert f'depends_on("py-{name}@{least}:"' in SPACK
    assert CONDA.count(f"- {name} >={least}") == 2
    assert f"python3-{name}" in DEBIAN


def test_every_recipe_has_what_the_native_part_needs() -> None:
    dev = re.search(r"^readonly packages_build=\(([^)]*)\)", (ROOT / "dev").read_text(), re.M)
    assert dev
    libraries = {"hwloc", "fmt", "nlohmann", "cli11", "zydis"}
    assert all(library in dev[1] for library in libraries)
    container = (PACKAGING / "Containerfile").read_text()
    clean_root = (PACKAGING / "deb/test-in-clean-root").read_text()
    for recipe in (SPACK, CONDA, container, clean_root):
        assert all(library in recipe for library in libraries)


def test_spack_is_python_and_names_this_version() -> None:
    ast.parse(SPACK)
    assert re.search(rf'^    version\("{re.escape(version(ROOT))}"', SPACK, re.MULTILINE)


def test_the_switches_of_recipes_exist() -> None:
    defined = set(
        re.findall(r"(?:option|set)\((HOMENODE_\w+)", (ROOT / "CMakeLists.txt").read_text())
    )
    defined |= set(re.findall(r"option\((HOMENODE_\w+)", (ROOT / "cmake/room.cmake").read_text()))
    for recipe in (SPACK, CONDA, DEBIAN):
        assert (
            set(re.findall(r"\bHOMENODE_[A-Z_]+\b", recipe)) - {"HOMENODE_IN_NAMESPACE"} <= defined
        )


def test_the_workflow_runs_what_a_person_runs() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())
    steps = [
        step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step
    ]
    assert "./dev test" in steps
    assert any(step.startswith("packaging/deb/test-in-clean-root") for step in steps)
    for step in steps:
        assert (ROOT / step.split()[0]).exists() or step.split()[0] in ("apt-get", "git")


def test_the_scripts_of_debian_packages_are_shell() -> None:
    for script in (PACKAGING / "deb").iterdir():
        subprocess.run(["bash", "-n", str(script)], check=True)
