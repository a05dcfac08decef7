#include "trial/own_place.h"

#include "actuation/process.h"
#include "actuation/refusal.h"

namespace homenode::trial {

OwnPlace::OwnPlace(os::Os& os)
    : os_(os),
      knows_cpus_(os.sched_getaffinity(0, cpus_) == 0),
      knows_policy_(os.get_mempolicy(mode_, nodes_) == 0) {}

Result<void> OwnPlace::take(const std::optional<CpuSet>& cpus, std::optional<NodeId> memory) const {
  if (cpus || knows_cpus_) {
    if (auto bound = actuation::bind_thread(os_, 0, cpus.value_or(cpus_)); !bound) return bound;
  }
  if (memory) {
    return actuation::set_process_policy(os_, {placement::PolicyKind::bind, {*memory}, false});
  }
  if (!knows_policy_) return {};
  const int result = os_.set_mempolicy(mode_, nodes_);
  if (result >= 0) return {};
  return actuation::refusal(os_,
                            {.call = actuation::Call::set_mempolicy,
                             .tried = "cannot give this thread its memory policy back",
                             .nodes = nodes_},
                            result);
}

}  // namespace homenode::trial
