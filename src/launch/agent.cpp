#include "launch/agent.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "actuation/process.h"
#include "agent/wire.h"
#include "base/heap_header.h"
#include "base/id_list.h"

namespace homenode::launch {
namespace {

namespace fs = std::filesystem;

/// glibc takes no larger value for mmap_threshold (half of HEAP_MAX_SIZE).
constexpr std::uint64_t max_mmap_threshold_bytes = std::uint64_t{32} << 20U;
constexpr std::string_view mmap_threshold = "glibc.malloc.mmap_threshold";
/// Linux takes no single string of the environment that is longer (MAX_ARG_STRLEN, 32 pages).
constexpr std::size_t max_wire_bytes = std::size_t{120} << 10U;

/// "A/B/C" of whatever `print` makes of the items.
template <class Items, class Print>
std::string joined(const Items& items, Print print) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += '/';
    text += print(item);
  }
  return text;
}

/// With it, every allocation that a rule is for is a mapping of its own, whose pages nothing else
/// has used and which is given back as a whole. Set, it also stays as it is while the program runs.
std::string tunables_for(const ThreadPlan& plan, const std::string& present) {
  if (present.find(mmap_threshold) != std::string::npos) return present;
  std::uint64_t least = max_mmap_threshold_bytes;
  for (const AllocationRule& rule : plan.allocations) {
    if (rule.names.empty()) least = std::min(least, rule.at_least_bytes);
  }
  return fmt::format("{}{}{}={}", present, present.empty() ? "" : ":", mmap_threshold, least);
}

/// Where the agent may be, but for Python's packages.
std::vector<std::string> agent_folders(const std::string& above, const std::string& libexec) {
  std::vector<std::string> folders;
  for (std::string_view rest = libexec; !rest.empty();) {
    const std::size_t colon = rest.find(':');
    if (colon != 0) folders.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  for (const char* folder : {"/lib/homenode", "/../lib/homenode", "/libexec/homenode", "/lib"}) {
    folders.push_back(above + folder);
  }
  return folders;
}

/// The first folder that has the agent, or "" and in `tried` all of them.
std::string folder_with_agent(os::Os& os, const std::vector<std::string>& folders,
                              std::string& tried) {
  for (const std::string& folder : folders) {
    os::FileStatus status;
    const int result = os.file_status(folder + "/" + agent::agent_file, status);
    if (result == 0 && S_ISREG(status.mode)) return folder;
    if (!tried.empty()) tried += ", ";
    tried += folder;
    if (result < 0 && result != -ENOENT && result != -ENOTDIR) {
      tried += fmt::format(" ({})", std::generic_category().message(-result));
    }
  }
  return "";
}

/// The Python packages in the folder `lib` that may have the agent, where a wheel puts it. Debian's
/// own Python has dist-packages.
std::vector<std::string> package_folders(os::Os& os, const std::string& lib, std::string& tried) {
  std::vector<std::string> names;
  if (const int result = os.list_folder(lib, names); result < 0 && result != -ENOENT) {
    tried += fmt::format(", {}/python3* ({})", lib, std::generic_category().message(-result));
  }
  std::vector<std::string> folders;
  for (const std::string& name : names) {
    if (!name.starts_with("python3")) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      folders.push_back(fmt::format("{}/{}/{}/homenode/data/libexec", lib, name, packages));
    }
  }
  return folders;
}

}  // namespace

std::string wire_policy(const placement::Policy& policy) {
  const int mode = actuation::kernel_mode(policy);
  return policy.nodes.empty() ? fmt::format("{}", mode)
                              : fmt::format("{}@{}", mode, to_list(policy.nodes));
}

std::string wire_field(const AllocationRule& rule) {
  const bool data = !rule.names.empty();
  std::string pieces;
  for (const NamedPiece& piece : rule.pieces) {
    if (data && piece.page_bytes == 0) continue;  // Its only page is another's.
    pieces +=
        fmt::format("{}{}.{}.{}.{}", pieces.empty() ? "" : ",", piece.device, piece.inode,
                    data ? piece.first_page : piece.address, data ? piece.page_bytes : piece.bytes);
  }
  if (data) return pieces.empty() ? "" : fmt::format(" data={}:{}", pieces, rule.wire);
  return fmt::format(" place={}{}{}:{}", rule.at_least_bytes, pieces.empty() ? "" : "@", pieces,
                     rule.wire);
}

