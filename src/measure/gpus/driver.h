// What a driver of GPUs does for a measurement: a contract, so that each vendor's is one file and
// tests have one of their own. Serves measure/gpus/figures.h.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "actuation/region.h"
#include "base/result.h"
#include "base/units.h"
#include "workloads/probe/cycle.h"

namespace homenode::measure {

/// A GPU by the names that its driver has for it.
struct GpuIdentity {
  std::string pci;    ///< As in sysfs: 0000:3b:00.0.
  std::string model;  ///< "NVIDIA H100 80GB HBM3".
};

enum class Way { to_gpu, from_gpu };

/// A GPU and memory of this process that is pinned for it, until the end. Times are the GPU's own.
class GpuLink {
 public:
  virtual ~GpuLink() = default;
  /// The seconds of one copy between the start of the pinned memory and the GPU's own.
  /// Errors: failed, with the driver's words.
  virtual Result<double> copy(Way way) = 0;
  /// The seconds of so many dependent loads of one thread of the GPU from the chain in the pinned
  /// memory, from `stop` on; `stop` is then where they ended. Errors: not_supported where the
  /// driver cannot; failed, with its words.
  virtual Result<double> follow(workloads::probe::Stop*& stop, unsigned steps) = 0;
};

class GpuDriver {
 public:
  virtual ~GpuDriver() = default;
  [[nodiscard]] virtual std::string name() const = 0;  ///< With its version: "CUDA 13.0".
  [[nodiscard]] virtual const std::vector<GpuIdentity>& gpus() const = 0;
  /// Pins memory of this process, of which `copied` bytes will be copied, for a GPU by its index.
  /// The memory must outlive the link. Errors: failed, with the driver's words.
  virtual Result<std::unique_ptr<GpuLink>> pin(std::size_t gpu, actuation::Region memory,
                                               Bytes copied) = 0;
};

/// NVIDIA's driver, by its C interface in the library of this name, which is loaded while the
/// program runs: nothing of CUDA is needed to build homenode. Null where there is no such library
/// or no GPU. Errors: failed for a driver that is there and does not start, with its words.
Result<std::unique_ptr<GpuDriver>> open_cuda(const char* library = "libcuda.so.1");

}  // namespace homenode::measure
