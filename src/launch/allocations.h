// Rules for large allocations and named data: --place 'size>64M: cyclic', 'name=u: block'. Pure;
// serves the verb `run`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "placement/policies/memory_rule.h"

namespace homenode::launch {

/// An array of static data, or a function, that a name of a rule stands for.
struct NamedPiece {
  std::string name;  ///< As the source has it, as far as the symbol shows.
  std::string file;  ///< The program or library that has it.
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t address = 0;  ///< By the linker: the load base comes on top.
  std::uint64_t bytes = 0;
  /// Of data: the pages that are its own, as find_named_pieces() divides them; there may be none.
  std::uint64_t first_page = 0;
  std::uint64_t page_bytes = 0;
};

/// A rule for large allocations, or for static data by name; of several, the first that fits holds.
struct AllocationRule {
  std::uint64_t at_least_bytes = 0;
  std::string rule;                  ///< With all its nodes, for --explain.
  std::string wire;                  ///< As the agent reads it (agent/wire.h).
  std::vector<std::string> names{};  ///< Of static data; then this is no rule for allocations.
  std::vector<std::string> from{};   ///< Of functions that allocate; none: any.
  /// What the names stand for in the program that is started (launch/allocation_names.h).
  std::vector<NamedPiece> pieces{};

  [[nodiscard]] bool has_names() const { return !names.empty() || !from.empty(); }
};

/// Checks that all nodes of a rule may be used here. Errors: bad_usage that quotes `text`, the rule
/// as it was written.
Result<void> check_allowed(const machine::Machine& machine, const placement::MemoryRule& rule,
                           std::string_view text);

/// A memory rule all of whose nodes may be used here. Errors: bad_usage.
Result<placement::MemoryRule> parse_allowed_rule(const machine::Machine& machine,
                                                 std::string_view text);

/// True when the rule is `weighted` without numbers: those of the machine, whose bandwidths the
/// quick machine does not know.
bool asks_for_machine_weights(std::string_view text);

/// "weighted[@NODES]" as "weighted:W,…@NODES", where each node has the weight that its bandwidth
/// asks for: that of the best source, reads before both directions, as `homenode measure` weighs
/// them. Errors: bad_usage for nodes that cannot be read; not_supported where the machine does not
/// know the bandwidth of each of them.
Result<std::string> with_machine_weights(const machine::Machine& machine, std::string_view rule);

/// CONDITION[, CONDITION]: RULE. Conditions are size>BYTES or size>=BYTES, where K, M, G and T
/// stand for powers of 1024; name=PATTERN for static data; from=PATTERN for the functions that
/// allocate. Names are looked up later (launch/allocation_names.h). Errors: bad_usage for what
/// cannot be read; not_supported for next-touch, for patterns that the agent's text cannot hold,
/// and for weights of a machine that has no bandwidths.
Result<AllocationRule> parse_allocation_rule(const machine::Machine& machine,
                                             std::string_view text);

}  // namespace homenode::launch
