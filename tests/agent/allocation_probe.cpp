// A program as people write them, that allocates in each way that there is; the tests read on which
// node each page of it lies:
//   WAY pages=N map=NODExPAGES,… mappings=M
// usage: allocation_probe BYTES
// The pages are those that hold the memory, the first one with its header included; all of them are
// written to before the question. M is how many lines of /proc/self/maps they lie in.
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

/// What tests/agent/early_mapping.cpp maps.
extern "C" void* early_mapping;

namespace {

constexpr std::uintptr_t page_bytes = 4096;

std::string runs_of(const std::vector<int>& nodes) {
  std::string text;
  for (std::size_t first = 0; first < nodes.size();) {
    std::size_t end = first;
    while (end < nodes.size() && nodes[end] == nodes[first]) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(end - first);
    text += 'x';
    text += std::to_string(nodes[first]);
    first = end;
  }
  return text;
}

std::size_t mappings_between(std::uintptr_t first, std::uintptr_t end) {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    unsigned long from = 0;
    unsigned long to = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &from, &to) != 2) continue;
    if (from < end && to > first) ++count;
  }
  return count;
}

void report(const char* way, void* memory, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  std::vector<void*> pages;
  for (std::uintptr_t page = address & ~(page_bytes - 1); page < address + bytes;
       page += page_bytes) {
    pages.push_back(reinterpret_cast<void*>(page));
  }
  std::memset(memory, 1, bytes);
  std::vector<int> nodes(pages.size(), -1);
  syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, nodes.data(), 0);
  std::printf("%s pages=%zu map=%s mappings=%zu\n", way, pages.size(), runs_of(nodes).c_str(),
              mappings_between(address, address + bytes));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::size_t bytes = std::strtoull(argv[1], nullptr, 10);

  report("early", early_mapping, bytes);
  void* const plain = std::malloc(bytes);
  report("malloc", plain, bytes);
  void* const zeroed = std::calloc(bytes / 8, 8);
  report("calloc", zeroed, bytes);
  void* aligned = nullptr;
  if (posix_memalign(&aligned, page_bytes, bytes) != 0) return 1;
  report("posix_memalign", aligned, bytes);
  auto numbers = std::make_unique<char[]>(bytes);
  report("new", numbers.get(), bytes);
  void* const grown = std::realloc(std::malloc(100), bytes);
  report("realloc", grown, bytes);
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  report("mmap", mapped, bytes);
  void* const unreserved = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  report("noreserve", unreserved, bytes);
  // More than there is: nobody brings it in.
  const std::size_t space = std::size_t{1} << 44U;
  void* const range = mmap(nullptr, space, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  std::printf("address space %s\n", range == MAP_FAILED ? "impossible" : "possible");
  if (range != MAP_FAILED) munmap(range, space);
  void* const reserved = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::printf("reserved stays %s\n", reserved == MAP_FAILED ? "impossible" : "possible");

  std::vector<char> small(bytes / 64);
  report("small", small.data(), small.size());
  munmap(reserved, bytes);
  munmap(unreserved, bytes);
  munmap(mapped, bytes);
  std::free(grown);
  std::free(aligned);
  std::free(zeroed);
  std::free(plain);
}
