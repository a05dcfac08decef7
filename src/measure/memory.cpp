#include "measure/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cassert>
#include <utility>

#include "actuation/audit.h"
#include "actuation/mappings.h"
#include "measure/working_set.h"

namespace homenode::measure {
namespace {

constexpr std::size_t line_bytes = sizeof(workloads::probe::Stop);

/// In huge pages all over: then an order over everything has few TLB misses.
bool all_huge(const MemoryFacts& facts) {
  return facts.huge && facts.huge->value >= 2 * facts.array.value;
}

}  // namespace

Result<NodeMemory> NodeMemory::make(os::Os& os, const Wish& wish) {
  const NodeId node = wish.node;
  const Bytes array = wish.array;
  assert(array.value > 0 && array.value % array_unit.value == 0);
  const std::size_t bytes = 2 * array.value;
  auto mapped = actuation::AlignedMemory::map(os, bytes, array_unit.value);
  if (!mapped) {
    return failed(fmt::format("cannot allocate {} MiB for node {}", bytes >> 20U, node.value()),
                  mapped.error().next, mapped.error().errno_value);
  }
  NodeMemory memory(os, *std::move(mapped));
  memory.facts_.node = node;
  memory.facts_.array = array;
  // A kernel without huge pages refuses; what was got is looked at below.
  (void)os.advise_memory(memory.region_.address, bytes, MADV_HUGEPAGE);
  if (auto placed = memory.place(wish.only_node); !placed) return placed.as_unexpected();
  memory.audit_pages();
  memory.link(!wish.modelled && !all_huge(memory.facts_));
  return memory;
}

Result<void> NodeMemory::place(bool only_node) {
  const placement::PageMap map(actuation::page_count(*os_, region_), facts_.node);
  const auto receipt = actuation::place_pages(*os_, region_, map);
  if (receipt) {
    if (!receipt->refusals.empty()) facts_.why = receipt->refusals.front().message();
  } else if (!only_node) {
    return receipt.as_unexpected();
  } else if (const int result = os_->populate_memory(region_.address, region_.bytes); result < 0) {
    return failed(fmt::format("cannot touch {} MiB of memory", region_.bytes >> 20U),
                  "give a smaller --size", -result);
  }
  // Present pages stay where they are; a refusal costs no more than this protection.
  (void)actuation::set_region_policy(
      *os_, region_, {.kind = placement::PolicyKind::bind, .nodes = NodeSet{facts_.node}});
  return {};
}

void NodeMemory::audit_pages() {
  facts_.pages = actuation::page_count(*os_, region_);
  const auto audit = actuation::audit(*os_, region_);
  if (audit) {
    const auto there = audit->pages_on_node.find(facts_.node);
    facts_.elsewhere = facts_.pages - (there == audit->pages_on_node.end() ? 0 : there->second);
  } else {
    facts_.audited = false;
    facts_.why = audit.error().message();
  }
  facts_.huge = actuation::huge_bytes(*os_, region_);
}

void NodeMemory::link(bool page_local) {
  facts_.page_local = page_local;
  auto* const array = reinterpret_cast<workloads::probe::Stop*>(
      static_cast<char*>(region_.address) + facts_.array.value);
  workloads::probe::CycleShape shape;
  shape.lines = facts_.array.value / line_bytes;
  shape.lines_per_group = page_local ? os_->page_bytes() / line_bytes : shape.lines;
  shape.stride = page_local ? 2 : 1;
  shape.seed = 1 + facts_.node.value();
  next_stop = workloads::probe::link_cycle(array, shape);
}

}  // namespace homenode::measure
