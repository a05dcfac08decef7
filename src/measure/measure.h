// homenode's measurement of a machine: what each pair of nodes costs, as this process finds it.
#pragma once

#include "measure/gpus/driver.h"
#include "measure/report.h"
#include "measure/session.h"

namespace homenode::measure {

/// What it is measured with.
struct Instruments {
  os::Os& os;
  os::Clock& clock;
  SayProgress say;            ///< May be empty.
  GpuDriver* gpus = nullptr;  ///< Null where there is none.
};

/// Plans, places the memory, measures every figure, derives the rest. One region of interest of the
/// lab (base/marker.h) holds all runs. The threads are bound for the time of the call; the caller's
/// own CPUs and policy are as before. Errors: as make_plan(); memory, threads or placement refused;
/// bad_usage for an --isa that this CPU has not.
Result<Report> measure_machine(const Instruments& instruments, const machine::Machine& machine,
                               const Request& request);

}  // namespace homenode::measure
