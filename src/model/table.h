// The models, one file each; table.cpp lists them.
#pragma once

#include "model/prediction.h"

namespace homenode::model {

/// Lines x SLIT distance, summed up: what firmware alone tells. Times are in local lines.
Result<Prediction> by_distance(const Rates& rates, const Program& program, const Layout& layout);
/// Computing, then waiting for lines x latency / lines in flight; nobody is in another's way.
Result<Prediction> by_latency(const Rates& rates, const Program& program, const Layout& layout);
/// Computing at best; controllers and paths are shared fairly, and latency costs nothing.
Result<Prediction> by_bandwidth(const Rates& rates, const Program& program, const Layout& layout);
/// As by_bandwidth, and no thread is faster than its latencies let it be.
Result<Prediction> by_both(const Rates& rates, const Program& program, const Layout& layout);

/// What all models begin with: the traffic, the assumptions, and a time of 0 for each thread.
[[nodiscard]] Prediction blank(std::string_view model, const Rates& rates,
                               const std::vector<ThreadDemand>& demands);
/// The position of the slowest thread. pre: thread_times is not empty.
[[nodiscard]] std::size_t slowest(const Prediction& prediction);
/// What a thread that nobody holds up spends most of its time on.
[[nodiscard]] Bottleneck own_bottleneck(const Rates& rates, const ThreadDemand& demand);

}  // namespace homenode::model
