#include "sensing/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "base/id_list.h"
#include "base/sizes.h"
#include "base/words.h"
#include "machine/kernel_files.h"
#include "sensing/thread_files.h"

namespace homenode::sensing {
namespace {

/// Of a rank over all hosts; the first that is set holds.
constexpr std::array rank_variables{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                    "SLURM_PROCID"};
constexpr const char* slurm_job = "SLURM_JOB_ID";
constexpr std::array job_variables{slurm_job, "PMIX_NAMESPACE"};

using Variables = std::map<std::string, std::string, std::less<>>;

Variables variables_in(std::string_view text) {
  Variables found;
  while (!text.empty()) {
    const std::string_view line = take_until(text, '\0');
    const std::size_t at = line.find('=');
    if (at != std::string_view::npos) found.emplace(line.substr(0, at), line.substr(at + 1));
  }
  return found;
}

std::string value_of(const Variables& variables, const char* name) {
  const auto found = variables.find(name);
  return found == variables.end() ? "" : found->second;
}

template <std::size_t count>
std::string first_of(const Variables& variables, const std::array<const char*, count>& names) {
  for (const char* name : names) {
    if (std::string value = value_of(variables, name); !value.empty()) return value;
  }
  return "";
}

/// The threads of OMP_NUM_THREADS, a list of which the first is for the outermost parallel region.
std::optional<unsigned> threads_in(const Variables& variables) {
  std::string value = value_of(variables, "OMP_NUM_THREADS");
  value.resize(std::min(value.size(), value.find(',')));
  std::erase(value, ' ');
  return number_in<unsigned>(value);
}

struct Found {
  JobRank rank;
  pid_t parent = 0;
};

std::optional<pid_t> parent_in(std::string_view status) {
  return number_in<pid_t>(machine::value_after(status, "PPid:"));
}

/// Nothing for a process that is no rank, has ended or is another person's.
std::optional<Found> read_rank(const SystemFiles& files, pid_t pid, const std::string& own_job) {
  std::string environment;
  std::string status;
  const std::string folder = fmt::format("/proc/{}/", pid);
  if (files.read(folder + "environ", environment) < 0) return std::nullopt;
  const Variables variables = variables_in(environment);
  const auto rank = number_in<unsigned>(first_of(variables, rank_variables));
  if (!rank || (!own_job.empty() && value_of(variables, slurm_job) != own_job)) return std::nullopt;
  if (files.read(folder + "status", status) < 0) return std::nullopt;
  const TaskLimits limits = parse_status(status);
  Found found;
  found.rank.rank = *rank;
  found.rank.pid = pid;
  found.rank.job = first_of(variables, job_variables);
  found.rank.cpus = limits.cpus;
  found.rank.memory_nodes = limits.memory_nodes;
  found.rank.wanted = number_in<unsigned>(value_of(variables, "SLURM_CPUS_PER_TASK"));
  found.rank.threads = threads_in(variables);
  found.parent = parent_in(status).value_or(0);
  return found;
}

/// This command and the shells that it was started from, which may be a rank's children.
std::set<pid_t> who_asks(const SystemFiles& files, pid_t self) {
  constexpr std::array shells{"sh", "bash", "dash", "zsh", "ksh", "fish"};
  std::set<pid_t> asking{self};
  std::string status;
  if (files.read(fmt::format("/proc/{}/status", self), status) < 0) return asking;
  while (const auto parent = parent_in(status)) {
    if (files.read(fmt::format("/proc/{}/status", *parent), status) < 0) break;
    if (std::ranges::find(shells, machine::value_after(status, "Name:")) == shells.end()) break;
    asking.insert(*parent);
  }
  return asking;
}

/// The most CPUs that a node has.
std::size_t largest_node(const std::vector<NodeFacts>& nodes) {
  std::size_t most = 0;
  for (const NodeFacts& node : nodes) most = std::max(most, node.cpus.size());
  return most;
}

const JobRank* sharing_with(const JobRank& one, const std::vector<JobRank>& ranks) {
  for (const JobRank& other : ranks) {
    if (other.pid != one.pid && !(other.cpus & one.cpus).empty()) return &other;
  }
  return nullptr;
}

std::string counted_cpus(const CpuSet& cpus) {
  return fmt::format("{} CPU{}", cpus.size(), cpus.size() == 1 ? "" : "s");
}

std::pair<Binding, std::string> judged(const JobRank& one, const std::vector<JobRank>& ranks,
                                       const CpuSet& all, std::size_t of_node) {
  const JobRank* const other = sharing_with(one, ranks);
  // Ranks that all have the same few CPUs are not free, they are piled up.
  if (other != nullptr && one.cpus == all && all.size() >= ranks.size()) {
    return {Binding::unbound,
            fmt::format("may run on all {} CPUs that the job has here", all.size())};
  }
  if (other != nullptr) {
    return {Binding::shared, fmt::format("shares the CPUs {} with rank {}",
                                         to_list(one.cpus & other->cpus), other->rank)};
  }
  if (one.wanted && one.cpus.size() < *one.wanted) {
    return {Binding::too_few, fmt::format("has {}, and {} were asked for each task",
                                          counted_cpus(one.cpus), *one.wanted)};
  }
  if (one.threads && one.cpus.size() < *one.threads) {
    return {Binding::too_few, fmt::format("has {} for the {} threads of OMP_NUM_THREADS",
                                          counted_cpus(one.cpus), *one.threads)};
  }
  if (one.nodes.size() > 1 && one.cpus.size() <= of_node) {
    return {Binding::spread, fmt::format("has its own CPUs, but on the nodes {}: one has as many",
                                         to_list(one.nodes))};
  }
  return {Binding::bound, "has CPUs of its own"};
}

}  // namespace

std::string to_string(Binding binding) {
  constexpr std::array names{"unbound", "shared", "too-few", "spread", "bound"};
  return names[static_cast<std::size_t>(binding)];
}

void judge(std::vector<JobRank>& ranks, const std::vector<NodeFacts>& nodes) {
  CpuSet all;
  for (JobRank& one : ranks) {
    all = all | one.cpus;
    for (const NodeFacts& node : nodes) {
      if (!(node.cpus & one.cpus).empty()) one.nodes.insert(node.id);
    }
  }
  for (JobRank& one : ranks) {
    std::tie(one.binding, one.verdict) = judged(one, ranks, all, largest_node(nodes));
  }
}

Result<std::vector<JobRank>> read_job(const SystemFiles& files, pid_t self) {
  std::vector<pid_t> pids;
  if (const int result = files.list_numbers("/proc", pids); result < 0) {
    return failed("cannot list /proc", "check that it is mounted", -result);
  }
  std::string own;
  files.read("/proc/self/environ", own);  // Without it, all jobs of this person are shown.
  const std::string own_job = value_of(variables_in(own), slurm_job);
  const std::set<pid_t> asking = who_asks(files, self);
  std::vector<Found> found;
  std::set<std::tuple<pid_t, std::string, unsigned>> parents;
  for (const pid_t pid : pids) {
    if (asking.contains(pid)) continue;
    auto one = read_rank(files, pid, own_job);
    if (!one) continue;
    parents.emplace(one->parent, one->rank.job, one->rank.rank);
    found.push_back(std::move(*one));
  }
  std::vector<JobRank> ranks;
  for (Found& one : found) {
    if (!parents.contains({one.rank.pid, one.rank.job, one.rank.rank})) {
      ranks.push_back(std::move(one.rank));
    }
  }
  if (ranks.empty()) {
    return failed("no rank of a job that you may see runs on this host",
                  "start it beside the job: 'srun --overlap --jobid=ID homenode where --job'");
  }
  std::sort(ranks.begin(), ranks.end(), [](const JobRank& a, const JobRank& b) {
    return std::tie(a.job, a.rank, a.pid) < std::tie(b.job, b.rank, b.pid);
  });
  const auto nodes = read_nodes(files, {});
  if (!nodes) return nodes.as_unexpected();
  judge(ranks, *nodes);
  return ranks;
}

}  // namespace homenode::sensing
