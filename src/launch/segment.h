// numactl's other mode: the memory policy of a shared memory segment or a file instead of a
// program's. What its options ask for, in their order. Pure; serves the verb `run`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/settings.h"

namespace homenode::launch {

struct SegmentRequest {
  enum class Step { policy, touch, dump, dump_nodes };
  bool is_file = false;         ///< A file of tmpfs or hugetlbfs; else a System V segment.
  std::string path;             ///< The file, or the file that the segment's key is made of.
  int project = 0;              ///< The key's other half (--shmid).
  unsigned permissions = 0600;  ///< Of what has to be made.
  bool huge_pages = false;      ///< For a segment that has to be made.
  bool strict = false;
  std::uint64_t offset = 0;  ///< Bytes.
  std::uint64_t length = 0;  ///< Bytes; 0 is all that lies behind the offset.
  std::vector<Step> steps;   ///< In the order of the command line.
};

/// Takes the options of this mode out of `settings` and leaves the memory policy, --all and
/// --balancing. Nothing where neither --shm nor --file is given. As in numactl the order counts:
/// what says which memory stands before --shm or --file, what is done with it behind. Errors:
/// bad_usage for what breaks that, cannot be read, is given twice or is for a program.
Result<std::optional<SegmentRequest>> take_segment(std::vector<RunSetting>& settings);

}  // namespace homenode::launch
