"""Which kernel modules the guest needs, in which order, read from the modules themselves."""

import re
from pathlib import Path

from homenode.errors import NOT_SUPPORTED
from homenode.lab.errors import LabError
from homenode.lab.kernel import Kernel, decompress

# The guest's devices (virtio over PCI), its channel to the driver, its files, and its /tmp.
WANTED = ("virtio_pci", "virtio_console", "9pnet_virtio", "9p", "overlay")
SIGNATURE_MAGIC = b"~Module signature appended~\n"
SIGNATURE_HEADER = 12


def normal_name(path: str) -> str:
    """The module's name as the kernel spells it: no folder, no suffix, underscores."""
    return Path(path).name.split(".ko")[0].replace("-", "_")


def dependencies(module: bytes) -> list[str]:
    """What a module's own description says that it needs first. Pure."""
    found = re.search(rb"\0depends=([^\0]*)\0", module)
    names = found.group(1).decode().split(",") if found else []
    return [normal_name(name) for name in names if name]


def without_signature(module: bytes) -> bytes:
    """The module without its appended signature: verifying it costs the guest a while. Pure."""
    if not module.endswith(SIGNATURE_MAGIC):
        return module
    length_at = len(module) - len(SIGNATURE_MAGIC) - 4
    length = int.from_bytes(module[length_at : length_at + 4], "big")
    return module[: len(module) - len(SIGNATURE_MAGIC) - SIGNATURE_HEADER - length]


def load_order(kernel: Kernel) -> list[tuple[str, bytes]]:
    """The modules to load, each after those it needs, as (name, content). Raises LabError."""
    builtin_list = kernel.modules / "modules.builtin"
    builtin = (
        {normal_name(line) for line in builtin_list.read_text().split()}
        if builtin_list.is_file()
        else set()
    )
    files = {normal_name(path.name): path for path in kernel.modules.rglob("*.ko*")}
    order: dict[str, bytes] = {}

    def add(name: str) -> None:
        if name in order or name in builtin:
            return
        if name not in files:
            raise LabError(
                f"the kernel {kernel.release} has no module {name} in {kernel.modules}; the lab "
                "needs the distribution's full kernel (not a cloud one): run './dev setup'",
                NOT_SUPPORTED,
            )
        content = decompress(files[name].read_bytes(), str(files[name]))
        for needed in dependencies(content):
            add(needed)
        order[name] = without_signature(content)

    for wanted in WANTED:
        add(wanted)
    return list(order.items())
