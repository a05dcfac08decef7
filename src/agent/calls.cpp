#include "agent/calls.h"

#include <sys/stat.h>

#include "agent/wire_text.h"
#include "base/raw_call.h"

namespace homenode::agent {
namespace {

/// As the kernel counts: it takes one bit less than it is told (its get_nodes()).
unsigned long max_node(const Mask& nodes) {
  return nodes.count == 0 ? 0 : nodes.count * sizeof(unsigned long) * 8 + 1;
}

/// Reads "FIRST-END" in hexadecimal, character by character.
class MapsLine {
 public:
  /// True when the line, of which this is the next character, has ended.
  bool take(char c) {
    if (c == '\n') return true;
    if (c == '-' && part_ == 0) {
      part_ = 1;
    } else if (const int digit = hexadecimal(c); digit >= 0 && part_ < 2) {
      value_[part_] = value_[part_] << 4U | static_cast<std::uintptr_t>(digit);
    } else {
      part_ = 2;
    }
    return false;
  }
  [[nodiscard]] std::uintptr_t first() const { return value_[0]; }
  [[nodiscard]] std::uintptr_t end() const { return value_[1]; }

 private:
  static int hexadecimal(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  }
  std::uintptr_t value_[2] = {0, 0};
  unsigned part_ = 0;
};

}  // namespace

int bind_thread(const Mask& cpus) {
  if (cpus.words == nullptr) return 0;
  const long result =
      raw_call(SYS_sched_setaffinity, 0, cpus.count * sizeof(unsigned long), cpus.words);
  return result < 0 ? static_cast<int>(result) : 0;
}

int set_policy(const KernelPolicy& policy) {
  return static_cast<int>(
      raw_call(SYS_set_mempolicy, policy.mode, policy.nodes.words, max_node(policy.nodes)));
}

int bind_memory(std::uintptr_t address, std::size_t bytes, const KernelPolicy& policy,
                unsigned flags) {
  return static_cast<int>(raw_call(SYS_mbind, address, bytes, policy.mode, policy.nodes.words,
                                   max_node(policy.nodes), flags));
}

int read_policy(int& mode, unsigned long* words, std::size_t count) {
  return static_cast<int>(
      raw_call(SYS_get_mempolicy, &mode, words, count * sizeof(unsigned long) * 8 + 1, nullptr, 0));
}

int advise_memory(std::uintptr_t address, std::size_t bytes, int advice) {
  return static_cast<int>(raw_call(SYS_madvise, address, bytes, advice));
}

int set_home_node(std::uintptr_t address, std::size_t bytes, unsigned node) {
  constexpr long set_mempolicy_home_node = 450;  // On every architecture; older headers lack it.
  return static_cast<int>(raw_call(set_mempolicy_home_node, address, bytes, node, 0UL));
}

int move_pages(const std::uintptr_t* addresses, std::size_t count, unsigned node, int* status) {
  constexpr int move_own_pages = 1 << 1;  // MPOL_MF_MOVE
  constexpr std::size_t batch = 64;
  int nodes[batch];
  for (int& each : nodes) each = static_cast<int>(node);
  for (std::size_t first = 0; first < count; first += batch) {
    const std::size_t some = count - first < batch ? count - first : batch;
    const long result =
        raw_call(SYS_move_pages, 0, some, addresses + first, nodes, status + first, move_own_pages);
    if (result < 0) return static_cast<int>(result);
  }
  return 0;
}

bool may_be_present(std::uintptr_t page) {
  int status = -1;
  return raw_call(SYS_move_pages, 0, 1UL, &page, nullptr, &status, 0) < 0 || status >= 0;
}

void* map_memory(std::size_t bytes) {
  return raw_map(0, bytes, 0);
}

void unmap_memory(void* memory, std::size_t bytes) {
  raw_unmap(memory, bytes);
}

std::size_t free_bytes() {
  std::uint64_t kib = 0;
  char buffer[512];
  // It is the third line.
  raw_read("/proc/meminfo", buffer, sizeof buffer - 1, [&](char* text, std::size_t size) {
    text[size] = '\0';
    for (Rest rest{text}; *rest.next != '\0'; ++rest.next) {
      if (!rest.take_word("MemAvailable:")) continue;
      while (rest.take(' ')) {
      }
      (void)rest.take_number(kib);
      break;
    }
    return false;
  });
  return kib << 10U;
}

int identify_file(const char* path, FileIdentity& identity) {
  struct stat status {};
  const long result = raw_call(SYS_newfstatat, AT_FDCWD, path, &status, 0);
  identity = {status.st_dev, status.st_ino};
  return static_cast<int>(result);
}

int identify_open(int file, FileIdentity& identity) {
  struct stat status {};
  const long result = raw_call(SYS_fstat, file, &status);
  identity = {status.st_dev, status.st_ino};
  return static_cast<int>(result);
}

long size_of_open(int file) {
  struct stat status {};
  const long result = raw_call(SYS_fstat, file, &status);
  return result < 0 ? result : static_cast<long>(status.st_size);
}

bool find_mapping(std::uintptr_t address, std::uintptr_t& first, std::uintptr_t& end) {
  bool found = false;
  MapsLine line;
  const auto take = [&](char c) {
    if (!line.take(c)) return true;
    found = line.first() <= address && address < line.end();
    if (!found) line = {};
    return !found;
  };
  char buffer[512];
  raw_read("/proc/self/maps", buffer, sizeof buffer, [&](const char* text, std::size_t size) {
    std::size_t i = 0;
    while (i < size && take(text[i])) ++i;
    return i == size;
  });
  first = line.first();
  end = line.end();
  return found;
}

}  // namespace homenode::agent
