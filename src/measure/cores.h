// Core to core: how long a line takes to come from the cache of another CPU, which has modified it.
#pragma once

#include "measure/report.h"
#include "measure/session.h"

namespace homenode::measure {

/// One CPU owns the lines of a chain, which fits into any first-level cache; then another one
/// follows it with dependent loads, while the owner waits and does not sleep. The memory is that of
/// the owner's node where it has any. pre: the two CPUs are different.
Result<CoreFigure> measure_cores(Session& session, const CorePair& pair);

}  // namespace homenode::measure
