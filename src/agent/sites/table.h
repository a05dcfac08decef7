// The call stacks that have been seen in this process, and what the sample file is told of them:
// `sites` and `modules` (docs/sample-file.md), and that a process began. Serves
// libhomenode-sites.so. No lock: threads put themselves into the tables one word at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/sample_output.h"
#include "agent/sites/stack.h"

namespace homenode::agent {

/// What memory may be asked for by, in the order of function_names.
enum class Function : std::uint16_t {
  malloc,
  calloc,
  realloc,
  reallocarray,
  aligned_alloc,
  memalign,
  posix_memalign,
  valloc,
  pvalloc,
  mmap,
  mremap,
};

/// constinit.
class SiteTable {
 public:
  /// False where the kernel has no memory for it.
  bool begin(std::uint32_t pid);
  /// In a forked child: its sites are told again, by its own pid.
  void begin_child(std::uint32_t pid);

  /// The number of a stack, which is told to the file when it is new; 0 where there is no room for
  /// another one.
  std::uint32_t find(SampleOutput& output, const Stack& stack, Function function);

  /// Tells the file that this process began now; `how` is "exec" or "fork".
  void announce_process(SampleOutput& output, const char* how) const;

 private:
  static constexpr std::size_t slots = 1U << 15U;
  static constexpr std::size_t most_modules = 1024;

  void begin_image(std::uint32_t pid);
  void announce_site(SampleOutput& output, const Stack& stack, Function function,
                     std::uint32_t site) const;
  void announce_module_of(SampleOutput& output, std::uint64_t address);
  bool is_new_module(std::uintptr_t begin);

  std::uint64_t* hashes_ = nullptr;
  std::uintptr_t modules_[most_modules] = {};
  std::uint32_t pid_ = 0;
  /// A process that executes another program keeps its pid and numbers its sites anew: this makes
  /// the numbers others.
  std::uint32_t image_ = 0;
};

}  // namespace homenode::agent
