"""QEMU's command line for a machine of the catalogue. Pure: every argument is given by value."""

from dataclasses import dataclass
from pathlib import Path

from homenode.lab.machine import MIB, Cache, Machine
from homenode.lab.memory import node_sizes, ranges

# Hosts without a device behind it still answer; the guest's own messages go to the console log.
KERNEL_ARGUMENTS = (
    "console=ttyS0",
    "quiet",
    # A guest that is broken ends, instead of waiting for somebody to look at it.
    "panic=-1",
    "oops=panic",
    # The rest is start-up time, measured on two cores. Delay loops are calibrated once per CPU and
    # need a quiet host for it: 20 s of 30 on 32 CPUs.
    "lpj=4000000",
    # All virtual CPUs read one clock. Without this, the kernel tests that for each of them.
    "tsc=reliable",
    "no_timer_check",
    # No emulated CPU needs the 10 ms that very old ones needed to wake up.
    "cpu_init_udelay=0",
    # The guest's init starts the others, after all that each CPU would have to wait for. Nothing is
    # patched for a single CPU, and none has to stop the others to set up its memory types.
    "maxcpus=1",
    "noreplace-smp",
    "nopat",
    "rcupdate.rcu_expedited=1",
    # A virtual CPU that waits for the host's is not stuck.
    "nowatchdog",
    # No page or object of the kernel's own is cleared unless its user wants that.
    "init_on_alloc=0",
    # Page tables are not split up and checked to protect the kernel from itself.
    "rodata=off",
    "nokaslr",
    "mitigations=off",
    "audit=0",
    "lsm=",
    "cryptomgr.notests",
    "initcall_blacklist=jent_mod_init,crypto_kdf108_init,load_system_certificate_list,"
    "init_encrypted",
)
FAST_FIRMWARE = "qboot.rom"
# 8192 slots of 8 bytes: the modelled time that the plugin writes, one slot for each thread.
CLOCK_BYTES = 1 << 16
DEFAULT_DISTANCE = 20
LOCAL_DISTANCE = 10


@dataclass(frozen=True)
class LabOptions:
    """What a person may choose about a lab machine. `sample_unit`: misses are counted by thread
    and unit of so many bytes, too. `huge_pages`: whether the guest has transparent ones; None:
    not where the machine is scaled."""

    node_memory_mib: int | None = None
    numa_balancing: bool = False
    timeline: bool = False
    sample_unit: int | None = None
    huge_pages: bool | None = None


@dataclass(frozen=True)
class Files:
    """The files and folders that a lab machine is started with.

    `control` and `monitor` are descriptors. `snapshot`: what the guest goes on from, None to boot.
    `timed`: the plugin models time, by the session's timing file.
    """

    kernel: Path
    initramfs: Path
    session: Path
    control: int
    root: Path = Path("/")
    results: Path | None = None
    plugin: Path | None = None
    timed: bool = False
    monitor: int | None = None
    snapshot: Path | None = None

    @property
    def clock(self) -> Path:
        """The memory that the plugin and the guest's programs share."""
        return self.session / "clock"

    @property
    def timeline(self) -> Path:
        """Where the plugin appends what each thread did when."""
        return self.session / "timeline.jsonl"

    @property
    def samples(self) -> Path:
        """Where the plugin appends what it counted by unit of memory."""
        return self.session / "jobs" / "samples"

    @property
    def timing(self) -> Path:
        """The figures that the plugin models time by."""
        return self.session / "timing"

    @property
    def console(self) -> Path:
        """The log of the guest's console."""
        return self.session / "console.log"

    @property
    def counts(self) -> Path:
        """Where the plugin appends what it counted."""
        return self.session / "counts.jsonl"


def escape(value: object) -> str:
    """A value inside one of QEMU's comma-separated option lists."""
    return str(value).replace(",", ",,")


def command_line(qemu: list[str], machine: Machine, files: Files, options: LabOptions) -> list[str]:
    """The words that start the machine. `qemu` is the program with its own first options."""
    sizes = node_sizes(machine, options.node_memory_mib)
    words = [
        *qemu,
        *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *("-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max"),
        *("-name", "homenode-lab"),
        *_processors(machine),
        *_memory(machine, sizes),
        *("-kernel", str(files.kernel), "-initrd", str(files.initramfs)),
        *("-append", " ".join(kernel_arguments(machine, options))),
        *("-chardev", f"file,id=console,path={escape(files.console)}"),
        *("-serial", "chardev:console"),
        *("-device", "virtio-serial-pci,max_ports=2"),
        *("-chardev", f"socket,id=control,fd={files.control}"),
        *("-device", "virtserialport,chardev=control,name=homenode.ctl"),
        *_shared("hn_root", files.root, writable=False),
        *_shared("hn_session", files.session / "jobs", writable=True),
        # Without results nothing mounts this. It is there so that all guests are alike, and so may
        # go on from the same snapshot. The same holds for the clock.
        *_shared("hn_results", files.results or files.session / "nothing", writable=True),
        *_clock(files.clock),
    ]
    if files.monitor is not None:
        words += ["-chardev", f"socket,id=monitor,fd={files.monitor}"]
        words += ["-mon", "chardev=monitor,mode=control"]
    if files.snapshot is not None:
        words += ["-incoming", f"file:{files.snapshot}"]
    if files.plugin is not None:
        argument = plugin_argument(machine, files.plugin, files.counts, sizes)
        if files.timed:
            argument += f",timing={escape(files.timing)},clock={escape(files.clock)}"
            if options.timeline:
                argument += f",timeline={escape(files.timeline)}"
        if options.sample_unit is not None:
            argument += f",samples={escape(files.samples)},unit={options.sample_unit}"
        words += ["-plugin", argument]
    return words


