"""homenode.lab.initramfs, modules and kernel: the guest's first files, byte by byte."""

import gzip
import lzma
import struct
import subprocess
from pathlib import Path

import pytest

from homenode.lab import LabError
from homenode.lab.initramfs import archive, entries
from homenode.lab.kernel import (
    HEADER_MAGIC,
    PAYLOAD,
    PVH_NOTE,
    SETUP_SECTORS,
    Kernel,
    decompress,
    find_kernel,
    unpack_image,
)
from homenode.lab.modules import dependencies, load_order, without_signature


def module(*needs: str) -> bytes:
    return b"\x7fELF..\0depends=" + ",".join(needs).encode() + b"\0rest"


def kernel_tree(root: Path, release: str = "6.1.0-test") -> Kernel:
    modules = root / "lib/modules" / release
    files = {
        "virtio/virtio_pci.ko": lzma.compress(module("virtio-ring"), lzma.FORMAT_XZ),
        "virtio/virtio_ring.ko": module(),
        "9p/9pnet.ko": gzip.compress(module()),
        "9p/9pnet_virtio.ko": module("9pnet", "virtio_ring"),
        "9p/9p.ko": module("9pnet"),
        "overlay.ko": module(),
    }
    for name, content in files.items():
        path = modules / "kernel" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        suffix = ".xz" if content.startswith(b"\xfd") else ".gz" if content[0] == 0x1F else ""
        path.with_name(path.name + suffix).write_bytes(content)
    (modules / "modules.builtin").write_text("kernel/drivers/char/virtio_console.ko\n")
    (root / "boot").mkdir(exist_ok=True)
    (root / "boot" / f"vmlinuz-{release}").write_bytes(b"not a kernel")
    return Kernel(root / "boot" / f"vmlinuz-{release}", modules)


def test_the_archive_is_one_that_cpio_reads():
    data = archive(entries(b"INIT", [("9p", b"odd")]))
    listed = subprocess.run(["cpio", "-itv"], input=data, capture_output=True, check=True)
    lines = listed.stdout.decode().splitlines()
    assert [line.split()[-1] for line in lines] == [
        "dev", "dev/console", "lib", "init", "modules", "lib/9p.ko",
    ]  # fmt: skip
    assert lines[1].startswith("crw") and "5,   1" in lines[1]
    content = subprocess.run(
        ["cpio", "-i", "--to-stdout", "modules"], input=data, capture_output=True, check=True
    )
    assert content.stdout == b"/lib/9p.ko\n"


def test_modules_are_loaded_after_what_they_need_and_builtin_ones_not_at_all(tmp_path: Path):
    order = [name for name, _ in load_order(kernel_tree(tmp_path))]
    assert order == ["virtio_ring", "virtio_pci", "9pnet", "9pnet_virtio", "9p", "overlay"]


def test_packed_modules_arrive_unpacked(tmp_path: Path):
    contents = dict(load_order(kernel_tree(tmp_path)))
    assert contents["virtio_pci"] == module("virtio-ring")
    assert contents["9pnet"] == module()


def test_a_kernel_without_9p_is_named_with_what_to_do(tmp_path: Path):
    kernel = kernel_tree(tmp_path)
    (kernel.modules / "kernel/9p/9p.ko").unlink()
    with pytest.raises(LabError, match=r"no module 9p .*\./dev setup") as caught:
        load_order(kernel)
    assert caught.value.exit_code == 3


def test_dependencies_are_read_from_the_module():
    assert dependencies(module("a-b", "c")) == ["a_b", "c"]
    assert dependencies(module()) == []
    assert dependencies(b"no modinfo") == []


def test_a_modules_signature_is_cut_off():
    signed = (
        b"CODE" + b"SIG" * 5 + b"\0" * 8 + struct.pack(">I", 15) + b"~Module signature appended~\n"
    )
    assert without_signature(signed) == b"CODE"
    assert without_signature(b"CODE") == b"CODE"


def bz_image(payload: bytes) -> bytes:
    image = bytearray(2 * 512)
    image[SETUP_SECTORS] = 1
    image[HEADER_MAGIC : HEADER_MAGIC + 4] = b"HdrS"
    struct.pack_into("<2I", image, PAYLOAD, 16, len(payload))
    return bytes(image) + b"x" * 16 + payload


def test_a_kernel_is_unpacked_only_if_it_can_be_booted_so():
    bootable = b"\x7fELF" + b"\0" * 100 + PVH_NOTE
    assert unpack_image(bz_image(lzma.compress(bootable) + b"size")) == bootable
    assert unpack_image(bz_image(lzma.compress(b"\x7fELF without the note"))) is None
    assert unpack_image(bz_image(b"packed in another way")) is None
    assert unpack_image(b"short") is None


@pytest.mark.parametrize("magic", [b"\xfd7zXZ\0", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"])
def test_a_broken_file_is_one_line(magic: bytes):
    with pytest.raises(LabError, match="cannot unpack x"):
        decompress(magic + b"broken", "x")


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(LabError, match="install the package zstd"):
        decompress(b"\x28\xb5\x2f\xfd", "x")


def test_the_newest_kernel_of_the_cache_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("HOMENODE_LAB_KERNEL", raising=False)
    for release in ("6.9.1", "6.12.5", "6.12.40", "5.19.0"):
        root = tmp_path / "homenode/kernels" / release
        root.mkdir(parents=True)
        kernel_tree(root, release)
    assert find_kernel().release == "6.12.40"


def test_the_environment_names_a_folder_or_an_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    kernel = kernel_tree(tmp_path)
    for value in (tmp_path, kernel.image):
        monkeypatch.setenv("HOMENODE_LAB_KERNEL", str(value))
        assert find_kernel().release == "6.1.0-test"
    monkeypatch.setenv("HOMENODE_LAB_KERNEL", str(tmp_path / "none"))
    with pytest.raises(LabError, match="HOMENODE_LAB_KERNEL") as caught:
        find_kernel()
    assert caught.value.exit_code == 3
