// Maps memory before the program's preloaded libraries are initialised, as jemalloc does: a library
// that a program is linked to is initialised earlier. Of what it maps it gives the end back.
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>

extern "C" {
extern void* early_mapping;
void* early_mapping = nullptr;
}

namespace {

[[gnu::constructor]] void map_early(int argc, char** argv, char**) {
  if (argc != 2) return;
  const std::size_t bytes = std::strtoull(argv[1], nullptr, 10);
  void* const mapped =
      mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return;
  constexpr std::size_t page = 4096;
  const std::size_t kept = (bytes + page - 1) / page * page;
  munmap(static_cast<char*>(mapped) + kept, 2 * bytes - kept);
  static_cast<char*>(mapped)[bytes / 2] = 1;
  early_mapping = mapped;
}

}  // namespace
