#include "launch/settings.h"

#include <fmt/format.h>

#include <cassert>
#include <optional>
#include <utility>

#include "base/id_list.h"
#include "placement/policies/list_syntax.h"

namespace homenode::launch {
namespace {

using Kind = RunSetting::Kind;
using placement::Policy;
using placement::PolicyKind;

std::optional<PolicyKind> policy_of(Kind kind) {
  switch (kind) {
    case Kind::interleave:
      return PolicyKind::interleave;
    case Kind::weighted_interleave:
      return PolicyKind::weighted_interleave;
    case Kind::membind:
      return PolicyKind::bind;
    case Kind::preferred:
      return PolicyKind::preferred;
    case Kind::preferred_many:
      return PolicyKind::preferred_many;
    case Kind::localalloc:
      return PolicyKind::local;
    default:
      return std::nullopt;
  }
}

/// A list of nodes, whether or not a device has been looked for at its end.
machine::ListWithDevice list_of(const RunSetting& setting) {
  if (const auto* looked_up = std::get_if<machine::ListWithDevice>(&setting.value)) {
    return *looked_up;
  }
  return {setting.text(), std::nullopt};
}

class Resolver {
 public:
  explicit Resolver(const machine::Machine& machine) : machine_(machine) {}

  Result<void> apply(const RunSetting& setting) {
    if (setting.kind == Kind::all) return lift_cpuset();
    if (setting.kind == Kind::strict) return {};
    if (setting.kind == Kind::balancing) {
      balancing_ = true;
      return {};
    }
    if (setting.kind == Kind::physcpubind) return bind_cpus(setting.text());
    if (setting.kind == Kind::cpunodebind) return bind_nodes(list_of(setting));
    if (setting.kind == Kind::near || setting.kind == Kind::per_rank) {
      if (const auto alone = choose_once(setting.kind); !alone) return alone;
      const auto& nodes = std::get<NodeSet>(setting.value);
      return setting.kind == Kind::near ? settle_near(nodes) : settle_rank(nodes);
    }
    return set_policy(setting);
  }

  /// The CPUs that --cpunodebind and --physcpubind bind to, for which other options count only as
  /// the list before `same`.
  Result<void> apply_bind(const RunSetting& setting) {
    if (setting.kind == Kind::per_rank) {
      previous_ = machine_.nodes_with_cpus();
      return {};
    }
    if (setting.kind == Kind::all || setting.kind == Kind::physcpubind ||
        setting.kind == Kind::cpunodebind) {
      return apply(setting);
    }
    if (!takes_list(setting.kind) || setting.kind == Kind::near) return {};
    const machine::ListWithDevice list = list_of(setting);
    // What is wrong with it is reported in its turn.
    const auto nodes = placement::parse_nodes(machine_, list.list, previous_, all_, list.node);
    if (nodes) previous_ = *nodes;
    return {};
  }

  [[nodiscard]] const std::optional<CpuSet>& cpus() const { return placement_.process_cpus; }

  placement::Placement result() && {
    if (!rank_nodes_.empty()) {
      const CpuSet within = placement_.process_cpus.value_or(machine_.allowed_cpus);
      placement_.process_cpus = machine_.cpus_of(rank_nodes_) & within;
    }
    if (!placement_.process_memory && !near_.empty()) {
      placement_.process_memory =
          Policy{near_.size() == 1 ? PolicyKind::preferred : PolicyKind::preferred_many, near_};
    }
    if (placement_.process_memory && placement_.process_memory->kind == PolicyKind::bind) {
      placement_.process_memory->numa_balancing = balancing_;
    }
    assert(is_valid(placement_));
    return std::move(placement_);
  }

 private:
  Result<void> lift_cpuset() {
    if (list_seen_) {
      return bad_usage("--all comes after a list of nodes or CPUs", "put --all first");
    }
    all_ = true;
    return {};
  }

  Result<void> bind_cpus(const std::string& list) {
    list_seen_ = true;
    if (list == "same") {
      return bad_usage("--physcpubind cannot be 'same': that stands for nodes",
                       "write the CPUs, or use --cpunodebind=same");
    }
    auto cpus = placement::parse_cpus(machine_, list, std::nullopt, all_);
    if (!cpus) return refused_cpus(list, cpus.error());
    placement_.process_cpus = std::move(*cpus);
    return {};
  }

  /// Names --all where that is what the list lacks.
  [[nodiscard]] Unexpected refused_cpus(const std::string& list, Error error) const {
    if (!all_ && placement::parse_cpus(machine_, list, std::nullopt, true)) {
      error.next += ", or put --all before the list, which lifts an affinity";
    }
    return Unexpected(std::move(error));
  }

