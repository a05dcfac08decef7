#include "actuation/shared_memory.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>

#include "machine/kernel_files.h"

namespace homenode::actuation {
namespace {

constexpr const char* give_length = "give --length before it to create it";

/// What a person can do about a refusal.
const char* advice(int errno_value, bool huge_pages) {
  switch (errno_value) {
    case EACCES:
    case EPERM:
      return "it belongs to another user: run as that user, or make it readable and writable "
             "for yourself";
    case ENOENT:
    case ENOTDIR:
      return "check that its folder exists";
    case EROFS:
      return "its file system is read-only";
    case EISDIR:
    case ENODEV:
      return "name a regular file";
    case ENOMEM:
      return huge_pages ? "there are too few free huge pages: see vm.nr_hugepages"
                        : "memory or the limit on it (ulimit -v) is used up";
    case ENOSPC:
      return "the file system, or the system's share for segments (sysctl kernel.shm), is full";
    case EINVAL:
      return "it is larger than the system allows (sysctl kernel.shmmax)";
    case EEXIST:
      return "another process has just created it: try again";
    case EFBIG:
      return "it is larger than the file system or the limit (ulimit -f) allows";
    default:
      return "look at it with 'ls -l' or 'ipcs -m'";
  }
}

/// The size of the system's ordinary huge pages.
std::size_t configured_huge_page_bytes(os::Os& os) {
  std::string text;
  if (machine::read_kernel_file(os, machine::meminfo_file, text) != 0) return os.page_bytes();
  const auto size = machine::memory_amount(text, "Hugepagesize:");
  return size && size->value > 0 ? size->value : os.page_bytes();
}

}  // namespace

Result<std::unique_ptr<SegmentMemory>> SegmentMemory::open(os::Os& os,
                                                           const SegmentRequest& request) {
  std::unique_ptr<SegmentMemory> memory(new SegmentMemory(os, request));
  const auto opened = request.is_file ? memory->open_file() : memory->open_segment();
  if (!opened) return memory->give_up(opened.error());
  return memory;
}

SegmentMemory::~SegmentMemory() {
  unmap();
  if (descriptor_ >= 0) os_.close_file(descriptor_);
}

void SegmentMemory::unmap() {
  if (attached_ != nullptr) {
    os_.detach_segment(attached_);
  } else if (address_ != nullptr) {
    os_.unmap_memory(address_, bytes_);
  }
  attached_ = nullptr;
  address_ = nullptr;
}

Unexpected SegmentMemory::give_up(Error error) {
  unmap();
  const auto take_back = [&](bool wanted, const std::string& what, auto call) {
    if (!wanted) return;
    const int result = call();
    if (result == 0) return;
    error.next += fmt::format("; {}: doing so here failed too ({})", what,
                              std::generic_category().message(-result));
  };
  take_back(made_segment_, fmt::format("'ipcrm -m {}' removes {}", segment_, noun()),
            [&] { return os_.remove_segment(segment_); });
  take_back(bytes_before_ && !made_file_,
            fmt::format("'truncate -s {}' shortens {} again", bytes_before_.value_or(0), noun()),
            [&] { return os_.resize_file(descriptor_, *bytes_before_); });
  take_back(made_file_, fmt::format("'rm' removes the new file '{}'", request_.path),
            [&] { return os_.remove_file(request_.path); });
  made_segment_ = false;
  made_file_ = false;
  bytes_before_.reset();
  return Unexpected(std::move(error));
}

std::string SegmentMemory::noun() const {
  return fmt::format("the {} '{}'", request_.is_file ? "file" : "shared memory of the key file",
                     request_.path);
}

Unexpected SegmentMemory::refused(const std::string& what, int result) const {
  return failed(fmt::format("cannot {} {}", what, noun()), advice(-result, request_.huge_pages),
                -result);
}

Result<void> SegmentMemory::check_pages() const {
  if (request_.offset % page_bytes_ == 0 && request_.length % page_bytes_ == 0) return {};
  return bad_usage(fmt::format("--offset and --length must be whole pages of {}", noun()),
                   fmt::format("its pages have {} bytes", page_bytes_));
}

/// The range inside something that has `all_bytes`.
Result<void> SegmentMemory::settle_range(std::uint64_t all_bytes) {
  const std::uint64_t pages = (all_bytes + page_bytes_ - 1) / page_bytes_ * page_bytes_;
  const std::uint64_t length = request_.length != 0       ? request_.length
                               : request_.offset >= pages ? 0
                                                          : pages - request_.offset;
  if (length == 0 || request_.offset + length > pages) {
    return bad_usage(
        fmt::format("{} is too small for the range: it has {} bytes", noun(), all_bytes),
        request_.is_file ? "give --length before it to extend it"
                         : "name a smaller range, or create a new segment");
  }
  bytes_ = length;
  return {};
}

Result<void> SegmentMemory::open_file() {
  os::SharedFile file;
  int result = os_.open_shared_file(request_.path, std::nullopt, file);
  if (result == -ENOENT) {
    if (request_.length == 0)
      return failed(fmt::format("there is no {}", noun().substr(4)), give_length);
    result = os_.open_shared_file(request_.path, request_.permissions, file);
    made_file_ = result == 0;
    if (result < 0) return refused("make", result);
  }
  if (result < 0) return refused("open", result);
  descriptor_ = file.descriptor;
  page_bytes_ = file.page_bytes;
  if (const auto whole = check_pages(); !whole) return whole;
  if (const auto longer = make_long_enough(file.bytes); !longer) return longer;
  if (const auto settled = settle_range(
          std::max(file.bytes, request_.length == 0 ? 0 : request_.offset + request_.length));
      !settled)
    return settled;
  void* address = nullptr;
  result = os_.map_shared_file(descriptor_, request_.offset, bytes_, address);
  if (result < 0) return refused("map", result);
  address_ = address;
  return {};
}

Result<void> SegmentMemory::make_long_enough(std::uint64_t file_bytes) {
  const std::uint64_t end = request_.length == 0 ? 0 : request_.offset + request_.length;
  if (end > file_bytes) {
    const int result = os_.resize_file(descriptor_, end);
    if (result < 0) return refused("extend", result);
    bytes_before_ = file_bytes;
  }
  if (made_file_) {
    made_.push_back(
        fmt::format("created {}, mode {:04o}, {} bytes", noun(), request_.permissions, end));
  }
  return {};
}

Result<int> SegmentMemory::find_key() {
  int key = 0;
  int result = os_.segment_key(request_.path, request_.project, key);
  if (result == 0) return key;
  if (result != -ENOENT) return refused("find", result);
  if (request_.length == 0) {
    return failed(fmt::format("the key file '{}' does not exist", request_.path), give_length);
  }
  os::SharedFile file;
  result = os_.open_shared_file(request_.path, request_.permissions, file);
  if (result < 0) return refused("make", result);
  made_file_ = true;
  made_.push_back(
      fmt::format("created the key file '{}', mode {:04o}", request_.path, request_.permissions));
  os_.close_file(file.descriptor);
  result = os_.segment_key(request_.path, request_.project, key);
  if (result < 0) return refused("find", result);
  return key;
}

Result<std::uint64_t> SegmentMemory::make_segment(int key) {
  if (request_.length == 0) {
    return failed(fmt::format("there is no segment of the key file '{}' with the id {}",
                              request_.path, request_.project),
                  give_length);
  }
  const std::uint64_t bytes = request_.offset + request_.length;
  os::SharedSegment segment;
  const int result = os_.find_segment(
      key, os::SegmentCreation{bytes, request_.permissions, request_.huge_pages}, segment);
  if (result < 0) return refused("make", result);
  segment_ = segment.id;
  made_segment_ = true;
  made_.push_back(fmt::format("created {}, id {}, mode {:04o}, {} bytes", noun(), request_.project,
                              request_.permissions, bytes));
  return segment.bytes;
}

Result<void> SegmentMemory::open_segment() {
  page_bytes_ = request_.huge_pages ? configured_huge_page_bytes(os_) : os_.page_bytes();
  if (const auto whole = check_pages(); !whole) return whole;
  const auto key = find_key();
  if (!key) return key.as_unexpected();
  os::SharedSegment segment;
  int result = os_.find_segment(*key, std::nullopt, segment);
  if (result == -ENOENT) {
    const auto bytes = make_segment(*key);
    if (!bytes) return bytes.as_unexpected();
    segment = {segment_, *bytes};
  } else if (result < 0) {
    return refused("find", result);
  }
  segment_ = segment.id;
  if (const auto settled = settle_range(segment.bytes); !settled) return settled;
  result = os_.attach_segment(segment_, attached_);
  if (result < 0) return refused("map", result);
  address_ = static_cast<char*>(attached_) + request_.offset;
  return {};
}

Result<bool> SegmentMemory::policy_stays() {
  void* mapped = nullptr;
  int result = request_.is_file
                   ? os_.map_shared_file(descriptor_, request_.offset, page_bytes_, mapped)
                   : os_.attach_segment(segment_, mapped);
  if (result < 0) return refused("map", result);
  void* const again = request_.is_file ? mapped : static_cast<char*>(mapped) + request_.offset;
  int mode = 0;
  int mode_again = 0;
  NodeSet nodes;
  NodeSet nodes_again;
  result = os_.page_policy(address_, mode, nodes);
  if (result == 0) result = os_.page_policy(again, mode_again, nodes_again);
  if (request_.is_file) {
    os_.unmap_memory(mapped, page_bytes_);
  } else {
    os_.detach_segment(mapped);
  }
  if (result < 0) return refused("read the memory policy of", result);
  return mode == mode_again && nodes == nodes_again;
}

Result<void> SegmentMemory::check_policy_stays(bool touch_follows) {
  const auto stays = policy_stays();
  if (!stays) return stays.as_unexpected();
  if (*stays) return {};
  const bool huge = !request_.is_file || page_bytes_ > os_.page_bytes();
  if (!huge) {
    return not_supported(fmt::format("the file system of {} keeps no memory policies", noun()),
                         "name a file of tmpfs, such as one in /dev/shm");
  }
  if (!touch_follows) {
    return not_supported(fmt::format("the huge pages of {} keep no memory policy", noun()),
                         "add --touch after the policy, which places all of them now");
  }
  made_.push_back(
      fmt::format("the huge pages of {} keep no memory policy: those that --touch "
                  "brings in are placed, later ones are not",
                  noun()));
  return {};
}

}  // namespace homenode::actuation
