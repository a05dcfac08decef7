#include "cli/run/options.h"

#include <array>

namespace homenode::cli {
namespace {

using Kind = launch::RunSetting::Kind;

constexpr std::array options{
    RunOption{Kind::all, "-a,--all", "", "lift the limits of the cpuset for the lists that follow"},
    RunOption{Kind::interleave, "-i,--interleave", "NODES", "memory page by page over these nodes"},
    RunOption{Kind::weighted_interleave, "-w,--weighted-interleave", "NODES",
              "memory over these nodes by the weights that the system has for them (Linux 6.9)"},
    RunOption{Kind::membind, "-m,--membind", "NODES", "memory from these nodes only"},
    RunOption{Kind::preferred, "-p,--preferred", "NODE",
              "memory from this node, or others when it is full"},
    RunOption{Kind::preferred_many, "-P,--preferred-many", "NODES",
              "memory from these nodes, or others when they are full (Linux 5.15)"},
    RunOption{Kind::localalloc, "-l,--localalloc", "", "memory from the node that allocates it"},
    RunOption{Kind::balancing, "-b,--balancing", "",
              "with --membind: let the kernel move pages within the nodes (Linux 5.12)"},
    RunOption{Kind::cpunodebind, "-N,-c,--cpunodebind,--cpubind", "NODES",
              "run on the CPUs of these nodes"},
    RunOption{Kind::physcpubind, "-C,--physcpubind", "CPUS", "run on these CPUs"},
    RunOption{
        Kind::near, "--near", "DEVICE",
        "run on the node of a device (eth0, nvme0n1, gpu0, card0, renderD128, nvidia0 or a PCI "
        "address), with its memory preferred unless a policy is given"},
    RunOption{
        Kind::per_rank, "--per-rank", "node|socket",
        "each MPI or Slurm process of this host on a node (or socket) in turn, with its memory "
        "preferred unless a policy is given"},
    RunOption{
        Kind::shm, "-S,--shm", "KEYFILE",
        "instead of a program: the System V segment whose key is that of this file; it is made "
        "where it is missing and --length is given"},
    RunOption{Kind::file, "-f,--file", "PATH",
              "instead of a program: a file of tmpfs or hugetlbfs; it is made or made longer where "
              "--length asks for more"},
    RunOption{Kind::shmid, "-I,--shmid", "ID", "before --shm: the other half of its key, else 0"},
    RunOption{Kind::shmmode, "-M,--shmmode", "MODE",
              "before --shm or --file: permissions of what is made, in octal, else 0600"},
    RunOption{
        Kind::offset, "-o,--offset", "BYTES",
        "before --shm or --file: where the range begins, else 0; k, m and g may stand behind"},
    RunOption{Kind::length, "-L,--length", "BYTES",
              "before --shm or --file: the range's length, else all behind the offset"},
    RunOption{Kind::huge, "-u,--huge", "", "before --shm: make the segment of huge pages"},
    RunOption{Kind::strict, "-t,--strict", "",
              "before the policy: fail where --touch has brought in pages that break it"},
    RunOption{Kind::touch, "-T,--touch", "",
              "after --shm or --file: bring all pages of the range in now, under its policy"},
    RunOption{Kind::dump, "-d,--dump", "",
              "after --shm or --file: print the policies of the range"},
    RunOption{Kind::dump_nodes, "-D,--dump-nodes", "",
              "after --shm or --file: print the node of each page, which brings it in"},
};

}  // namespace

std::span<const RunOption> run_options() {
  return options;
}

const char* const run_footer =
    "Sets CPUs and a memory policy as numactl does, then starts the program, which keeps them. "
    "NODES and CPUS are lists such as 0-3,8; all; !2 (all but 2); +0-1 (counted within the "
    "cpuset); "
    "and for nodes same (the list before) and netdev:eth0, block:sda, file:/path, ip:10.0.0.1, "
    "pci:0000:3b:00.0 (the node of a device, at the end of a list). "
    "Options end at the first word that is none, or after "
    "--; "
    "Charm++'s words (+setcpuaffinity +pemap LIST +maffinity +nodemap LIST +mempol NAME) may stand "
    "before the program, among the options; behind it they are the program's, and --explain alone "
    "reads them. "
    "Where the kernel hands out huge pages unasked, one that lies under the memory of two threads "
    "goes where --thread-memory puts the first of them to touch it. "
    "With --shm or --file no program is started: the policy behind it is that of the shared "
    "memory, "
    "which keeps it, and of all that map it; what stands behind is done in that order. What had to "
    "be made is removed again when a step fails. "
    "The program is started without a shell and its exit code is the command's. It is 127 when the "
    "program is not found and 126 when it cannot be executed.";

}  // namespace homenode::cli
