// The models, as prediction.cpp lists them: those in which threads are alone in
// models_alone.cpp, those in which they share in models_fair_shares.cpp and models_queues.cpp.
//
// pre of each: the layout is of this program, and of the machine that the rates are of.
#pragma once

#include "model/prediction.h"

namespace homenode::model {

/// time = sum over lines of distance / 10: what firmware alone tells. Relative.
Result<Prediction> by_distance(const Rates& rates, const Program& program, const Layout& layout);
/// time = computing + sum over lines of latency / lines in flight; nobody is in another's way.
/// Errors: not_supported where no latency is known.
Result<Prediction> by_latency(const Rates& rates, const Program& program, const Layout& layout);
/// Max-min fair shares of controllers and paths (fair_shares.h); at least the time that a thread
/// computes, and latency costs nothing. Errors: not_supported where no bandwidth is known.
Result<Prediction> by_bandwidth(const Rates& rates, const Program& program, const Layout& layout);
/// As by_bandwidth, and no thread is faster than by_latency. Errors: those of both.
Result<Prediction> by_both(const Rates& rates, const Program& program, const Layout& layout);
/// A network of queues (queues.h) serves a sample of each thread's lines. Errors: as by_both().
Result<Prediction> by_queues(const Rates& rates, const Program& program, const Layout& layout);

/// What all models begin with: the traffic, the assumptions, and a time of 0 for each thread.
[[nodiscard]] Prediction blank(std::string_view model, const Rates& rates,
                               const std::vector<ThreadDemand>& demands);
/// The position of the slowest thread. pre: thread_times is not empty.
[[nodiscard]] std::size_t slowest(const Prediction& prediction);
/// What a thread that nobody holds up spends most of its time on.
[[nodiscard]] Bottleneck own_bottleneck(const Rates& rates, const ThreadDemand& demand);

}  // namespace homenode::model
