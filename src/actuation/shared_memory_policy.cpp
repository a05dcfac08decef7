#include "actuation/shared_memory_policy.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "actuation/process.h"
#include "actuation/refusal.h"
#include "base/id_list.h"

namespace homenode::actuation {
namespace {

using Step = SegmentRequest::Step;

/// What is wrong with a page under the policy; empty when nothing is. `before` is the node of the
/// page before it, after which interleave has to go on with the next of its nodes.
std::string difference(const placement::Policy& policy, const SegmentRange& page,
                       std::optional<NodeId> before) {
  using placement::PolicyKind;
  auto kind = policy_kind_of(page.mode).value_or(PolicyKind::default_policy);
  // Kernels before 5.14 know local as preferred without a node.
  if (kind == PolicyKind::preferred && page.nodes.empty()) kind = PolicyKind::local;
  if (kind != policy.kind || page.nodes != policy.nodes) {
    return fmt::format("has the policy {}, not {}", describe({kind, page.nodes}), describe(policy));
  }
  if (policy.nodes.empty()) return "";
  if (!policy.nodes.contains(*page.node)) {
    return fmt::format("is on node {}, not on one of {}", page.node->value(),
                       to_list(policy.nodes));
  }
  if (policy.kind != PolicyKind::interleave || !before) return "";
  const std::vector<NodeId> nodes = policy.nodes.to_vector();
  const auto last = std::find(nodes.begin(), nodes.end(), *before);
  const NodeId next = last + 1 == nodes.end() ? nodes.front() : *(last + 1);
  if (*page.node == next) return "";
  return fmt::format("is on node {}, where interleaving has node {}", page.node->value(),
                     next.value());
}

class SegmentSteps {
 public:
  SegmentSteps(os::Os& os, const SegmentRequest& request,
               const std::optional<placement::Policy>& policy, SegmentMemory& memory)
      : os_(os), request_(request), policy_(policy), memory_(memory) {}

  /// pre: `index` is that of a step of the request.
  Result<void> take(std::size_t index) {
    const Step step = request_.steps[index];
    if (step == Step::policy) {
      const auto rest = request_.steps.begin() + static_cast<std::ptrdiff_t>(index);
      return set_policy(std::any_of(rest, request_.steps.end(), [](Step later) {
        return later == Step::touch || later == Step::verify;
      }));
    }
    if (step == Step::touch) return touch();
    if (step == Step::verify) return verify();
    return dump(step == Step::dump_nodes);
  }

  std::vector<SegmentDump> dumps() && { return std::move(dumps_); }

 private:
  Result<void> set_policy(bool touch_follows) {
    placement::Policy policy = *policy_;
    policy.numa_balancing = false;  // As numactl: it is for processes.
    const auto set =
        bind_region(os_, memory_.region(), policy, request_.strict ? MPOL_MF_STRICT : 0);
    return set ? memory_.check_policy_stays(touch_follows) : set;
  }

  Result<void> touch() {
    const Region region = memory_.region();
    const int result = os_.populate_memory(region.address, region.bytes);
    if (result == 0) return {};
    return failed(fmt::format("cannot touch all pages of '{}'", request_.path),
                  "the file system or the nodes of the policy are full, or there are too few free "
                  "huge pages",
                  -result);
  }

  /// pre: a step before has set the policy.
  Result<void> verify() {
    if (const auto touched = touch(); !touched) return touched;
    std::optional<NodeId> before;
    for (std::size_t offset = 0; offset < memory_.region().bytes; offset += memory_.page_bytes()) {
      SegmentRange page;
      page.first = request_.offset + offset;
      page.end = page.first + memory_.page_bytes();
      for (const bool of_nodes : {false, true}) {
        if (const int result = ask(offset, of_nodes, page); result < 0) return refused_page(result);
      }
      if (const std::string wrong = difference(*policy_, page, before); !wrong.empty()) {
        return failed(
            fmt::format("--verify: the page at {:#x} of '{}' {}", page.first, request_.path, wrong),
            "pages that were present before keep their places: set the policy before "
            "they are written; --dump and --dump-nodes list all");
      }
      before = page.node;
    }
    return {};
  }

  Result<void> dump(bool of_nodes) {
    SegmentDump dump{of_nodes, {}};
    for (std::size_t offset = 0; offset < memory_.region().bytes; offset += memory_.page_bytes()) {
      SegmentRange page;
      page.first = request_.offset + offset;
      page.end = page.first + memory_.page_bytes();
      if (const int result = ask(offset, of_nodes, page); result < 0) return refused_page(result);
      SegmentRange* const last = dump.ranges.empty() ? nullptr : &dump.ranges.back();
      if (last != nullptr && last->mode == page.mode && last->nodes == page.nodes &&
          last->node == page.node) {
        last->end = page.end;
      } else {
        dump.ranges.push_back(page);
      }
    }
    dumps_.push_back(std::move(dump));
    return {};
  }

  int ask(std::size_t offset, bool of_nodes, SegmentRange& page) const {
    void* const address = static_cast<char*>(memory_.region().address) + offset;
    if (!of_nodes) return os_.page_policy(address, page.mode, page.nodes);
    NodeId node;
    const int result = os_.page_node(address, node);
    page.node = node;
    return result;
  }

  Unexpected refused_page(int result) const {
    if (result == -EFAULT) {
      return failed(fmt::format("cannot query a page of '{}'", request_.path),
                    "its file system is full, or the file was truncated meanwhile", EFAULT);
    }
    return refusal(os_,
                   {.call = Call::get_mempolicy,
                    .tried = fmt::format("cannot read the memory policy of '{}'", request_.path)},
                   result);
  }

  os::Os& os_;
  const SegmentRequest& request_;
  const std::optional<placement::Policy>& policy_;
  SegmentMemory& memory_;
  std::vector<SegmentDump> dumps_;
};

}  // namespace

Result<SegmentReceipt> treat_segment(os::Os& os, const SegmentRequest& request,
                                     const std::optional<placement::Policy>& policy) {
  const auto memory = SegmentMemory::open(os, request);
  if (!memory) return memory.as_unexpected();
  SegmentSteps steps(os, request, policy, **memory);
  for (std::size_t i = 0; i < request.steps.size(); ++i) {
    if (const auto done = steps.take(i); !done) return (*memory)->give_up(done.error());
  }
  return SegmentReceipt{std::move(steps).dumps(), (*memory)->made()};
}

}  // namespace homenode::actuation
