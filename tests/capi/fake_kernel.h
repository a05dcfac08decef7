// A kernel with the nodes 0, 1, 2 and 7, two CPUs each, under the C interface for one test.
#pragma once

#include <cstddef>
#include <string>

#include "capi/handles.h"
#include "support/machines.h"

namespace homenode::capi_tests {

inline constexpr std::size_t page = os::fake_page_bytes;

class FakeKernel {
 public:
  FakeKernel() : fake_(kernel_of({0, 1, 2, 7})) {
    fake_.set_file("/sys/devices/system/node/has_memory", "0-2,7\n");
    fake_.set_file("/proc/self/status", "Name:\tprogram\nMems_allowed_list:\t0-2,7\n");
    capi::use_kernel(&fake_);
  }
  FakeKernel(const FakeKernel&) = delete;
  FakeKernel& operator=(const FakeKernel&) = delete;
  ~FakeKernel() { capi::use_kernel(nullptr); }

  os::Fake* operator->() { return &fake_; }

 private:
  os::Fake fake_;
};

}  // namespace homenode::capi_tests