  Result<void> bind_nodes(const machine::ListWithDevice& list) {
    list_seen_ = true;
    const auto reach = all_ ? placement::CpuReach::machine : placement::CpuReach::cpuset;
    const auto nodes = placement::parse_cpu_nodes(machine_, list.list, previous_, reach, list.node);
    if (!nodes) return nodes.as_unexpected();
    previous_ = *nodes;
    CpuSet cpus = machine_.cpus_of(*nodes);
    if (cpus.empty()) {
      return bad_usage(fmt::format("none of the nodes '{}' has CPUs", to_list(*nodes)),
                       "name nodes with CPUs; 'homenode topology' shows them");
    }
    placement_.process_cpus = std::move(cpus);
    return {};
  }

  Result<void> settle_near(const NodeSet& nodes) {
    list_seen_ = true;
    CpuSet cpus = machine_.cpus_of(nodes) & machine_.allowed_cpus;
    near_ = nodes & machine_.nodes_with_memory() & machine_.allowed_nodes;
    if (cpus.empty() && near_.empty()) {
      return failed(
          fmt::format("this process may use no CPU and no memory of the nodes {}", to_list(nodes)),
          "'homenode topology' shows what its affinity and cpuset leave");
    }
    if (!cpus.empty()) placement_.process_cpus = std::move(cpus);
    previous_ = nodes;
    return {};
  }

  /// pre: some CPU of the nodes may be used and is in the lists.
  Result<void> settle_rank(const NodeSet& nodes) {
    list_seen_ = true;
    rank_nodes_ = nodes;
    near_ = nodes & machine_.nodes_with_memory() & machine_.allowed_nodes;
    previous_ = nodes;
    return {};
  }

  Result<void> choose_once(Kind kind) {
    if (!chosen_by_ || *chosen_by_ == kind) {
      chosen_by_ = kind;
      return {};
    }
    return bad_usage("--near and --per-rank both choose the nodes of this process",
                     "leave one of them out");
  }

  Result<void> set_policy(const RunSetting& setting) {
    if (placement_.process_memory) {
      return bad_usage("more than one memory policy is asked for",
                       "choose one of --interleave, --weighted-interleave, --membind, --preferred, "
                       "--preferred-many and --localalloc");
    }
    Policy policy{*policy_of(setting.kind), {}};
    if (takes_list(setting.kind)) {
      list_seen_ = true;
      const machine::ListWithDevice list = list_of(setting);
      auto nodes = placement::parse_nodes(machine_, list.list, previous_, all_, list.node);
      if (!nodes) return nodes.as_unexpected();
      previous_ = *nodes;
      policy.nodes = std::move(*nodes);
    }
    if (const auto valid = validate(policy); !valid) return valid;
    placement_.process_memory = std::move(policy);
    return {};
  }

  const machine::Machine& machine_;
  placement::Placement placement_;
  std::optional<NodeSet> previous_;
  NodeSet near_;                   ///< Where memory is preferred unless a policy is given.
  NodeSet rank_nodes_;             ///< Of --per-rank: its CPUs are those of them that lists leave.
  std::optional<Kind> chosen_by_;  ///< --near or --per-rank.
  bool all_ = false;
  bool balancing_ = false;
  bool list_seen_ = false;
};

}  // namespace

bool takes_list(Kind kind) {
  return kind < Kind::shm && kind != Kind::all && kind != Kind::localalloc &&
         kind != Kind::balancing;
}

bool takes_value(Kind kind) {
  switch (kind) {
    case Kind::shm:
    case Kind::file:
    case Kind::shmid:
    case Kind::shmmode:
    case Kind::offset:
    case Kind::length:
      return true;
    default:
      return takes_list(kind);
  }
}

Result<RunSetting> read_setting(Kind kind, std::string text) {
  if (kind != Kind::per_rank) {
    return takes_value(kind) ? RunSetting{kind, std::move(text)} : RunSetting{kind, {}};
  }
  if (text == "node" || text == "numa") return RunSetting{kind, RankDomain::node};
  if (text == "socket" || text == "package") return RunSetting{kind, RankDomain::package};
  return bad_usage(fmt::format("--per-rank does not know '{}'", text), "write node or socket");
}

Result<std::optional<CpuSet>> bound_cpus(const machine::Machine& machine,
                                         const std::vector<RunSetting>& settings) {
  Resolver resolver(machine);
  for (const RunSetting& setting : settings) {
    if (const auto applied = resolver.apply_bind(setting); !applied) return applied.as_unexpected();
  }
  return resolver.cpus();
}

Result<placement::Placement> resolve(const machine::Machine& machine,
                                     const std::vector<RunSetting>& settings) {
  Resolver resolver(machine);
  for (const RunSetting& setting : settings) {
    if (const auto applied = resolver.apply(setting); !applied) return applied.as_unexpected();
  }
  return std::move(resolver).result();
}

}  // namespace homenode::launch
