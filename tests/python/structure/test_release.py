"""The version is in one place, and a release is what its files say."""

import gzip
import subprocess
import tomllib
from pathlib import Path

import pytest

from release import archive, version

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Files that name version 1.2.3, with an unreleased change."""
    (tmp_path / version.CMAKE).write_text("project(homenode VERSION 1.2.3 LANGUAGES C)\n")
    (tmp_path / version.CITATION).write_text("version: 1.2.3\ndate-released: 2020-01-01\n")
    (tmp_path / version.CHANGELOG).write_text("# Changelog\n\n## Unreleased\n\n- A change.\n")
    return tmp_path


def test_the_files_of_this_tree_agree() -> None:
    assert version.disagreements(ROOT) == []


def test_the_python_package_reads_the_version_where_cmake_has_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert "version" not in project["project"]
    metadata = pytest.importorskip("scikit_build_core.metadata.regex")
    settings = project["tool"]["scikit-build"]["metadata"]["version"]
    given = {key: settings[key] for key in ("input", "regex")}
    given["input"] = str(ROOT / given["input"])
    assert metadata.dynamic_metadata("version", given) == version.version(ROOT)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (version.CITATION, "1.2.3", "1.2.2", "CITATION.cff names version 1.2.2"),
        (version.CHANGELOG, "Unreleased", "1.2.2 (2020-01-01)", "CHANGELOG.md begins with 1.2.2"),
    ],
)
def test_a_file_of_another_version_is_named(
    tree: Path, file: str, old: str, new: str, said: str
) -> None:
    assert version.disagreements(tree) == []
    (tree / file).write_text((tree / file).read_text().replace(old, new))
    (complaint,) = version.disagreements(tree)
    assert complaint.startswith(said)


def test_a_tree_is_a_release_once_it_is_prepared(tree: Path) -> None:
    assert any("unreleased changes" in line for line in version.hindrances(tree))
    version.prepare(tree, "1.3.0", "2021-02-03")
    assert version.hindrances(tree) == []
    assert version.version(tree) == "1.3.0"
    assert (tree / version.CITATION).read_text() == "version: 1.3.0\ndate-released: 2021-02-03\n"
    changelog = (tree / version.CHANGELOG).read_text()
    assert "## 1.3.0 (2021-02-03)" in changelog
    assert version.section(changelog, "1.3.0") == "- A change."


def test_a_section_that_says_nothing_is_no_release(tree: Path) -> None:
    (tree / version.CHANGELOG).write_text("## 1.2.3 (2020-01-01)\n\n## 1.2.2\n\n- Older.\n")
    assert any("has no section" in line for line in version.hindrances(tree))


def test_what_is_no_version_is_refused(tree: Path) -> None:
    with pytest.raises(ValueError, match="is not a version"):
        version.prepare(tree, "next", "2021-02-03")


def test_the_archive_is_the_same_from_the_same_commit(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "file").write_text("content\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", str(root), *identity, *words], check=True)
    (root / "not committed").write_text("x")
    made = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        made.append(archive.source_archive(root, "1.2.3", folder))
    assert made[0].read_bytes() == made[1].read_bytes()
    assert archive.digest(made[0]).endswith("  homenode-1.2.3.tar.gz")
    assert b"homenode-1.2.3/file" in gzip.decompress(made[0].read_bytes())
    assert b"not committed" not in gzip.decompress(made[0].read_bytes())
