// The part of the contract about memory that processes share by name: files of tmpfs and hugetlbfs
// and System V segments, whose policy stays with them. Serves the verb `run`.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/id_set.h"

namespace homenode::os {

struct SharedFile {
  int descriptor = -1;
  std::uint64_t bytes = 0;
  std::size_t page_bytes = 0;  ///< The file system's huge page, or the machine's page.
};

struct SharedSegment {
  int id = -1;
  std::uint64_t bytes = 0;
};

/// What a segment is made with.
struct SegmentCreation {
  std::uint64_t bytes = 0;
  unsigned permissions = 0600;
  bool huge_pages = false;
};

/// As in os.h, all of these give 0 or -errno. An Os that models none of it gives -ENOSYS.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  virtual ~SharedMemory() = default;

  /// Opens a regular file to read and write; with `permissions` it makes a new one, or gives
  /// -EEXIST.
  virtual int open_shared_file(const std::string& /*path*/, std::optional<unsigned> /*permissions*/,
                               SharedFile& /*file*/) {
    return -ENOSYS;
  }
  virtual int resize_file(int /*descriptor*/, std::uint64_t /*bytes*/) { return -ENOSYS; }
  /// A shared, writable mapping; Os::unmap_memory() ends it.
  virtual int map_shared_file(int /*descriptor*/, std::uint64_t /*offset*/, std::size_t /*bytes*/,
                              void*& /*address*/) {
    return -ENOSYS;
  }
  virtual int close_file(int /*descriptor*/) { return -ENOSYS; }
  virtual int remove_file(const std::string& /*path*/) { return -ENOSYS; }

  /// ftok(3).
  virtual int segment_key(const std::string& /*path*/, int /*project*/, int& /*key*/) {
    return -ENOSYS;
  }
  /// The segment of a key; with `creation` it makes a new one, or gives -EEXIST.
  virtual int find_segment(int /*key*/, const std::optional<SegmentCreation>& /*creation*/,
                           SharedSegment& /*segment*/) {
    return -ENOSYS;
  }
  virtual int attach_segment(int /*id*/, void*& /*address*/) { return -ENOSYS; }
  virtual int detach_segment(void* /*address*/) { return -ENOSYS; }
  virtual int remove_segment(int /*id*/) { return -ENOSYS; }

  /// The policy (with flags) of an address; the default one where none was set.
  virtual int page_policy(void* /*address*/, int& /*mode*/, NodeSet& /*nodes*/) { return -ENOSYS; }
  /// The node of a page, which is brought in when it is not there.
  virtual int page_node(void* /*address*/, NodeId& /*node*/) { return -ENOSYS; }
};

}  // namespace homenode::os
