"""Builds the newest versions of other allocators as libraries to preload: their sources come with
crates (`cargo` fetches them), which Debian's packages lag behind by years. Needs cargo, cc, c++ and
make; what is built goes to a folder of the caller's."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

# The crates, in the versions that docs/the-allocator.md's figures are of.
CRATES = {
    "libmimalloc-sys": "=0.1.49",
    "snmalloc-sys": "=0.7.6",
    "rpmalloc-sys": "=0.2.3",
    "tikv-jemalloc-sys": "=0.7.1",
}
SHARED = ("-O3", "-DNDEBUG", "-fPIC", "-shared", "-ftls-model=initial-exec", "-fno-builtin-malloc")
LIBRARIES = ("-lpthread", "-ldl")


def run(folder: Path, *command: str | Path) -> str:
    """What a command prints; it must succeed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(f"{' '.join(words[:2])} failed in {folder}: {done.stderr[-2000:]}")
    return done.stdout


def sources(folder: Path) -> dict[str, Path]:
    """Where cargo has put each crate's sources."""
    lines = [f'{name} = "{version}"' for name, version in CRATES.items()]
    package = '[package]\nname = "peers"\nversion = "0.0.0"\n[lib]\npath = "peers.rs"\n'
    (folder / "Cargo.toml").write_text(package + "[dependencies]\n" + "\n".join(lines))
    (folder / "peers.rs").touch()
    found = json.loads(run(folder, "cargo", "metadata", "--format-version", "1"))
    paths = {one["name"]: Path(one["manifest_path"]).parent for one in found["packages"]}
    return {name: paths[name] for name in CRATES}


def mimalloc(version: str) -> Callable[[Path, Path], None]:
    """A build of one of the versions that the crate has."""

    def build(crate: Path, target: Path) -> None:
        source = crate / "c_src/mimalloc" / version
        defines = ("-DMI_MALLOC_OVERRIDE", "-DMI_SHARED_LIB", "-DMI_SHARED_LIB_EXPORT")
        include = f"-I{source}/include"
        file = source / "src/static.c"
        run(source, "cc", *SHARED, *defines, include, file, "-o", target, *LIBRARIES)

    return build


def snmalloc(crate: Path, target: Path) -> None:
    """The files that have libc's and C++'s names."""
    flags = ("-std=c++20", "-mcx16", "-DSNMALLOC_USE_WAIT_ON_ADDRESS=1")
    known = ("-DSNMALLOC_HAS_LINUX_FUTEX_H", "-DSNMALLOC_PLATFORM_HAS_GETENTROPY")
    source = crate / "upstream/src"
    files = [source / "snmalloc/override" / name for name in ("malloc.cc", "new.cc")]
    run(source, "c++", *SHARED, *flags, *known, f"-I{source}", *files, "-o", target, *LIBRARIES)


def rpmalloc(crate: Path, target: Path) -> None:
    """Its own preload build."""
    source = crate / "rpmalloc/rpmalloc"
    defines = ("-D_GNU_SOURCE", "-DENABLE_PRELOAD=1", "-DENABLE_OVERRIDE=1")
    run(source, "cc", *SHARED, *defines, "rpmalloc.c", "-o", target, *LIBRARIES)


def jemalloc(crate: Path, target: Path) -> None:
    """By its own make files, in a copy of the sources: the crate has configure elsewhere."""
    with tempfile.TemporaryDirectory(prefix="heap-peers-") as name:
        folder = Path(name) / "jemalloc"
        shutil.copytree(crate / "jemalloc", folder)
        shutil.copy(crate / "configure/configure", folder)
        run(folder, "sh", "configure", "--disable-doc")
        run(folder, "make", f"-j{os.cpu_count()}", "build_lib_shared")
        target.write_bytes((folder / "lib/libjemalloc.so.2").read_bytes())


PEERS: dict[str, tuple[str, Callable[[Path, Path], None]]] = {
    "mimalloc3": ("libmimalloc-sys", mimalloc("v3")),
    "mimalloc2": ("libmimalloc-sys", mimalloc("v2")),
    "snmalloc": ("snmalloc-sys", snmalloc),
    "rpmalloc": ("rpmalloc-sys", rpmalloc),
    "jemalloc": ("tikv-jemalloc-sys", jemalloc),
}


def build(target: Path) -> None:
    """All of them, as NAME.so in a folder."""
    target = target.resolve()
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="heap-peers-") as name:
        crates = sources(Path(name))
        for peer, (crate, make) in PEERS.items():
            make(crates[crate], target / f"{peer}.so")
            print(f"{target / peer}.so: from {crates[crate].name}", flush=True)
