#include "launch/ranks.h"

#include <array>
#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/id_list.h"

namespace homenode::launch {
namespace {

/// The first that is set holds; ranks on this host come before ranks over all hosts.
constexpr std::array variables{
    "OMPI_COMM_WORLD_LOCAL_RANK",  // Open MPI
    "MPI_LOCALRANKID",             // MPICH and Intel MPI (Hydra)
    "MV2_COMM_WORLD_LOCAL_RANK",   // MVAPICH
    "PALS_LOCAL_RANKID",           // HPE PALS
    "FLUX_TASK_LOCAL_ID",          // Flux
    "SLURM_LOCALID",               // Slurm
    "PMI_LOCAL_RANK",
    "PMI_RANK",
    "PMIX_RANK",
};

void add_domain(std::vector<NodeSet>& domains, const machine::Machine& machine, const CpuSet& cpus,
                const NodeSet& nodes) {
  NodeSet usable;
  for (NodeId id : nodes.to_vector()) {
    const machine::Node* const node = machine.find(id);
    if (node != nullptr && !(node->cpus & cpus).empty()) usable.insert(id);
  }
  if (!usable.empty()) domains.push_back(std::move(usable));
}

}  // namespace

Result<LocalRank> find_local_rank(const Environment& environment) {
  for (const char* name : variables) {
    const char* const text = environment(name);
    if (text == nullptr) continue;
    LocalRank found{0, name};
    const char* const end = text + std::strlen(text);
    const auto [stop, status] = std::from_chars(text, end, found.rank);
    if (status == std::errc{} && stop == end) return found;
    return bad_usage(fmt::format("cannot read the rank of this process: {} is '{}'", name, text),
                     "unset it, or start the program without --per-rank");
  }
  return bad_usage(
      "--per-rank finds no rank of this process in the environment",
      "put it between the launcher and the program: 'mpirun homenode run --per-rank node PROGRAM'");
}

Result<RankDomains> domains_of_ranks(const machine::Machine& machine, const CpuSet& cpus,
                                     RankDomain domain) {
  RankDomains domains;
  if (domain == RankDomain::node) {
    for (const machine::Node& node : machine.nodes) add_domain(domains, machine, cpus, {node.id});
  } else {
    for (const machine::Package& package : machine.packages) {
      NodeSet nodes;
      for (const machine::Node& node : machine.nodes) {
        if (node.package == package.number) nodes.insert(node.id);
      }
      add_domain(domains, machine, cpus, nodes);
    }
  }
  if (domains.empty()) {
    return failed(fmt::format("no {} has CPUs that this process may use",
                              domain == RankDomain::node ? "node" : "socket"),
                  "'homenode topology' shows what there is");
  }
  return domains;
}

Result<placement::ThreadMap> threads_of_rank(const placement::ThreadMap& threads,
                                             const CpuSet& cpus, const LocalRank& rank) {
  placement::ThreadMap own;
  for (const CpuSet& entry : threads.cpus_by_rank) {
    CpuSet cut = entry & cpus;
    if (!cut.empty()) own.cpus_by_rank.push_back(std::move(cut));
  }
  if (!own.cpus_by_rank.empty()) return own;
  return bad_usage(fmt::format("--threads has no entry for rank {}, which --per-rank puts on the "
                               "CPUs {}",
                               rank.rank, to_list(cpus)),
                   "name CPUs of every node that ranks take; each rank's threads take those on "
                   "its own");
}

}  // namespace homenode::launch
