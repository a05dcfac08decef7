// Controllers and paths as resources that threads share fairly: what two models are made of.
#pragma once

#include "model/prediction.h"

namespace homenode::model {

/// Whether a thread is held back by the latency of its lines.
enum class Latency { ignored, waited_for };

/// Every memory is a resource of what it gives at most, and every pair of nodes one of its own; a
/// byte that is read and one that is written take as long as the bandwidths say. A full resource
/// is shared in proportion to the lines that threads have in flight. Errors: not_supported where no
/// bandwidth is known.
[[nodiscard]] Result<Prediction> by_fair_shares(std::string_view model, const Rates& rates,
                                                const Program& program, const Layout& layout,
                                                Latency latency);

}  // namespace homenode::model
