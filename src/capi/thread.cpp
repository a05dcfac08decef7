// The C interface's functions for the calling thread.
#include <variant>

#include "actuation/process.h"
#include "actuation/refusal.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/usable_nodes.h"
#include "homenode/homenode.h"
#include "homenode/roi.h"
#include "placement/policies/list_syntax.h"
#include "placement/policies/memory_rule.h"
#include "placement/threads/expression.h"

using namespace homenode;  // NOLINT: the C interface stands outside the namespace.

extern "C" int hn_thread_bind(const char* cpus, char** error) {
  return capi::guarded(error, [&]() -> Result<void> {
    if (cpus == nullptr) return bad_usage("the list of CPUs is NULL", "write one, such as 0-3");
    const auto machine = capi::live_machine();
    if (!machine) return machine.as_unexpected();
    const auto set = placement::parse_cpus(**machine, cpus);
    if (!set) return set.as_unexpected();
    return actuation::bind_thread(capi::kernel(), 0, *set);
  });
}

extern "C" int hn_thread_bind_rank(const char* thread_map, size_t rank, char** error) {
  return capi::guarded(error, [&]() -> Result<void> {
    if (thread_map == nullptr) return bad_usage("the thread map is NULL", "write one, such as 0-3");
    const auto machine = capi::live_machine();
    if (!machine) return machine.as_unexpected();
    const auto map = placement::parse_thread_expression(**machine, thread_map);
    if (!map) return map.as_unexpected();
    return actuation::bind_thread(capi::kernel(), 0, map->of(rank));
  });
}

extern "C" int hn_thread_where(int* cpu, int* node, char** error) {
  return capi::guarded(error, [&]() -> Result<void> {
    CpuId at;
    NodeId on;
    if (const int result = capi::kernel().getcpu(at, on); result < 0) {
      return failed("cannot find out which CPU this thread runs on",
                    "check whether a seccomp filter forbids getcpu", -result);
    }
    if (cpu != nullptr) *cpu = static_cast<int>(at.value());
    if (node != nullptr) *node = static_cast<int>(on.value());
    return {};
  });
}

extern "C" size_t hn_thread_cpus(int* cpus, size_t capacity) {
  return capi::guarded_value<size_t>(0, [&]() -> size_t {
    CpuSet set;
    if (capi::kernel().sched_getaffinity(0, set) < 0) return 0;
    return capi::list_out(set, cpus, capacity);
  });
}

extern "C" int hn_thread_place(const char* rule, char** error) {
  return capi::guarded(error, [&]() -> Result<void> {
    if (rule == nullptr) return bad_usage("the memory rule is NULL", "write one, such as bind@0");
    const auto parsed = capi::read_rule(capi::kernel(), rule);
    if (!parsed) return parsed.as_unexpected();
    const auto* const policy = std::get_if<placement::Policy>(&parsed->how);
    if (policy == nullptr) {
      return bad_usage("a thread's memory can only follow a kernel policy, and '" +
                           placement::to_string(*parsed) + "' is not one",
                       "use default, local, bind, preferred, interleave, …; or place a region");
    }
    return actuation::set_process_policy(capi::kernel(), *policy);
  });
}

extern "C" void hn_roi_begin_here(void) {
  hn_roi_begin();
}

extern "C" void hn_roi_begin_all_here(void) {
  hn_roi_begin_all();
}

extern "C" void hn_roi_end_here(void) {
  hn_roi_end();
}
