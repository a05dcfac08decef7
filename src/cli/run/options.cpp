#include "cli/run/options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "launch/charm.h"

namespace homenode::cli {
namespace {

using Kind = launch::RunSetting::Kind;

/// An option that sets something: numactl's, and homenode's own in its style.
struct OptionRow {
  Kind kind;
  const char* names;
  const char* type;  ///< Empty for options without a value.
  const char* help;
};

/// In the order of the help. Help, man page and parser come from it.
constexpr std::array options{
    OptionRow{Kind::all, "-a,--all", "",
              "lift the limits of affinity and cpuset for the lists that follow"},
    OptionRow{Kind::interleave, "-i,--interleave", "NODES", "memory page by page over these nodes"},
    OptionRow{Kind::weighted_interleave, "-w,--weighted-interleave", "NODES",
              "memory over these nodes by the weights that the system has for them (Linux 6.9)"},
    OptionRow{Kind::membind, "-m,--membind", "NODES", "memory from these nodes only"},
    OptionRow{Kind::preferred, "-p,--preferred", "NODE",
              "memory from this node, or others when it is full"},
    OptionRow{Kind::preferred_many, "-P,--preferred-many", "NODES",
              "memory from these nodes, or others when they are full (Linux 5.15)"},
    OptionRow{Kind::localalloc, "-l,--localalloc", "", "memory from the node that allocates it"},
    OptionRow{Kind::balancing, "-b,--balancing", "",
              "with --membind: let the kernel move pages within the nodes (Linux 5.12)"},
    OptionRow{Kind::cpunodebind, "-N,-c,--cpunodebind,--cpubind", "NODES",
              "run on the CPUs of these nodes"},
    OptionRow{Kind::physcpubind, "-C,--physcpubind", "CPUS", "run on these CPUs"},
    OptionRow{
        Kind::near, "--near", "DEVICE",
        "run on the node of a device (eth0, nvme0n1, gpu0, card0, renderD128, nvidia0 or a PCI "
        "address), with its memory preferred unless a policy is given"},
    OptionRow{
        Kind::per_rank, "--per-rank", "node|socket",
        "each MPI or Slurm process of this host on a node (or socket) in turn, with its memory "
        "preferred unless a policy is given"},
    OptionRow{
        Kind::shm, "-S,--shm", "KEYFILE",
        "instead of a program: the System V segment whose key is that of this file; it is made "
        "where it is missing and --length is given"},
    OptionRow{
        Kind::file, "-f,--file", "PATH",
        "instead of a program: a file of tmpfs, or of hugetlbfs with --touch; it is made or made "
        "longer where "
        "--length asks for more"},
    OptionRow{Kind::shmid, "-I,--shmid", "ID", "before --shm: the other half of its key, else 0"},
    OptionRow{Kind::shmmode, "-M,--shmmode", "MODE",
              "before --shm or --file: permissions of what is made, in octal, else 0600"},
    OptionRow{Kind::offset, "-o,--offset", "BYTES",
              "before --shm or --file: where the range begins, else 0; k, m and g may follow"},
    OptionRow{Kind::length, "-L,--length", "BYTES",
              "before --shm or --file: the range's length, else all after the offset"},
    OptionRow{Kind::huge, "-u,--huge", "",
              "before --shm: make the segment of huge pages, which --touch has to place"},
    OptionRow{Kind::strict, "-t,--strict", "",
              "before the policy: fail where --touch has brought in pages that break it"},
    OptionRow{Kind::touch, "-T,--touch", "",
              "after --shm or --file: bring all pages of the range in now, under its policy"},
    OptionRow{Kind::dump, "-d,--dump", "",
              "after --shm or --file: print the policies of the range"},
    OptionRow{Kind::dump_nodes, "-D,--dump-nodes", "",
              "after --shm or --file: print the node of each page, which brings it in"},
    OptionRow{Kind::verify, "-V,--verify", "",
              "after the policy: bring all pages in and fail where one has another policy or is on "
              "a node that the policy does not give it"},
};

constexpr const char* footer =
    "Sets CPUs and a memory policy as numactl does, then starts the program, which keeps them. "
    "NODES and CPUS are lists such as 0-3,8; all; !2 (all but 2); +0-1 (counted among those "
    "that may be used); "
    "and for nodes same (the list before) and netdev:eth0, block:sda, file:/path, ip:10.0.0.1, "
    "pci:0000:3b:00.0 (the node of a device, at the end of a list). "
    "Options end at the first argument that is none, or after --; "
    "Charm++'s (+setcpuaffinity +pemap LIST +maffinity +nodemap LIST +mempol NAME) may stand "
    "before the program, among the options; after it they are the program's, and --explain alone "
    "reads them. "
    "Where the kernel hands out huge pages unasked, one that lies under the memory of two threads "
    "goes where --thread-memory puts the first of them to touch it. "
    "With --shm or --file no program is started: the policy after it is that of the shared "
    "memory, which keeps it, and of all that map it; the options after it are carried out in "
    "their order. When a step fails, what had to be made is removed again. "
    "The program is started without a shell and its exit code is the command's. It is 127 when the "
    "program is not found, 126 when it cannot be executed and 125 when homenode itself fails, as "
    "of "
    "env and timeout; without a program failures are 1, 2 and 3, as of every verb.";

/// The heading that an option stands under in the help.
const char* group_of(Kind kind) {
  if (kind >= Kind::shm) return "Shared memory";
  switch (kind) {
    case Kind::cpunodebind:
    case Kind::physcpubind:
    case Kind::near:
    case Kind::per_rank:
      return "CPUs";
    default:
      return "Memory policies";
  }
}

constexpr const char* of_threads = "Threads";
constexpr const char* of_allocations = "Allocations";

void define_threads(CLI::App& app, launch::ThreadRequest& threads) {
  app.add_option("--threads", threads.threads,
                 "CPUs of each thread in the order of creation, the main one first: a list "
                 "(0,4,8-11), a likwid expression (S0:0-3@S1:0-3, E:N:4:1:2, M:scatter), OpenMP "
                 "places (cores, {0:4}:8:4) or Charm++'s ranges (0-7:2.1+8, L0-7)")
      ->type_name("EXPR")
      ->group(of_threads);
  app.add_option("--thread-memory", threads.thread_memory,
                 "memory policy of each thread in the order of creation, such as bind@0/bind@1")
      ->type_name("RULES")
      ->group(of_threads);
  app.add_option("--skip-threads", threads.skip_threads,
                 "threads that are left alone and take no entry, by number in the order of "
                 "creation, 0 being the main one: helper threads of a runtime")
      ->type_name("LIST")
      ->group(of_threads);
  app.add_option("--heap", threads.heap,
                 "memory policy of what the program allocates, such as interleave, its stacks "
                 "excepted")
      ->type_name("RULE")
      ->group(of_allocations);
  app.add_option("--place", threads.place,
                 "a rule for large allocations, such as 'size>64M: cyclic' or 'from=alloc_3d: "
                 "block', or for static data, 'name=u*: cyclic'; may be given several times, the "
                 "first that fits holds")
      ->type_name("RULE")
      ->group(of_allocations)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--malloc", threads.malloc_policy,
                 "give the program homenode's malloc, whose blocks are on the node of the core "
                 "that asks (bind), or bind:strict, preferred, interleave, weighted, local")
      ->type_name("POLICY")
      ->group(of_allocations);
  app.add_flag("--verbose", threads.verbose,
               "with --place: report at the program's end what was placed and what was refused")
      ->group(of_allocations);
}

constexpr const char* of_printing = "Printing";

void define_prints(CLI::App& app, RunPrints& prints) {
  app.add_flag("-s,--show", prints.show, "print the placement that then holds, and start nothing")
      ->group(of_printing);
  app.add_flag("-H,--hardware", prints.hardware,
               "print the nodes with their CPUs, memory and distances, as numactl does")
      ->group(of_printing);
  app.add_flag("--cpu-compress", prints.cpu_compress, "with --hardware: CPUs as ranges")
      ->group(of_printing);
  app.add_flag("--version", prints.version, "print the version")->group(of_printing);
  app.add_flag("--explain", prints.explain,
               "print what would be set, for each thread too, and set and start nothing")
      ->group(of_printing);
  app.add_option("--emit", prints.emit,
                 "print the same placement for another tool, and on the error stream what that "
                 "tool cannot express; start nothing")
      ->group(of_printing)
      ->type_name("numactl|omp|slurm|likwid");
  app.add_flag("--json", prints.json,
               "--show, --hardware, --explain, --dump and --dump-nodes as JSON")
      ->group(of_printing);
}

/// Charm++'s arguments before the program or, for --explain, among its own.
struct CharmThreads {
  launch::ThreadRequest threads;
  bool behind = false;
};

Result<CharmThreads> read_charm(std::vector<std::string>& program, bool explain) {
  const auto before = launch::take_charm_arguments(program);
  if (!before) return before.as_unexpected();
  auto threads = launch::from_charm(*before);
  if (!threads) return threads.as_unexpected();
  if (threads->needs_agent() || !explain) return CharmThreads{*std::move(threads), false};
  const auto behind = launch::find_charm_arguments(program);
  if (!behind) return behind.as_unexpected();
  threads = launch::from_charm(*behind);
  if (!threads) return threads.as_unexpected();
  return CharmThreads{*threads, threads->needs_agent()};
}

/// What the options and Charm++'s arguments ask for together.
Result<launch::ThreadRequest> join(launch::ThreadRequest threads, launch::ThreadRequest charm) {
  if (charm.needs_agent() && (!threads.threads.empty() || threads.sets_thread_memory())) {
    return bad_usage("Charm++'s options set the same as --threads and --thread-memory",
                     "choose one of them");
  }
  if (!charm.threads.empty()) threads.threads = std::move(charm.threads);
  threads.thread_policies = std::move(charm.thread_policies);
  threads.count_forks = charm.count_forks;  // Its processing elements may be forks.
  return threads;
}

}  // namespace

