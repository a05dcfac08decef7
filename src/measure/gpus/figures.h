// Bandwidth and latency between the memory of nodes and GPUs.
#pragma once

#include "measure/gpus/driver.h"
#include "measure/session.h"

namespace homenode::measure {

/// At most so much is copied at once, which takes milliseconds on any link.
inline constexpr Bytes most_copied{std::size_t{256} << 20U};
/// Loads of one run: some milliseconds, so that starting the kernel is no part of their time.
inline constexpr unsigned chase_steps = 4096;

/// What every target and GPU of the plan are to each other, by the memory that the CPUs' figures
/// were measured with, pinned meanwhile. What a GPU refuses becomes a note of the report, and its
/// figures are absent. pre: the driver has the GPUs of the plan.
void measure_gpus(Session& session, GpuDriver& driver, Report& report);

}  // namespace homenode::measure
