// Shared memory by name, found or made, and mapped into this process. Serves
// actuation/shared_memory_policy.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actuation/region.h"
#include "base/result.h"
#include "os/os.h"

namespace homenode::actuation {

/// Which shared memory is meant, and what is done with it, in the order of the steps.
struct SegmentRequest {
  enum class Step { policy, touch, dump, dump_nodes, verify };
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

/// Unmaps at its end. A command that fails half-way calls give_up(), and so leaves nothing behind
/// or says what.
class SegmentMemory {
 public:
  /// Errors: failed where there is no such memory and no length to make it with; bad_usage where
  /// the range is not of whole pages or not inside a segment; each refusal of the kernel with what
  /// to do.
  static Result<std::unique_ptr<SegmentMemory>> open(os::Os& os, const SegmentRequest& request);

  SegmentMemory(const SegmentMemory&) = delete;
  SegmentMemory& operator=(const SegmentMemory&) = delete;
  ~SegmentMemory();

  /// Takes back what was made and gives `error` again, with what the system does not take back.
  [[nodiscard]] Unexpected give_up(Error error);
  [[nodiscard]] Region region() const { return {address_, bytes_}; }
  [[nodiscard]] std::size_t page_bytes() const { return page_bytes_; }
  /// What was made, one sentence each.
  [[nodiscard]] const std::vector<std::string>& made() const { return made_; }

  /// Maps the range a second time to see whether its policy came along. Huge pages have none: it
  /// holds for this mapping, so what `touch_follows` brings in is placed, which is noted. Errors:
  /// not_supported for other memory without policies, and for huge pages that are not touched.
  Result<void> check_policy_stays(bool touch_follows);

 private:
  SegmentMemory(os::Os& os, const SegmentRequest& request) : os_(os), request_(request) {}
  void unmap();
  Result<void> open_file();
  Result<void> make_long_enough(std::uint64_t file_bytes);
  Result<void> open_segment();
  Result<int> find_key();
  Result<bool> policy_stays();
  Result<std::uint64_t> make_segment(int key);
  Result<void> settle_range(std::uint64_t all_bytes);
  [[nodiscard]] Result<void> check_pages() const;
  [[nodiscard]] std::string noun() const;
  [[nodiscard]] Unexpected refused(const std::string& what, int result) const;

  os::Os& os_;
  const SegmentRequest request_;
  std::vector<std::string> made_;
  void* address_ = nullptr;  ///< Of the range.
  std::size_t bytes_ = 0;
  std::size_t page_bytes_ = 0;
  // A file.
  int descriptor_ = -1;
  bool made_file_ = false;                     ///< Also the key file of a segment.
  std::optional<std::uint64_t> bytes_before_;  ///< Where the file was made longer.
  // A segment.
  int segment_ = -1;
  bool made_segment_ = false;
  void* attached_ = nullptr;
};

}  // namespace homenode::actuation
