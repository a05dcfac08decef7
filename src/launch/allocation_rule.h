// One rule of --place, as read and as the agent gets it. Serves the verb `run`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace homenode::launch {

/// An array of static data, or a function, that a name of a rule stands for.
struct NamedPiece {
  std::string name;  ///< As the source has it, as far as the symbol tells.
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
  /// What the names stand for in the program that is started; see run_allocations_names.h.
  std::vector<NamedPiece> pieces{};

  [[nodiscard]] bool has_names() const { return !names.empty() || !from.empty(); }
};

}  // namespace homenode::launch
