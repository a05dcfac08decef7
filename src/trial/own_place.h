// The CPUs and the memory policy of a thread, to come back to. Serves benchmarks whose threads go
// elsewhere for a while.
#pragma once

#include <optional>

#include "base/id_set.h"
#include "base/result.h"
#include "os/os.h"

namespace homenode::trial {

/// The CPUs and the memory policy that the calling thread had.
class OwnPlace {
 public:
  explicit OwnPlace(os::Os& os);
  /// Gives the calling thread, which may be another, these CPUs and binds its memory; what is
  /// absent becomes as it was at the beginning. Errors: each refusal of the kernel.
  Result<void> take(const std::optional<CpuSet>& cpus, std::optional<NodeId> memory) const;

 private:
  os::Os& os_;
  CpuSet cpus_;
  int mode_ = 0;
  NodeSet nodes_;
  bool knows_cpus_;
  bool knows_policy_;
};

/// The same, taken again at the end, as far as the kernel lets it.
class SavedPlace {
 public:
  explicit SavedPlace(os::Os& os) : place_(os) {}
  SavedPlace(const SavedPlace&) = delete;
  SavedPlace& operator=(const SavedPlace&) = delete;
  ~SavedPlace() { static_cast<void>(place_.take({}, {})); }

 private:
  OwnPlace place_;
};

}  // namespace homenode::trial
