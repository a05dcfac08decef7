// Charm++'s words for a placement: +setcpuaffinity +pemap L +maffinity +nodemap L +mempol P.
#include <fmt/format.h>

#include <vector>

#include "base/id_list.h"
#include "launch/threads.h"
#include "placement/threads/charm.h"

namespace homenode::launch {
namespace {

/// The policies of PEs as --thread-memory has them.
Result<std::string> thread_memory(const CharmRequest& charm) {
  if (charm.mempol != "bind" && charm.mempol != "preferred" && charm.mempol != "interleave") {
    return bad_usage(fmt::format("cannot read +mempol '{}' beside +maffinity", charm.mempol),
                     "write +mempol bind, preferred or interleave");
  }
  if (charm.nodemap.empty()) {
    if (charm.mempol == "interleave") return std::string("interleave");
    return bad_usage(fmt::format("+mempol {} needs the node of each PE", charm.mempol),
                     "add +nodemap, such as +nodemap 0,0,1,1");
  }
  const auto numbers = placement::parse_charm_numbers(charm.nodemap);
  if (!numbers) return numbers.as_unexpected();
  if (charm.mempol == "interleave") {
    NodeSet nodes;
    for (unsigned number : *numbers) nodes.insert(NodeId(number));
    return fmt::format("interleave@{}", to_list(nodes));
  }
  std::string rules;
  for (unsigned number : *numbers) {
    rules += fmt::format("{}{}@{}", rules.empty() ? "" : "/", charm.mempol, number);
  }
  return rules;
}

}  // namespace

Result<ThreadRequest> from_charm(const CharmRequest& charm) {
  if (!charm.setcpuaffinity && (!charm.pemap.empty() || charm.maffinity)) {
    return bad_usage(fmt::format("{} counts beside +setcpuaffinity only",
                                 charm.maffinity ? "+maffinity" : "+pemap"),
                     "add +setcpuaffinity");
  }
  if (!charm.maffinity && (!charm.nodemap.empty() || !charm.mempol.empty())) {
    return bad_usage("+nodemap and +mempol count beside +maffinity only", "add +maffinity");
  }
  if (charm.setcpuaffinity && charm.pemap.empty()) {
    return bad_usage("+setcpuaffinity does not say which CPUs", "add +pemap, such as +pemap 0-7:2");
  }
  ThreadRequest request;
  request.threads = charm.pemap;
  request.count_forks = true;
  if (charm.maffinity) {
    auto rules = thread_memory(charm);
    if (!rules) return rules.as_unexpected();
    request.thread_memory = *std::move(rules);
  }
  return request;
}

}  // namespace homenode::launch
