// Reads the wire text (agent/wire.h) into masks as the kernel takes them. Serves both libraries
// that are preloaded: no exceptions, no stdio, no allocation but from an Arena.
#pragma once

#include <cstddef>
#include <cstdint>

namespace homenode::agent {

/// Memory that lives as long as the process, straight from the kernel.
class Arena {
 public:
  /// Zeroed and aligned for any of our types; null when the kernel has no more.
  void* take(std::size_t bytes);
  /// True once the kernel has had no more.
  [[nodiscard]] bool is_exhausted() const { return exhausted_; }

 private:
  char* next_ = nullptr;
  std::size_t left_bytes_ = 0;
  bool exhausted_ = false;
};

/// A set of ids in the kernel's form: bit i is id i. `words` is null where nothing is said.
struct Mask {
  const unsigned long* words = nullptr;
  std::size_t count = 0;
  [[nodiscard]] bool contains(std::size_t id) const;
  /// How many members are below `id`.
  [[nodiscard]] std::size_t below(std::size_t id) const;
};

struct KernelPolicy {
  int mode = 0;
  Mask nodes;
};

/// `pages` pages on `node`.
struct PageRun {
  std::size_t pages = 0;
  unsigned node = 0;
};

/// A part of a file that is mapped as a program or library: data of it, or code.
struct Piece {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t address = 0;  ///< By the linker; the load base comes on top.
  std::uint64_t bytes = 0;
  std::uintptr_t loaded = 0;  ///< Where it is in this process, once find_pieces() has found it.
};

struct AllocationRule {
  enum class Kind { policy, block, pattern, map, random };
  std::uint64_t at_least_bytes = 0;
  /// Of an allocation: the code that asks for it, or null for any. Of static data: where it is.
  Piece* pieces = nullptr;
  std::size_t piece_count = 0;
  Kind kind = Kind::policy;
  KernelPolicy policy;  ///< For Kind::policy.
  bool has_home = false;
  unsigned home = 0;  ///< The home node of the policy.
  const PageRun* runs =
      nullptr;  ///< For all others; pages are 0 for block, the block's for random.
  std::size_t run_count = 0;
  std::uint64_t seed = 0;  ///< For random.
};

/// Everything the text says. Arrays are in the order of the text.
struct Words {
  Mask process_cpus;
  const Mask* cpus_by_rank = nullptr;
  std::size_t cpu_ranks = 0;
  bool count_forks = false;
  Mask skipped;
  const KernelPolicy* memory_by_rank = nullptr;
  std::size_t memory_ranks = 0;
  bool has_heap = false;
  KernelPolicy heap;
  AllocationRule* rules = nullptr;
  std::size_t rule_count = 0;
  AllocationRule* data = nullptr;
  std::size_t data_count = 0;
  bool verbose = false;
  bool refusal_reported = false;  ///< Of memory policies, by the launcher, once for the command.
};

/// False for a text that is not wholly as wire.h says; `words` is then not to be used.
bool read_words(const char* text, Arena& arena, Words& words);

/// Why read_words() gave false, for people.
const char* why_unread(const Arena& arena);

/// The value of our variable in an environment, or null.
const char* find_wire(char* const* environment);

struct Rest;  // wire_text.h

/// Each takes one thing off the text; false when there is none.
bool take_mask(Rest& rest, Arena& arena, Mask& mask);
bool take_policy(Rest& rest, Arena& arena, KernelPolicy& policy);
/// What follows "place=" and "data=": words_rules.cpp.
bool take_place(Rest& rest, Arena& arena, AllocationRule& rule);
bool take_data(Rest& rest, Arena& arena, AllocationRule& rule);

}  // namespace homenode::agent