def kernel_arguments(machine: Machine, options: LabOptions) -> list[str]:
    """The guest kernel's command line."""
    balancing = "enable" if options.numa_balancing else "disable"
    # On a scaled machine one would hold what `scale` of them hold on the real one, and the first
    # thread that touches it would have all of a small array on its node.
    wanted = options.huge_pages
    huge = machine.scale in (None, 1) if wanted is None else wanted
    words = [*KERNEL_ARGUMENTS, f"numa_balancing={balancing}"]
    return [*words, f"transparent_hugepage={'always' if huge else 'never'}"]


def plugin_argument(machine: Machine, plugin: Path, out: Path, sizes: dict[int, int]) -> str:
    """The counting plugin with what it must know of the machine."""
    cache = machine.private_cache
    shape = _whole_sets(cache) if cache and cache.ways else "0"
    places = "+".join(str(item) for item in ranges(sizes))
    return (
        f"file={escape(plugin)},out={escape(out)},ranges={places},"
        f"vcpus={len(machine.cpus)},cache={shape}"
    )


def _whole_sets(cache: Cache) -> str:
    """The plugin counts with whole sets, and a machine may declare a part of one more."""
    set_bytes = cache.ways * cache.line
    return f"{cache.size // set_bytes * set_bytes}:{cache.ways}:{cache.line}"


def _shared(tag: str, folder: Path, *, writable: bool) -> list[str]:
    mode = "" if writable else ",readonly=on"
    return [
        "-fsdev",
        f"local,id={tag},path={escape(folder)},security_model=none,multidevs=remap{mode}",
        "-device",
        f"virtio-9p-pci,fsdev={tag},mount_tag={tag}",
    ]


def _clock(path: Path) -> list[str]:
    backend = f"memory-backend-file,id=clock,share=on,mem-path={escape(path)},size={CLOCK_BYTES}"
    # QEMU takes no snapshot of one that is not the "master" of its memory.
    return ["-object", backend, "-device", "ivshmem-plain,memdev=clock,master=on"]


def _shape(machine: Machine) -> tuple[int, int, int]:
    """Packages, cores per package and threads per core, if the CPUs are numbered in that order.

    Where they are not, each CPU is a package of its own, so that no two share what they should not.
    """
    count = len(machine.cpus)
    packages = len({cpu.package for cpu in machine.cpus})
    cores = len({cpu.core for cpu in machine.cpus})
    if cores % packages == 0 and count % cores == 0:
        per_package, threads = cores // packages, count // cores
        regular = all(
            cpu.core == number // threads and cpu.package == number // (per_package * threads)
            for number, cpu in enumerate(machine.cpus)
        )
        if regular:
            return packages, per_package, threads
    return count, 1, 1


def _processors(machine: Machine) -> list[str]:
    sockets, cores, threads = _shape(machine)
    count = len(machine.cpus)
    return ["-smp", f"{count},sockets={sockets},cores={cores},threads={threads}"]


def _memory(machine: Machine, sizes: dict[int, int]) -> list[str]:
    words = ["-m", f"{sum(sizes.values()) // MIB}M"]
    _, cores, threads = _shape(machine)
    # QEMU's node ids are dense: an id that the machine leaves out is a node with nothing in it.
    for node in range(machine.node_ids[-1] + 1):
        if sizes.get(node):
            words += ["-object", f"memory-backend-ram,id=node{node},size={sizes[node] // MIB}M"]
            words += ["-numa", f"node,nodeid={node},memdev=node{node}"]
        else:
            words += ["-numa", f"node,nodeid={node}"]
    for vcpu, node in enumerate(machine.node_of_vcpu):
        core, thread = divmod(vcpu, threads)
        socket, core = divmod(core, cores)
        words += [
            "-numa",
            f"cpu,node-id={node},socket-id={socket},core-id={core},thread-id={thread}",
        ]
    return words + _distances(machine)


def _distances(machine: Machine) -> list[str]:
    if not machine.distances:
        return []
    row_of = {node: row for row, node in enumerate(machine.node_ids)}
    words = []
    every = range(machine.node_ids[-1] + 1)
    for source in every:
        for target in every:
            if source == target:
                value = LOCAL_DISTANCE
            elif source in row_of and target in row_of:
                value = machine.distances[row_of[source]][row_of[target]]
            else:
                value = DEFAULT_DISTANCE
            words += ["-numa", f"dist,src={source},dst={target},val={value}"]
    return words
