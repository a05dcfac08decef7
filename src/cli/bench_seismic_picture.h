// A plane of a wave field as a PNG picture. Pure.
#pragma once

#include <string>

#include "workloads/seismic/solver.h"

namespace homenode::cli {

/// Blue where values are below 0, red above, white at 0; the largest 0.5 % are the darkest. Small
/// planes are drawn with several points a cell. The first row is at the bottom.
std::string seismic_png(const workloads::seismic::Picture& picture);

}  // namespace homenode::cli
