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
FLAGS = ("-DHAVE_STREAM_LIB", "-DHAVE_MT", "-DHAVE_CLEAR_CACHE")


def compile_suite(source: Path, build: Path) -> str:
    """Compiles library, programs and tests into an empty folder; gives the version."""
    version = (source / "VERSION").read_text().strip()
    (build / "test").mkdir()
    (build / "config.h").write_text("#define HAVE_ATTRIBUTE_SYMVER 1\n")
    compiler = ["cc", "-w", "-O1", f"-I{build}", f"-I{source}", f'-DVERSION="{version}"', *FLAGS]
    linker = [f"version-script,{source}/versions.ldscript", "-init,numa_init", "-fini,numa_fini"]
    library = build / "libnuma.so.1"
    shared = ["-shared", "-fPIC", *(f"-Wl,--{flag}" for flag in linker[:1])]
    shared += [f"-Wl,{flag}" for flag in (*linker[1:], f"-soname,{library.name}")]
    subprocess.run(
        [*compiler, *shared, *(source / f"{name}.c" for name in LIBRARY), "-o", library], check=True
    )
    tests = {f"test/{path.stem}": path for path in (source / "test").glob("*.c")}
    tests = {name: path for name, path in tests.items() if path.stem not in ("tshm", "getnodemask")}
    programs = {name: [f"{part}.c" for part in parts] for name, parts in PROGRAMS.items()}
    for name, path in tests.items():
        programs[name] = [str(path), *(["util.c"] if path.stem in WITH_UTIL else [])]
    for name, sources in programs.items():
        # A copy of the folder, as tests in a guest need one, finds its own library.
        above = "/.." if name.startswith("test/") else ""
        link = [library, "-lm", f"-Wl,-rpath,$ORIGIN{above}", "-o", build / name]
        subprocess.run([*compiler, *(source / part for part in sources), *link], check=True)
    for path in (source / "test").iterdir():
        if path.suffix == "" and path.is_file():
            (build / "test" / path.name).write_bytes(path.read_bytes())
            (build / "test" / path.name).chmod(0o755)
    return version