bool RunPrints::instead_of_program() const {
  return show || hardware || version || explain || !emit.empty();
}

void RunOptions::define(CLI::App& app) {
  app_ = &app;
  for (const OptionRow& row : options) {
    if (*row.type == '\0') {
      kinds_[app.add_flag(row.names, row.help)->group(group_of(row.kind))] = row.kind;
    } else {
      kinds_[app.add_option(row.names, row.help)
                 ->type_name(row.type)
                 ->group(group_of(row.kind))
                 ->expected(1)
                 ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)] = row.kind;
    }
  }
  app.add_option("--recipe", recipe_,
                 "the options that 'homenode tune --recipe FILE' wrote; on another machine or for "
                 "another program than it found them for, that is reported")
      ->type_name("FILE")
      ->group("Recipes");
  define_threads(app, threads_);
  define_prints(app, prints_);
  // For the help alone: the program never gets to the parser.
  app.add_option("program", "the program and its arguments, which are left as they are")
      ->type_name("[ARGUMENTS...]");
  app.footer(footer);
}

Result<RunOrder> RunOptions::read(std::vector<std::string> program) const {
  auto settings = settings_in_order();
  if (!settings) return settings.as_unexpected();
  auto segment = launch::take_segment(*settings);
  if (!segment) return segment.as_unexpected();
  if (*segment) {
    if (const auto alone = check_segment_alone(program); !alone) return alone.as_unexpected();
    return RunOrder{{*std::move(settings), {}, *std::move(segment)}, prints_};
  }
  auto charm = read_charm(program, prints_.explain);
  if (!charm) return charm.as_unexpected();
  if (program.empty() && !prints_.instead_of_program()) {
    return bad_usage("no program is named", "write 'homenode run OPTIONS PROGRAM ARGUMENTS'");
  }
  if (prints_.json && !prints_.show && !prints_.hardware && !prints_.explain) {
    return bad_usage("--json only works with --show, --hardware, --explain, --dump or --dump-nodes",
                     "put '--' before the program if the option is meant for it");
  }
  auto threads = join(threads_, std::move(charm->threads));
  if (!threads) return threads.as_unexpected();
  return RunOrder{
      {*std::move(settings), *std::move(threads), {}, std::move(program)}, prints_, charm->behind};
}

