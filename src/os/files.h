// The part of the contract about files: those of /proc and /sys, programs and what lies beside the
// command are looked at, as is what of a file is cached, and one may be appended to; and about the
// programs that say what they know of others.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace homenode::os {

/// What stat(2) says of a file.
struct FileStatus {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t special_device = 0;  ///< Which device a device file stands for.
  unsigned mode = 0;                 ///< Kind and permissions, as S_ISREG() reads them.
  unsigned owner = 0;
  unsigned group = 0;
  std::uint64_t bytes = 0;
};

/// A file whose page cache is looked at; Os::close_file() ends it.
struct ViewedFile {
  int descriptor = -1;
  std::uint64_t bytes = 0;
  std::size_t page_bytes = 0;  ///< The file system's huge page, or the machine's page.
  /// The kernel says what is cached only to who owns the file, may write it or has CAP_FOWNER; to
  /// others it says that everything is.
  bool cache_visible = false;
};

/// What a program wrote on its two streams.
struct Printed {
  std::string output;
  std::string errors;
};

/// As in os.h, all of these give 0 or -errno. An Os that models none of it gives -ENOSYS.
class Files {
 public:
  Files() = default;
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  virtual ~Files() = default;

  /// The whole of a small file, such as one of /proc or /sys.
  virtual int read_file(const std::string& path, std::string& content) = 0;
  /// The bytes of a file from `offset` on, as many as there are (pread): how many, or -errno. For
  /// files that are as large as an address space, such as /proc/PID/mem.
  virtual int read_file_at(const std::string& path, std::uint64_t offset,
                           std::span<char> content) = 0;
  /// Writes to a file that exists in one call, as files of /proc and /sys want it.
  virtual int write_file(const std::string& /*path*/, const std::string& /*content*/) {
    return -ENOSYS;
  }
  /// Makes a file, or empties it, and opens it so that each write goes to its end; closed on exec,
  /// and by Os::close_file().
  virtual int open_appended(const std::string& /*path*/, int& /*descriptor*/) { return -ENOSYS; }
  /// One write(2): how many bytes were written, or -errno.
  virtual ssize_t append_file(int /*descriptor*/, std::span<const char> /*bytes*/) {
    return -ENOSYS;
  }
  /// The names in a folder, sorted, without "." and "..". What vanishes meanwhile may be among
  /// them.
  virtual int list_folder(const std::string& /*path*/, std::vector<std::string>& /*names*/) {
    return -ENOSYS;
  }
  /// stat(2): of the file that a link leads to.
  virtual int file_status(const std::string& /*path*/, FileStatus& /*status*/) { return -ENOSYS; }
  /// access(2) with X_OK.
  virtual int check_executable(const std::string& /*path*/) { return -ENOSYS; }
  /// How many bytes an extended attribute has (getxattr), or -ENODATA where there is none.
  virtual int attribute_bytes(const std::string& /*path*/, const std::string& /*name*/) {
    return -ENOSYS;
  }
  /// Where a link leads (readlink).
  virtual int read_link(const std::string& /*path*/, std::string& /*target*/) { return -ENOSYS; }
  /// The absolute path without links and ".." (realpath).
  virtual int resolve_path(const std::string& /*path*/, std::string& /*resolved*/) {
    return -ENOSYS;
  }
  /// Opens a regular file to look at its page cache. Errors: ENODEV for what is none.
  virtual int open_viewed_file(const std::string& /*path*/, ViewedFile& /*file*/) {
    return -ENOSYS;
  }
  /// A shared mapping that is only read, without reading ahead; Os::unmap_memory() ends it.
  virtual int map_viewed_file(int /*descriptor*/, std::uint64_t /*offset*/, std::size_t /*bytes*/,
                              void*& /*address*/) {
    return -ENOSYS;
  }
  /// mincore(2): whether each of the machine's pages of a mapping is cached.
  virtual int find_cached_pages(void* /*address*/, std::size_t /*bytes*/,
                                std::vector<bool>& /*cached*/) {
    return -ENOSYS;
  }
  /// Runs a program to its end and gives what it printed, its complaints left out: its exit code,
  /// 128 + N where signal N ended it, or -errno where it did not start or its end is not known.
  virtual int output_of(const std::vector<std::string>& /*command*/, std::string& /*output*/) {
    return -ENOSYS;
  }
  /// Runs a program, which is looked up on PATH, on an input and gives all that it wrote: its exit
  /// code, 128 + N where signal N ended it, or -errno where it did not start or its end is not
  /// known. pre: the command is not empty.
  virtual int filter(const std::vector<std::string>& /*command*/, const std::string& /*input*/,
                     Printed& /*printed*/) {
    return -ENOSYS;
  }
};

}  // namespace homenode::os
