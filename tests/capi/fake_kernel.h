// A kernel with the nodes 0, 1, 2 and 7, two CPUs each, under the C interface for one test.
#pragma once

#include <cstddef>
#include <string>

#include "capi/handles.h"
#include "fake/fake.h"

namespace homenode::capi_tests {

inline constexpr std::size_t page = os::fake_page_bytes;

class FakeKernel {
 public:
  FakeKernel() : fake_(machine()) {
    fake_.set_file("/sys/devices/system/node/has_memory", "0-2,7\n");
    fake_.set_file("/proc/self/status", "Name:\tprogram\nMems_allowed_list:\t0-2,7\n");
    capi::use_kernel(&fake_);
  }
  FakeKernel(const FakeKernel&) = delete;
  FakeKernel& operator=(const FakeKernel&) = delete;
  ~FakeKernel() { capi::use_kernel(nullptr); }

  os::Fake* operator->() { return &fake_; }

 private:
  static os::FakeMachine machine() {
    os::FakeMachine machine;
    machine.nodes = {NodeId(0), NodeId(1), NodeId(2), NodeId(7)};
    machine.node_of_cpu.clear();
    unsigned cpu = 0;
    for (NodeId node : machine.nodes.to_vector()) {
      machine.node_of_cpu[CpuId(cpu++)] = node;
      machine.node_of_cpu[CpuId(cpu++)] = node;
    }
    return machine;
  }

  os::Fake fake_;
};

}  // namespace homenode::capi_tests
