#include "trial/numa_mem/shared.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <new>
#include <utility>

namespace homenode::trial {

Result<SharedPages> SharedPages::map(std::size_t bytes, std::size_t alignment) {
  const std::size_t whole = bytes + alignment;
  void* const address =
      mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) {
    return failed(fmt::format("cannot allocate {} MiB of shared memory", whole >> 20U),
                  "give a smaller -G or raise the memory limit", errno);
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t aligned = (begin + alignment - 1) / alignment * alignment;
  return SharedPages({address, whole}, {static_cast<char*>(address) + (aligned - begin), bytes});
}

SharedPages::SharedPages(SharedPages&& other) noexcept
    : whole_(std::exchange(other.whole_, {})), region_(std::exchange(other.region_, {})) {}

SharedPages::~SharedPages() {
  if (whole_.address != nullptr) munmap(whole_.address, whole_.bytes);
}

void LiveTask::say_where(os::Os& os) {
  CpuId now_on;
  NodeId of_node;
  if (os.getcpu(now_on, of_node) != 0) return;
  cpu.store(static_cast<int>(now_on.value()), std::memory_order_relaxed);
  node.store(static_cast<int>(of_node.value()), std::memory_order_relaxed);
}

Result<LiveTasks> LiveTasks::make(std::size_t tasks) {
  // One place more than there are tasks, for the word that ends them.
  auto pages = SharedPages::map((tasks + 1) * sizeof(LiveTask), alignof(LiveTask));
  if (!pages) return pages.as_unexpected();
  return LiveTasks(*std::move(pages), tasks);
}

LiveTasks::LiveTasks(SharedPages pages, std::size_t tasks) : pages_(std::move(pages)) {
  auto* const memory = static_cast<char*>(pages_.region().address);
  stop_ = new (memory) std::atomic<bool>(false);
  tasks_ = reinterpret_cast<LiveTask*>(memory + sizeof(LiveTask));
  for (std::size_t i = 0; i < tasks; ++i) new (&tasks_[i]) LiveTask;
}

}  // namespace homenode::trial
