// Latency: chains of dependent loads, idle and under load.
#pragma once

#include "measure/report.h"
#include "measure/session.h"

namespace homenode::measure {

/// By the first CPU of the source, all others asleep.
Result<LatencyFigure> measure_latency(Session& session, const LatencyItem& item);

/// The same chain while the other CPUs of the source read from the same memory, at each of the
/// plan's intensities. A curve without points where the source has one CPU.
Result<LoadedCurve> measure_loaded(Session& session, const Pair& pair);

}  // namespace homenode::measure
