// What the allocator asks of the kernel, straight: no libc function that might allocate, and errno
// stays as it is. Serves the allocator; tests put a refusing one in its place (system.cpp is linked
// apart). Calls give 0 or -errno unless they say otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

namespace homenode::heap::system {

inline constexpr unsigned max_nodes = 1024;  ///< Of any Linux kernel (CONFIG_NODES_SHIFT <= 10).
inline constexpr std::size_t node_words = max_nodes / 64;

/// A set of nodes as the kernel has it.
struct NodeMask {
  std::uint64_t words[node_words];

  [[nodiscard]] bool contains(unsigned node) const {
    return node < max_nodes && (words[node / 64] >> (node % 64) & 1U) != 0;
  }
  void add(unsigned node) {
    if (node < max_nodes) words[node / 64] |= std::uint64_t{1} << (node % 64);
  }
  [[nodiscard]] unsigned count() const {
    unsigned sum = 0;
    for (const std::uint64_t word : words) sum += static_cast<unsigned>(__builtin_popcountll(word));
    return sum;
  }
  /// The least node that is not below `from`; max_nodes when there is none.
  [[nodiscard]] unsigned next(unsigned from) const {
    while (from < max_nodes && !contains(from)) ++from;
    return from;
  }
};

/// Zeroed private memory that is not committed before its use, at a multiple of `alignment` (a
/// power of two and at least a page); null when there is none.
void* map(std::size_t bytes, std::size_t alignment);
int unmap(void* address, std::size_t bytes);
/// Grows or shrinks a mapping where it is; negative when there is no room.
int resize(void* address, std::size_t old_bytes, std::size_t new_bytes);
/// Moves a mapping's pages to the start of another, which they replace.
int move(void* from, std::size_t old_bytes, void* to, std::size_t new_bytes);
/// Gives the pages back; they read as zero afterwards, and their policy stays.
int discard(void* address, std::size_t bytes);
int bind(void* address, std::size_t bytes, int mode, const NodeMask& nodes, unsigned flags);
/// Names a mapping for those who read /proc/PID/maps; a kernel may not know how.
int name(void* address, std::size_t bytes, const char* text);
/// Whether new mappings are locked, so that all of their pages become memory at once: see
/// mlockall(2).
bool locks_new_memory();
/// Gives pages back that are locked, and unlocks their place.
int discard_locked(void* address, std::size_t bytes);
/// Keeps huge pages away, in which an interleaving would go by 2 MiB.
int use_small_pages(void* address, std::size_t bytes);
/// Asks for huge pages, of which a kernel may give none.
int use_huge_pages(void* address, std::size_t bytes);
/// The node that holds a byte, or -errno; -ENOENT when it is not present.
int node_of(const void* address);
/// The nodes that the process may have memory of.
int allowed_nodes(NodeMask& nodes);
/// Where the caller runs.
int get_cpu(unsigned& cpu, unsigned& node);
/// Reads a small file: how many bytes, or -errno.
long read_file(const char* path, char* buffer, std::size_t room);
/// Writes all of it, if it can.
void write(int file, const char* text, std::size_t bytes);
std::uint64_t milliseconds();
/// Sleeps while `*word` is `value`, and wakes one who does.
void wait(unsigned* word, unsigned value);
void wake(unsigned* word);
/// True when the thread is no more.
bool thread_gone(int thread);
int thread_id();
[[noreturn]] void stop();

/// How many calls there were, for the statistics.
struct Calls {
  std::uint64_t maps;
  std::uint64_t policies;
  std::uint64_t refused_policies;
};
Calls calls();

}  // namespace homenode::heap::system
