#include "agent/sites/table.h"

#include <dlfcn.h>
#include <link.h>

#include "agent/sites/document.h"
#include "agent/sites/events.h"
#include "base/raw_call.h"

namespace homenode::agent {
namespace {

constexpr const char* function_names[] = {
    "malloc",         "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign",
    "posix_memalign", "valloc", "pvalloc", "mmap",         "mremap",
};
/// Beyond so many neighbours the table is full.
constexpr std::size_t most_probes = 64;

std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 30U;
  value *= 0xbf58476d1ce4e5b9U;
  value ^= value >> 27U;
  value *= 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

/// Never 0, which is an empty slot.
std::uint64_t hash_of(const Stack& stack, Function function) {
  std::uint64_t hash = static_cast<std::uint64_t>(function) + 1;
  for (std::size_t i = 0; i < stack.count; ++i) hash = mix(hash ^ stack.frames[i]) + i;
  return hash | 1U;
}

}  // namespace

void SiteTable::begin_image(std::uint32_t pid) {
  pid_ = pid;
  image_ = static_cast<std::uint32_t>(mix(now_ns() ^ pid) >> 47U);
}

bool SiteTable::begin(std::uint32_t pid) {
  begin_image(pid);
  hashes_ = static_cast<std::uint64_t*>(raw_map(0, slots * sizeof *hashes_, 0));
  return hashes_ != nullptr;
}

void SiteTable::begin_child(std::uint32_t pid) {
  begin_image(pid);
  // Private memory without a file is zero again.
  raw_call(SYS_madvise, hashes_, slots * sizeof *hashes_, MADV_DONTNEED);
  for (std::uintptr_t& module : modules_) {
    if (module == 0) break;
    module = 0;
  }
}

std::uint32_t SiteTable::find(SampleOutput& output, const Stack& stack, Function function) {
  const std::uint64_t hash = hash_of(stack, function);
  for (std::size_t i = 0; i < most_probes; ++i) {
    const std::size_t slot = (hash / 2 + i) % slots;
    std::uint64_t found = __atomic_load_n(&hashes_[slot], __ATOMIC_RELAXED);
    const auto site = static_cast<std::uint32_t>(image_ << 15U | slot);
    if (found == hash) return site;
    if (found != 0) continue;
    if (__atomic_compare_exchange_n(&hashes_[slot], &found, hash, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      announce_site(output, stack, function, site);
      for (std::size_t k = 0; k < stack.count; ++k) announce_module_of(output, stack.frames[k]);
      return site;
    }
    if (found == hash) return site;
  }
  return 0;
}

void SiteTable::announce_site(SampleOutput& output, const Stack& stack, Function function,
                              std::uint32_t site) const {
  Document<1280> document("sites", pid_);
  document << R"(,"sites":[{"id":)" << site << R"(,"function":")"
           << function_names[static_cast<std::size_t>(function)] << R"(","frames":[)";
  for (std::size_t i = 0; i < stack.count; ++i) {
    document << (i == 0 ? "" : ",") << stack.frames[i];
  }
  document << "]}]}";
  document.append_to(output);
}

void SiteTable::announce_process(SampleOutput& output, const char* how) const {
  Document<512> document("process", pid_);
  document << R"(,"parent":)" << static_cast<std::uint64_t>(raw_call(SYS_getppid))
           << R"(,"began":")" << how << R"("})";
  document.append_to(output);
}

/// Filled from the front; each thread sees what it has put there itself.
bool SiteTable::is_new_module(std::uintptr_t begin) {
  for (std::uintptr_t& module : modules_) {
    std::uintptr_t known = __atomic_load_n(&module, __ATOMIC_RELAXED);
    if (known == begin) return false;
    if (known != 0) continue;
    if (__atomic_compare_exchange_n(&module, &known, begin, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      return true;
    }
    if (known == begin) return false;
  }
  return false;
}

void SiteTable::announce_module_of(SampleOutput& output, std::uint64_t address) {
  dl_find_object found{};
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (_dl_find_object(reinterpret_cast<void*>(address - 1), &found) != 0) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(found.dlfo_map_start);
  if (!is_new_module(begin)) return;
  const link_map& object = *found.dlfo_link_map;
  char program[1024] = {};
  const char* path = object.l_name;
  if (path == nullptr || *path == '\0') {  // The program itself.
    raw_call(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program, sizeof program - 1);
    path = program;
  }
  Document<2048> document("modules", pid_);
  document << R"(,"modules":[{"begin":)" << begin << R"(,"end":)"
           << reinterpret_cast<std::uintptr_t>(found.dlfo_map_end) << R"(,"bias":)"
           << static_cast<std::uint64_t>(object.l_addr) << R"(,"path":")";
  document.write_text(path);
  document << R"("}]})";
  document.append_to(output);
}

}  // namespace homenode::agent
