"""Compiles an unpacked source tree of numactl, for comparison; nothing of it is in this repository.

Without its configure script, which needs libtool.
"""

import subprocess
from pathlib import Path

LIBRARY = ("libnuma", "syscall", "distance", "affinity", "sysfs", "rtnetlink")
PROGRAMS = {
    "numactl": ("numactl", "util", "shm"),
    "numastat": ("numastat",),
    "memhog": ("memhog", "util"),
    "migratepages": ("migratepages", "util"),
    "numademo": ("numademo", "stream_lib", "mt", "clearcache", "util"),
}
WITH_UTIL = ("node-parse", "prefered", "tbitmap")
NOT_BUILT = ("tshm", "getnodemask")  # Its Makefile has no rule for them either.
FLAGS = ("-DHAVE_STREAM_LIB", "-DHAVE_MT", "-DHAVE_CLEAR_CACHE")


def compile_suite(source: Path, build: Path) -> str:
    """Compiles library, programs and tests into an empty folder; gives the version."""
    version = (source / "VERSION").read_text().strip()
    (build / "test").mkdir()
    (build / "config.h").write_text("#define HAVE_ATTRIBUTE_SYMVER 1\n")
    compiler = ["cc", "-w", "-O1", f"-I{build}", f"-I{source}", f'-DVERSION="{version}"', *FLAGS]
    library = build / "libnuma.so.1"
    names = f"--version-script,{source}/versions.ldscript"
    linker = [names, "-init,numa_init", "-fini,numa_fini", f"-soname,{library.name}"]
    parts = [source / f"{name}.c" for name in LIBRARY]
    shared = ["-shared", "-fPIC", *(f"-Wl,{words}" for words in linker)]
    subprocess.run([*compiler, *shared, *parts, "-o", library], check=True)
    for name, sources in (PROGRAMS | tests_of(source)).items():
        # A copy of the folder, as tests in a guest need one, finds its own library.
        above = "/.." if name.startswith("test/") else ""
        link = [library, "-lm", f"-Wl,-rpath,$ORIGIN{above}", "-o", build / name]
        subprocess.run([*compiler, *(source / f"{part}.c" for part in sources), *link], check=True)
    copy_scripts(source / "test", build / "test")
    return version


def tests_of(source: Path) -> dict[str, tuple[str, ...]]:
    """The tests that are programs, with their sources, as PROGRAMS has them."""
    names = sorted(path.stem for path in (source / "test").glob("*.c"))
    return {
        f"test/{name}": (f"test/{name}", *(("util",) if name in WITH_UTIL else ()))
        for name in names
        if name not in NOT_BUILT
    }


def copy_scripts(tests: Path, folder: Path) -> None:
    """The tests that are scripts."""
    for path in tests.iterdir():
        if path.suffix == "" and path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
            (folder / path.name).chmod(0o755)