/// A command that is about shared memory, not about a program.
Result<void> RunOptions::check_segment_alone(const std::vector<std::string>& program) const {
  if (!program.empty()) {
    return bad_usage(fmt::format("the program '{}' cannot be started together with --shm or --file",
                                 program.front()),
                     "set the memory's policy with a command of its own");
  }
  if (prints_.instead_of_program() || threads_.needs_agent()) {
    return bad_usage("an option for programs is given together with --shm or --file",
                     "with shared memory go a memory policy, --all, --json and the options that "
                     "--help lists from --shm on");
  }
  return {};
}

Result<std::vector<launch::RunSetting>> RunOptions::settings_in_order() const {
  std::vector<launch::RunSetting> settings;
  std::map<const CLI::Option*, std::size_t> taken;
  for (const CLI::Option* option : app_->parse_order()) {
    const auto kind = kinds_.find(option);
    if (kind == kinds_.end()) continue;
    std::string value;
    if (launch::takes_value(kind->second)) {
      const std::size_t index = taken[option]++;
      if (index >= option->results().size()) {
        return bad_usage("cannot read the value of " + option->get_name(),
                         "write numbers and ranges such as 0-3,8");
      }
      value = option->results()[index];
    }
    auto setting = launch::read_setting(kind->second, std::move(value));
    if (!setting) return setting.as_unexpected();
    settings.push_back(*std::move(setting));
  }
  return settings;
}

}  // namespace homenode::cli
