#include "fake/fake.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cerrno>

namespace homenode::os {
namespace {

std::uintptr_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace

Fake::Fake(FakeMachine machine)
    : machine_(std::move(machine)), memory_(machine_.memory, machine_.nodes) {}

Fake::~Fake() {
  for (const auto& [address, bytes] : mapped_) munmap(const_cast<void*>(address), bytes);
}

void Fake::fail_call(const std::string& name, unsigned nth, int errno_value) {
  const std::lock_guard guard(lock_);
  failures_.clear();
  if (nth > 0) failures_.push_back({name, nth, errno_value});
  has_failed_ = false;
}

void Fake::then_fail_call(const std::string& name, unsigned nth, int errno_value) {
  const std::lock_guard guard(lock_);
  failures_.push_back({name, nth, errno_value});
  has_failed_ = false;
}

bool Fake::has_failed() const {
  const std::lock_guard guard(lock_);
  return has_failed_;
}

void Fake::fail_page(const void* page, int errno_value) {
  const std::lock_guard guard(lock_);
  failing_pages_[page] = errno_value;
}

void Fake::first_touch(void* address, std::size_t bytes, NodeId node) {
  const std::lock_guard guard(lock_);
  memory_.populate(number(address), bytes, caller().policy, node);
}

std::optional<NodeId> Fake::node_of(const void* page) const {
  const std::lock_guard guard(lock_);
  const int node = memory_.node_of(number(page));
  if (node < 0) return std::nullopt;
  return NodeId(static_cast<unsigned>(node));
}

std::size_t Fake::mappings() const {
  const std::lock_guard guard(lock_);
  return memory_.mappings();
}

std::vector<std::string> Fake::calls() const {
  const std::lock_guard guard(lock_);
  return calls_;
}

std::size_t Fake::count(const std::string& name) const {
  const std::lock_guard guard(lock_);
  return static_cast<std::size_t>(std::count(calls_.begin(), calls_.end(), name));
}

std::vector<std::string> Fake::executed() const {
  const std::lock_guard guard(lock_);
  return executed_;
}

int Fake::enter(const char* name) {
  calls_.emplace_back(name);
  if (failures_.empty()) return 0;
  Failure& next = failures_.front();
  if ((!next.call.empty() && next.call != name) || --next.calls_until > 0) return 0;
  const int errno_value = next.errno_value;
  failures_.pop_front();
  has_failed_ = failures_.empty();
  return -errno_value;
}

Fake::Thread& Fake::thread(pid_t id) {
  const auto known = [this](auto& threads, auto key) -> Thread& {
    const auto [at, is_new] = threads.try_emplace(key);
    if (is_new) at->second.cpus = cpus();
    return at->second;
  };
  return id != 0 ? known(threads_, id) : known(callers_, std::this_thread::get_id());
}

CpuSet Fake::cpus() const {
  CpuSet all;
  for (const auto& [cpu, node] : machine_.node_of_cpu) all.insert(cpu);
  return all;
}

int Fake::check_policy(int mode, const NodeSet& nodes) const {
  const int kind = mode & ~MPOL_MODE_FLAGS;
  // MPOL_MAX of the kernel that is modelled, not of the one whose headers are installed.
  if (kind < 0 || kind > fake_weighted_interleave) return -EINVAL;
  if (kind == MPOL_DEFAULT || kind == MPOL_LOCAL) return nodes.empty() ? 0 : -EINVAL;
  if (nodes.empty()) return kind == MPOL_PREFERRED ? 0 : -EINVAL;
  return (nodes & machine_.nodes).empty() ? -EINVAL : 0;
}

int Fake::set_mempolicy(int mode, const NodeSet& nodes) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("set_mempolicy")) return error;
  if (const int error = check_policy(mode, nodes)) return error;
  caller().policy = {mode, nodes & machine_.nodes};
  return 0;
}

int Fake::get_mempolicy(int& mode, NodeSet& nodes) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("get_mempolicy")) return error;
  mode = caller().policy.mode;
  nodes = caller().policy.nodes;
  return 0;
}

int Fake::next_interleave_node(NodeId& node) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("next_interleave_node")) return error;
  const FakePolicy& policy = caller().policy;
  if ((policy.mode & ~MPOL_MODE_FLAGS) != MPOL_INTERLEAVE) return -EINVAL;
  node = policy.nodes.to_vector().front();
  return 0;
}

int Fake::mbind(void* address, std::size_t bytes, int mode, const NodeSet& nodes, unsigned flags) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("mbind")) return error;
  if (const int error = check_policy(mode, nodes)) return error;
  const FakePolicy policy{mode, nodes & machine_.nodes};
  if (const int error = memory_.bind(number(address), bytes, policy)) return error;
  if ((flags & MPOL_MF_MOVE) == 0) return 0;
  const CpuId cpu = caller().cpus.to_vector().front();
  return memory_.move_by_policy(number(address), bytes, machine_.node_of_cpu.at(cpu));
}

