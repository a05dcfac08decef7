// Shared memory as Linux has it. Serves os/linux.h.
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mempolicy.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "os/linux.h"

namespace homenode::os {
namespace {

int zero_or_errno(long result) {
  return result < 0 ? -errno : static_cast<int>(result);
}

int read_shape(int descriptor, std::size_t page_bytes, SharedFile& file) {
  struct stat status {};
  struct statfs system {};
  if (fstat(descriptor, &status) != 0 || fstatfs(descriptor, &system) != 0) return -errno;
  if (!S_ISREG(status.st_mode)) return -ENODEV;  // As mmap(2) says it of what it cannot map.
  const bool huge = static_cast<unsigned long>(system.f_type) == HUGETLBFS_MAGIC;
  file = {descriptor, static_cast<std::uint64_t>(status.st_size),
          huge ? static_cast<std::size_t>(system.f_bsize) : page_bytes};
  return 0;
}

}  // namespace

int Linux::open_shared_file(const std::string& path, std::optional<unsigned> permissions,
                            SharedFile& file) {
  const int flags = O_RDWR | O_CLOEXEC | (permissions ? O_CREAT | O_EXCL : 0);
  const int descriptor = open(path.c_str(), flags, permissions.value_or(0));
  if (descriptor < 0) return -errno;
  const int result = read_shape(descriptor, page_bytes(), file);
  if (result < 0) close(descriptor);
  return result;
}

int Linux::resize_file(int descriptor, std::uint64_t bytes) {
  return zero_or_errno(ftruncate(descriptor, static_cast<off_t>(bytes)));
}

int Linux::map_shared_file(int descriptor, std::uint64_t offset, std::size_t bytes,
                           void*& address) {
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor,
                            static_cast<off_t>(offset));
  if (mapped == MAP_FAILED) return -errno;
  address = mapped;
  return 0;
}

int Linux::close_file(int descriptor) {
  return zero_or_errno(close(descriptor));
}

int Linux::remove_file(const std::string& path) {
  return zero_or_errno(unlink(path.c_str()));
}

int Linux::segment_key(const std::string& path, int project, int& key) {
  // -1 is ftok's failure and also a key that a file may have by chance: stat tells which.
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return -errno;
  key = ftok(path.c_str(), project);
  return 0;
}

int Linux::find_segment(int key, const std::optional<SegmentCreation>& creation,
                        SharedSegment& segment) {
  const int id = creation ? shmget(key, creation->bytes,
                                   IPC_CREAT | IPC_EXCL | static_cast<int>(creation->permissions) |
                                       (creation->huge_pages ? SHM_HUGETLB : 0))
                          : shmget(key, 0, 0);
  if (id < 0) return -errno;
  shmid_ds status{};
  if (shmctl(id, IPC_STAT, &status) < 0) {
    const int result = -errno;
    if (creation) shmctl(id, IPC_RMID, nullptr);
    return result;
  }
  segment = {id, status.shm_segsz};
  return 0;
}

int Linux::attach_segment(int id, void*& address) {
  void* const attached = shmat(id, nullptr, 0);
  if (attached == reinterpret_cast<void*>(-1)) return -errno;
  address = attached;
  return 0;
}

int Linux::detach_segment(void* address) {
  return zero_or_errno(shmdt(address));
}

int Linux::remove_segment(int id) {
  return zero_or_errno(shmctl(id, IPC_RMID, nullptr));
}

int Linux::page_policy(void* address, int& mode, NodeSet& nodes) {
  return read_policy(address, MPOL_F_ADDR, mode, nodes);
}

int Linux::page_node(void* address, NodeId& node) {
  int value = 0;
  const long result =
      syscall(SYS_get_mempolicy, &value, nullptr, 0UL, address, MPOL_F_ADDR | MPOL_F_NODE);
  if (result < 0) return -errno;
  node = NodeId(static_cast<unsigned>(value));
  return 0;
}

}  // namespace homenode::os
