// The page cache as Linux shows it. Serves os/linux.h.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>

#include "os/linux.h"

namespace homenode::os {
namespace {

/// CAP_FOWNER in the effective set of this process.
bool acts_as_owner_of_all() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
  if (syscall(SYS_capget, &header, data.data()) != 0) return false;
  return (data[CAP_TO_INDEX(CAP_FOWNER)].effective & CAP_TO_MASK(CAP_FOWNER)) != 0;
}

}  // namespace

int Linux::open_viewed_file(const std::string& path, ViewedFile& file) {
  // A pipe must not wait for its writer.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return -errno;
  struct stat status {};
  struct statfs system {};
  int error = fstat(descriptor, &status) != 0 || fstatfs(descriptor, &system) != 0 ? errno : 0;
  if (error == 0 && !S_ISREG(status.st_mode)) error = ENODEV;
  if (error != 0) {
    close(descriptor);
    return -error;
  }
  const bool huge = static_cast<unsigned long>(system.f_type) == HUGETLBFS_MAGIC;
  const bool visible = status.st_uid == geteuid() || acts_as_owner_of_all() ||
                       faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
  file = {descriptor, static_cast<std::uint64_t>(status.st_size),
          huge ? static_cast<std::size_t>(system.f_bsize) : page_bytes(), visible};
  return 0;
}

int Linux::map_viewed_file(int descriptor, std::uint64_t offset, std::size_t bytes,
                           void*& address) {
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, static_cast<off_t>(offset));
  if (mapped == MAP_FAILED) return -errno;
  madvise(mapped, bytes, MADV_RANDOM);  // Else a page that is dropped meanwhile brings others.
  address = mapped;
  return 0;
}

int Linux::find_cached_pages(void* address, std::size_t bytes, std::vector<bool>& cached) {
  std::vector<unsigned char> pages((bytes + page_bytes() - 1) / page_bytes());
  if (mincore(address, bytes, pages.data()) != 0) return -errno;
  cached.assign(pages.size(), false);
  for (std::size_t i = 0; i < pages.size(); ++i) cached[i] = (pages[i] & 1U) != 0;
  return 0;
}

}  // namespace homenode::os