int Fake::set_home_node(void* address, std::size_t bytes, NodeId home) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("set_home_node")) return error;
  if (!machine_.nodes.contains(home)) return -EINVAL;
  return memory_.set_home(number(address), bytes, home);
}

int Fake::move_pages(pid_t, std::span<void* const> pages, std::span<const int> targets,
                     std::span<int> status, int) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("move_pages")) return error;
  assert(status.size() == pages.size() && (targets.empty() || targets.size() == pages.size()));
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (targets.empty()) {
      status[i] = memory_.node_of(number(pages[i]));
      continue;
    }
    const auto failing = failing_pages_.find(pages[i]);
    if (failing != failing_pages_.end()) {
      status[i] = -failing->second;
      // Like the kernel, which stops at a busy page, leaves the later statuses as they were, and
      // returns how many pages it left alone.
      if (failing->second == EBUSY) return static_cast<int>(pages.size() - i);
      continue;
    }
    status[i] = memory_.move(number(pages[i]), NodeId(static_cast<unsigned>(targets[i])));
    if (status[i] == -ENOMEM || status[i] == -ENODEV) return status[i];
  }
  return 0;
}

int Fake::sched_setaffinity(pid_t id, const CpuSet& cpus_wanted) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("sched_setaffinity")) return error;
  const CpuSet effective = cpus_wanted & cpus();
  if (effective.empty()) return -EINVAL;
  thread(id).cpus = effective;
  return 0;
}

int Fake::sched_getaffinity(pid_t id, CpuSet& cpus_now) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("sched_getaffinity")) return error;
  cpus_now = thread(id).cpus;
  return 0;
}

int Fake::getcpu(CpuId& cpu, NodeId& node) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("getcpu")) return error;
  cpu = caller().cpus.to_vector().front();
  node = machine_.node_of_cpu.at(cpu);
  return 0;
}

int Fake::map_memory(std::size_t bytes, void*& address) {
  // Aligned as the kernel aligns what can have huge pages, so that a test's runs are alike.
  return map_aligned_memory(bytes, fake_huge_page_bytes, address);
}

int Fake::map_aligned_memory(std::size_t bytes, std::size_t alignment, void*& address) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("map_memory")) return error;
  const std::size_t unit = std::max(alignment, fake_huge_page_bytes);
  void* const whole = mmap(nullptr, bytes + unit, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (whole == MAP_FAILED) return -errno;
  const std::size_t before = -number(whole) % unit;
  auto* const mapped = static_cast<char*>(whole) + before;
  if (before > 0) munmap(whole, before);
  const std::size_t used = (bytes + fake_page_bytes - 1) / fake_page_bytes * fake_page_bytes;
  munmap(mapped + used, unit - before);
  if (const int error = memory_.map(number(mapped), bytes)) {
    munmap(mapped, bytes);
    return error;
  }
  mapped_[mapped] = bytes;
  address = mapped;
  return 0;
}

int Fake::unmap_memory(void* address, std::size_t bytes) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("unmap_memory")) return error;
  if (is_shared(address)) return 0;
  mapped_.erase(address);
  munmap(address, bytes);
  return memory_.unmap(number(address), bytes);
}

int Fake::advise_memory(void* address, std::size_t bytes, int advice) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("advise_memory")) return error;
  if (advice == MADV_NOHUGEPAGE) return memory_.forbid_huge_pages(number(address), bytes);
  if (advice == MADV_COLD) return memory_.split_huge_pages(number(address), bytes);
  if (advice == MADV_POPULATE_READ) {
    const CpuId cpu = caller().cpus.to_vector().front();
    return memory_.populate(number(address), bytes, caller().policy, machine_.node_of_cpu.at(cpu));
  }
  return 0;
}

int Fake::name_memory(void* address, std::size_t bytes, const std::string& name) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("name_memory")) return error;
  if (number(address) % fake_page_bytes != 0 || bytes % fake_page_bytes != 0 || name.size() >= 80) {
    return -EINVAL;
  }
  memory_names_[address] = name;
  return 0;
}

std::string Fake::name_of(const void* address) const {
  const std::lock_guard guard(lock_);
  const auto named = memory_names_.find(address);
  return named == memory_names_.end() ? "" : named->second;
}

int Fake::protect_memory(void* address, std::size_t bytes, int protection) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("protect_memory")) return error;
  // The memory is real, and so are the faults that its protection raises.
  return mprotect(address, bytes, protection) == 0 ? 0 : -errno;
}

int Fake::populate_memory(void* address, std::size_t bytes) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("populate_memory")) return error;
  const CpuId cpu = caller().cpus.to_vector().front();
  return memory_.populate(number(address), bytes, caller().policy, machine_.node_of_cpu.at(cpu));
}

int Fake::populate_ranges(std::span<const MemoryRange> ranges) {
  for (const MemoryRange& range : ranges) {
    if (const int result = populate_memory(range.address, range.bytes)) return result;
  }
  return 0;
}

int Fake::execute(const std::vector<std::string>& arguments) {
  const std::lock_guard guard(lock_);
  executed_ = arguments;
  if (const int error = enter("execute")) return error;
  return -ENOENT;
}

}  // namespace homenode::os
