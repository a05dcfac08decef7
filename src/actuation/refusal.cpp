#include "actuation/refusal.h"

#include <fmt/format.h>

#include <cerrno>
#include <iterator>
#include <optional>

#include "base/id_list.h"
#include "machine/kernel_files.h"

namespace homenode::actuation {
namespace {

const char* name_of(Call call) {
  switch (call) {
    case Call::set_mempolicy:
      return "set_mempolicy";
    case Call::get_mempolicy:
      return "get_mempolicy";
    case Call::mbind:
      return "mbind";
    case Call::set_home_node:
      return "set_mempolicy_home_node";
    case Call::move_pages:
    case Call::page_move:
      return "move_pages";
    case Call::sched_setaffinity:
      return "sched_setaffinity";
    case Call::sched_getaffinity:
      return "sched_getaffinity";
    case Call::madvise:
      return "madvise";
    case Call::mprotect:
      return "mprotect";
    case Call::map_memory:
      return "mmap";
  }
  return "the call";
}

struct Row {
  std::optional<Call> call;  ///< Nothing: any call that has no row of its own.
  int errno_value;
  ErrorCode code;
  const char* next;  ///< {0} is the call's name.
};

constexpr ErrorCode failure = ErrorCode::failed;
constexpr ErrorCode unsupported = ErrorCode::not_supported;

const Row refusals[] = {
    {Call::page_move, ENOENT, failure, "the page is not present: write to it first"},
    {Call::page_move, EFAULT, failure,
     "the page is not mapped, or only the shared page of zeros: "
     "write to it first"},
    {Call::page_move, EACCES, failure,
     "other processes share the page: place it before it is "
     "shared"},
    {Call::page_move, EPERM, failure,
     "other processes share the page: moving it needs "
     "CAP_SYS_NICE"},
    {Call::page_move, EBUSY, failure,
     "the kernel is using the page (I/O, or it is pinned): try again later"},
    {Call::page_move, EINVAL, failure,
     "the page cannot be moved (device or special memory): "
     "leave it out"},
    {Call::page_move, EIO, failure, "the page could not be written back: check the disk"},
    {Call::page_move, ENOMEM, failure,
     "the node is full: free memory there or plan fewer pages "
     "for it ('numastat -m' shows what is free)"},
    {Call::page_move, ENODEV, failure,
     "the node is offline or has no memory: 'homenode topology' "
     "lists those that have"},
    {Call::move_pages, ENOMEM, failure,
     "the node is full: free memory there or plan fewer pages "
     "for it ('numastat -m' shows what is free)"},
    {Call::move_pages, ENODEV, failure,
     "the node is offline or has no memory: 'homenode topology' "
     "lists those that have"},
    {Call::move_pages, EACCES, failure,
     "the cpuset does not allow the node: see cpuset.mems of "
     "this control group"},
    {Call::move_pages, EPERM, unsupported,
     "the process belongs to another user, or a container's seccomp profile forbids {0}: run with "
     "CAP_SYS_NICE (docker: --cap-add SYS_NICE, and root inside) or a profile that allows it"},
    {Call::move_pages, EINVAL, failure,
     "the process is a kernel thread, or this kernel lacks a flag: name a user process"},
    {Call::sched_setaffinity, EPERM, unsupported,
     "the thread belongs to another user, or a container's seccomp profile forbids {0}: run as "
     "that user, with CAP_SYS_NICE, or with a profile that allows it"},
    {Call::mbind, EIO, failure,
     "pages of the range are on other nodes already: place it before it "
     "is first written, or let its pages be moved"},
    {Call::mbind, ENOMEM, failure,
     "the process has too many mappings or the kernel is short of "
     "memory: raise vm.max_map_count with sysctl, or place the range "
     "with a page map, which splits nothing"},
    {Call::set_home_node, EOPNOTSUPP, failure,
     "a part of the range has another policy than bind or preferred-many: set one of these on all "
     "of it"},
    {Call::set_home_node, ENOSYS, unsupported,
     "this needs Linux 5.17, and a sandbox that lets {0} through: leave the home node out"},
    {Call::madvise, ENOMEM, failure,
     "a part of the range is not mapped, the process has too many "
     "mappings, or memory is short: map all of it, raise "
     "vm.max_map_count with sysctl, or free memory"},
    {Call::mprotect, ENOMEM, failure,
     "a part of the range is not mapped, or the process has too many mappings: map all of it, or "
     "raise vm.max_map_count with sysctl"},
    {Call::mprotect, EACCES, failure, "the mapping cannot be made writable: map it for writing"},
    {Call::map_memory, ENOMEM, failure,
     "memory is full, or the limit on it (ulimit -v) or on mappings (vm.max_map_count) is "
     "reached: ask for less, or raise the limit"},
    {std::nullopt, EPERM, unsupported,
     "a container's seccomp profile forbids {0}: give it CAP_SYS_NICE (docker: --cap-add SYS_NICE, "
     "and root inside) or a profile that allows {0}"},
    {std::nullopt, ENOSYS, unsupported,
     "this kernel has no {0} (built without CONFIG_NUMA), or a sandbox hides it: use another "
     "kernel, or the lab with --machine NAME"},
    {std::nullopt, ENOMEM, failure,
     "the kernel is short of memory: free some memory and try "
     "again"},
    {std::nullopt, EFAULT, failure,
     "a part of the range is not mapped or not writable: map all of "
     "it first"},
    {std::nullopt, ESRCH, failure,
     "the process or thread does not exist (any longer): check "
     "its id"},
    {std::nullopt, EINVAL, failure, "the kernel rejects the arguments: see {0}(2)"},
};

const Row* find(Call call, int errno_value) {
  for (const Row& row : refusals) {
    if (row.errno_value != errno_value) continue;
    if (!row.call || *row.call == call) return &row;
  }
  return nullptr;
}

/// EINVAL of a policy: nodes without memory or outside the cpuset, or a kernel that is too old.
Unexpected refused_nodes(os::Os& os, const Attempt& attempt) {
  const NodeSet allowed = machine::allowed_nodes(os);
  const NodeSet missing = allowed.empty() ? NodeSet{} : attempt.nodes - allowed;
  if (!missing.empty()) {
    return Unexpected({ErrorCode::bad_usage, EINVAL, attempt.tried,
                       fmt::format("of these nodes, {} has no memory, is offline or is outside "
                                   "the cpuset: choose among {}",
                                   to_list(missing), to_list(allowed))});
  }
  if (!attempt.kernel_needed.empty()) {
    return Unexpected({ErrorCode::not_supported, EINVAL, attempt.tried,
                       fmt::format("this needs Linux {}: use a newer kernel, or the policies bind "
                                   "or preferred",
                                   attempt.kernel_needed)});
  }
  return Unexpected({ErrorCode::failed, EINVAL, attempt.tried,
                     "check that the nodes have memory and that the cpuset allows them: 'homenode "
                     "topology' lists both"});
}

Unexpected refused_cpus(os::Os& os, const Attempt& attempt) {
  std::string online;
  machine::read_kernel_file(os, std::string(machine::cpu_folder) + "online", online);
  while (!online.empty() && online.back() == '\n') online.pop_back();
  return Unexpected({ErrorCode::bad_usage, EINVAL, attempt.tried,
                     fmt::format("none of the CPUs {} is both online ({}) and in the cpuset: "
                                 "'homenode topology' lists those that are",
                                 to_list(attempt.cpus), online.empty() ? "unknown" : online)});
}

}  // namespace

Unexpected refusal(os::Os& os, const Attempt& attempt, int result) {
  const int errno_value = -result;
  if (errno_value == EINVAL && !attempt.nodes.empty()) return refused_nodes(os, attempt);
  if (errno_value == EINVAL && attempt.call == Call::sched_setaffinity) {
    return refused_cpus(os, attempt);
  }
  const char* const name = name_of(attempt.call);
  const Row* const row = find(attempt.call, errno_value);
  if (row == nullptr) {
    return failed(attempt.tried, fmt::format("{0} failed in an unexpected way: see {0}(2)", name),
                  errno_value);
  }
  return Unexpected(
      {row->code, errno_value, attempt.tried, fmt::format(fmt::runtime(row->next), name)});
}

}  // namespace homenode::actuation
