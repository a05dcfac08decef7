#include "cli/run/segment_steps.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "actuation/process.h"
#include "actuation/refusal.h"
#include "base/id_list.h"
#include "cli/run/show.h"
#include "launch/segment_memory.h"

namespace homenode::cli {
namespace {

using Step = launch::SegmentRequest::Step;

class SegmentSteps {
 public:
  SegmentSteps(os::Os& os, const launch::SegmentRequest& request,
               const std::optional<placement::Policy>& policy, launch::SegmentMemory& memory)
      : os_(os), request_(request), policy_(policy), memory_(memory) {}

  Result<void> take(Step step) {
    if (step == Step::policy) return set_policy();
    if (step == Step::touch) return touch();
    return dump(step == Step::dump_nodes);
  }

  std::vector<SegmentDump> dumps() && { return std::move(dumps_); }

 private:
  Result<void> set_policy() {
    placement::Policy policy = *policy_;
    policy.numa_balancing = false;  // As numactl: it is for processes.
    const auto set =
        actuation::bind_region(os_, memory_.region(), policy, request_.strict ? MPOL_MF_STRICT : 0);
    return set ? memory_.check_policy_stays() : set;
  }

  Result<void> touch() {
    const actuation::Region region = memory_.region();
    const int result = os_.populate_memory(region.address, region.bytes);
    if (result == 0) return {};
    return failed(fmt::format("cannot touch all pages of '{}'", request_.path),
                  "the file system or the nodes of the policy are full, or there are too few free "
                  "huge pages",
                  -result);
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
      return failed(fmt::format("cannot ask for a page of '{}'", request_.path),
                    "the page cannot be had: its file system is full or the file was made shorter",
                    EFAULT);
    }
    return actuation::refusal(
        os_,
        {.call = actuation::Call::get_mempolicy,
         .tried = fmt::format("cannot ask for the memory policy of '{}'", request_.path)},
        result);
  }

  os::Os& os_;
  const launch::SegmentRequest& request_;
  const std::optional<placement::Policy>& policy_;
  launch::SegmentMemory& memory_;
  std::vector<SegmentDump> dumps_;
};

/// "bind : 0 1 ", as numactl ends its lines.
std::string range_words(const SegmentRange& range) {
  if (range.node) return fmt::format("{}", range.node->value());
  std::string text = mode_words(range.mode) + " : ";
  for (NodeId node : range.nodes.to_vector()) text += fmt::format("{} ", node.value());
  return text;
}

bool has_policy(const SegmentRange& range) {
  return range.node || range.mode != MPOL_DEFAULT;
}

}  // namespace

std::string segment_text(const std::vector<SegmentDump>& dumps) {
  std::string text;
  for (const SegmentDump& dump : dumps) {
    for (const SegmentRange& range : dump.ranges) {
      if (!has_policy(range)) continue;
      text += fmt::format("{:016x}-{:016x}: {}\n", range.first, range.end, range_words(range));
    }
  }
  return text;
}

std::string segment_json(const launch::SegmentRequest& request,
                         const std::vector<SegmentDump>& dumps) {
  nlohmann::ordered_json json{{"schema", "homenode.run.dump/1"},
                              {"kind", request.is_file ? "file" : "segment"},
                              {"name", request.path},
                              {"dumps", nlohmann::ordered_json::array()}};
  for (const SegmentDump& dump : dumps) {
    nlohmann::ordered_json ranges = nlohmann::ordered_json::array();
    for (const SegmentRange& range : dump.ranges) {
      nlohmann::ordered_json entry{{"first_byte", range.first}, {"end_byte", range.end}};
      if (range.node) {
        entry["node"] = range.node->value();
      } else {
        entry["policy"] = mode_words(range.mode);
        entry["nodes"] = nlohmann::ordered_json::array();
        for (NodeId node : range.nodes.to_vector()) entry["nodes"].push_back(node.value());
      }
      ranges.push_back(std::move(entry));
    }
    json["dumps"].push_back({{"of", dump.of_nodes ? "nodes" : "policies"}, {"ranges", ranges}});
  }
  return json.dump(2) + "\n";
}

Result<std::vector<SegmentDump>> run_segment(Context& context,
                                             const launch::SegmentRequest& request,
                                             const std::optional<placement::Policy>& policy) {
  const auto memory = launch::SegmentMemory::open(context.os, request);
  if (!memory) return memory.as_unexpected();
  SegmentSteps steps(context.os, request, policy, **memory);
  for (Step step : request.steps) {
    if (const auto done = steps.take(step); !done) return (*memory)->give_up(done.error());
  }
  for (const std::string& made : (*memory)->made()) context.err << "homenode run: " << made << '\n';
  return std::move(steps).dumps();
}

}  // namespace homenode::cli
