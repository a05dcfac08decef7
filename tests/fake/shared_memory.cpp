// The fake kernel's shared memory: files and segments that keep their policies and pages from one
// command to the next. Serves fake/fake.h.
#include <linux/mempolicy.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "fake/fake.h"

namespace homenode::os {
namespace {

std::uintptr_t as_number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace

/// All mappings of one object are one piece of memory, as large as an object may ever be.
int Fake::memory_of(SharedObject& object, void*& address) {
  if (object.memory == nullptr) {
    void* const mapped = mmap(nullptr, fake_shared_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return -errno;
    if (const int error = memory_.map(as_number(mapped), fake_shared_bytes)) {
      munmap(mapped, fake_shared_bytes);
      return error;
    }
    mapped_[mapped] = fake_shared_bytes;
    object.memory = mapped;
    shared_memory_.push_back(mapped);
  }
  address = object.memory;
  return 0;
}

bool Fake::is_shared(const void* address) const {
  return std::any_of(shared_memory_.begin(), shared_memory_.end(), [&](const void* first) {
    return as_number(address) - as_number(first) < fake_shared_bytes;
  });
}

void Fake::add_shared_file(const std::string& path, std::uint64_t bytes, bool keeps_policy,
                           std::size_t page_bytes) {
  const std::lock_guard guard(lock_);
  shared_files_[path] = {bytes, nullptr, keeps_policy, page_bytes};
}

std::optional<std::uint64_t> Fake::shared_file_bytes(const std::string& path) const {
  const std::lock_guard guard(lock_);
  const auto found = shared_files_.find(path);
  if (found == shared_files_.end()) return std::nullopt;
  return found->second.bytes;
}

std::size_t Fake::segments() const {
  const std::lock_guard guard(lock_);
  return segments_.size();
}

int Fake::open_shared_file(const std::string& path, std::optional<unsigned> permissions,
                           SharedFile& file) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("open_shared_file")) return error;
  const bool is_there = shared_files_.contains(path);
  if (permissions && is_there) return -EEXIST;
  if (!permissions && !is_there) return -ENOENT;
  if (!is_there) shared_files_[path] = {};
  open_files_.push_back(path);
  file = {static_cast<int>(open_files_.size()) - 1, shared_files_[path].bytes,
          shared_files_[path].page_bytes};
  return 0;
}

int Fake::resize_file(int descriptor, std::uint64_t bytes) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("resize_file")) return error;
  if (const auto appended = appended_.find(descriptor); appended != appended_.end()) {
    files_[appended->second].resize(bytes);
    return 0;
  }
  if (bytes > fake_shared_bytes) return -EFBIG;
  shared_files_.at(open_files_.at(static_cast<std::size_t>(descriptor))).bytes = bytes;
  return 0;
}

int Fake::map_shared_file(int descriptor, std::uint64_t offset, std::size_t bytes, void*& address) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("map_shared_file")) return error;
  SharedObject& file = shared_files_.at(open_files_.at(static_cast<std::size_t>(descriptor)));
  if (offset + bytes > fake_shared_bytes) return -ENOMEM;
  if (!file.keeps_policy) file.memory = nullptr;  // Each mapping has its own.
  void* first = nullptr;
  if (const int error = memory_of(file, first)) return error;
  address = static_cast<char*>(first) + offset;
  return 0;
}

void Fake::add_viewed_file(const std::string& path, std::uint64_t bytes, bool cache_visible) {
  const std::lock_guard guard(lock_);
  viewed_files_[path] = {next_descriptor_++, bytes, fake_page_bytes, cache_visible};
}

int Fake::open_viewed_file(const std::string& path, ViewedFile& file) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("open_viewed_file")) return error;
  const auto found = viewed_files_.find(path);
  if (found == viewed_files_.end()) return -ENOENT;
  file = found->second;
  return 0;
}

int Fake::map_viewed_file(int, std::uint64_t, std::size_t bytes, void*& address) {
  return map_memory(bytes, address);
}

int Fake::find_cached_pages(void*, std::size_t bytes, std::vector<bool>& cached) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("find_cached_pages")) return error;
  cached.assign((bytes + fake_page_bytes - 1) / fake_page_bytes, true);
  return 0;
}

int Fake::close_file(int) {
  const std::lock_guard guard(lock_);
  return enter("close_file");
}

int Fake::remove_file(const std::string& path) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("remove_file")) return error;
  if (socket_files_.erase(path) != 0) return 0;
  return shared_files_.erase(path) == 0 ? -ENOENT : 0;
}

int Fake::segment_key(const std::string& path, int project, int& key) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("segment_key")) return error;
  const auto found = shared_files_.find(path);
  if (found == shared_files_.end()) return -ENOENT;
  const auto index = static_cast<int>(std::distance(shared_files_.begin(), found));
  key = (project & 0xff) << 16 | index;
  return 0;
}

int Fake::find_segment(int key, const std::optional<SegmentCreation>& creation,
                       SharedSegment& segment) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("find_segment")) return error;
  const bool is_there = segments_.contains(key);
  if (!creation && !is_there) return -ENOENT;
  if (creation && is_there) return -EEXIST;
  if (creation && (creation->bytes == 0 || creation->bytes > fake_shared_bytes)) return -EINVAL;
  if (creation) segments_[key] = {creation->bytes, nullptr, !creation->huge_pages};
  segment = {key, segments_[key].bytes};
  return 0;
}

int Fake::attach_segment(int id, void*& address) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("attach_segment")) return error;
  SharedObject& segment = segments_.at(id);
  if (!segment.keeps_policy) segment.memory = nullptr;  // Each mapping has its own.
  return memory_of(segment, address);
}

int Fake::detach_segment(void*) {
  const std::lock_guard guard(lock_);
  return enter("detach_segment");
}

int Fake::remove_segment(int id) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("remove_segment")) return error;
  return segments_.erase(id) == 0 ? -EINVAL : 0;
}

int Fake::page_policy(void* address, int& mode, NodeSet& nodes) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("page_policy")) return error;
  const FakePolicy* const own = memory_.policy_of(as_number(address));
  mode = own != nullptr ? own->mode : MPOL_DEFAULT;
  nodes = own != nullptr ? own->nodes : NodeSet{};
  return 0;
}

int Fake::page_node(void* address, NodeId& node) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("page_node")) return error;
  const CpuId cpu = caller().cpus.to_vector().front();
  const std::uintptr_t page = as_number(address) / fake_page_bytes * fake_page_bytes;
  const int result =
      memory_.populate(page, fake_page_bytes, caller().policy, machine_.node_of_cpu.at(cpu));
  if (result < 0) return result;
  node = NodeId(static_cast<unsigned>(memory_.node_of(page)));
  return 0;
}

}  // namespace homenode::os