std::string wire_text(const ThreadPlan& plan) {
  std::string text = agent::wire_version;
  if (plan.threads) {
    text += fmt::format(
        " cpus={} threads={}", to_list(plan.process_cpus()),
        joined(plan.threads->cpus_by_rank, [](const CpuSet& cpus) { return to_list(cpus); }));
  }
  if (plan.count_forks) text += " forks";
  if (!plan.skipped.empty()) {
    CpuSet numbers;  // Of threads; only the list form is wanted.
    for (unsigned number : plan.skipped) numbers.insert(CpuId(number));
    text += " skip=" + to_list(numbers);
  }
  if (!plan.memory_by_rank.empty()) text += " memory=" + joined(plan.memory_by_rank, wire_policy);
  if (plan.heap) text += " heap=" + wire_policy(*plan.heap);
  for (const AllocationRule& rule : plan.allocations) text += wire_field(rule);
  if (plan.verbose) text += " verbose";
  if (plan.refusal_reported) text += " reported";
  return text;
}

Result<void> check_wire_fits(const ThreadPlan& plan) {
  if (wire_text(plan).size() <= max_wire_bytes) return {};
  return bad_usage("the placement is longer than a program's environment can hold",
                   "write fewer entries: more threads than entries start again at the first, and "
                   "a name with a size, as in 'name=*, size>1M', is for the large arrays alone");
}

std::vector<std::pair<std::string, std::string>> agent_environment(const ThreadPlan& plan,
                                                                   const std::string& folder,
                                                                   const Lookup& lookup) {
  std::vector<std::string> libraries;
  if (plan.threads || !plan.memory_by_rank.empty() || plan.heap) {
    libraries.push_back((fs::path(folder) / agent::agent_file).string());
  }
  if (!plan.allocations.empty()) {
    libraries.push_back((fs::path(folder) / agent::allocations_file).string());
  }
  const bool has_agent = !libraries.empty();
  if (!plan.malloc_policy.empty()) {
    libraries.push_back((fs::path(folder) / heap::library_file).string());
  }
  if (libraries.empty()) return {};
  if (std::string present = lookup("LD_PRELOAD"); !present.empty()) {
    libraries.push_back(std::move(present));
  }
  std::string preload;
  for (const std::string& library : libraries) {
    if (!preload.empty()) preload += ':';
    preload += library;
  }
  std::vector<std::pair<std::string, std::string>> variables{{"LD_PRELOAD", preload}};
  if (has_agent) variables.emplace_back(agent::wire_variable, wire_text(plan));
  if (std::any_of(plan.allocations.begin(), plan.allocations.end(),
                  [](const AllocationRule& rule) { return rule.names.empty(); })) {
    variables.emplace_back("GLIBC_TUNABLES", tunables_for(plan, lookup("GLIBC_TUNABLES")));
  }
  if (!plan.malloc_policy.empty()) {
    variables.emplace_back(heap::policy_variable, plan.malloc_policy);
  }
  if (plan.threads && lookup("KMP_AFFINITY").empty()) {
    variables.emplace_back("KMP_AFFINITY", "disabled");
  }
  return variables;
}

std::vector<std::string> agent_conflicts(const ThreadPlan& plan, const Lookup& lookup) {
  std::vector<std::string> conflicts;
  if (!plan.threads) return conflicts;
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
    const std::string value = lookup(name);
    if (value.empty() || value == "false" || value == "disabled" || value == "none") continue;
    conflicts.push_back(
        fmt::format("{}={} makes OpenMP move its threads after --threads has placed "
                    "them; unset it",
                    name, value));
  }
  return conflicts;
}

Result<std::string> agent_folder(os::Os& os, const std::string& executable,
                                 const std::string& libexec) {
  const std::string above = fs::path(executable).parent_path().parent_path().string();
  std::string tried;
  std::string folder = folder_with_agent(os, agent_folders(above, libexec), tried);
  for (const char* lib : {"/lib", "/lib64"}) {
    if (!folder.empty()) break;
    folder = folder_with_agent(os, package_folders(os, above + lib, tried), tried);
  }
  if (folder.empty()) {
    return failed(fmt::format("cannot find {}, which places threads inside the program; it is in "
                              "none of {}",
                              agent::agent_file, tried),
                  "build or install homenode whole, or name its folder in HOMENODE_LIBEXEC");
  }
  std::string resolved;
  if (const int result = os.resolve_path(folder, resolved); result < 0) {
    return failed(fmt::format("cannot find out where the folder '{}' is", folder),
                  "name the folder of " + std::string(agent::agent_file) + " in HOMENODE_LIBEXEC",
                  -result);
  }
  return resolved;
}

}  // namespace homenode::launch
