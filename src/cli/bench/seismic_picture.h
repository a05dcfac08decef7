// A plane of a wave field as a PNG picture. Pure.
#pragma once

#include <string>

#include "workloads/seismic/solver.h"

namespace homenode::cli {

/// What 99.5 % of all values are below, signs left aside; 0 where all are 0.
float picture_scale(const workloads::seismic::Picture& picture);

struct PictureLook {
  float scale = 0;       ///< The value that is darkest.
  std::size_t zoom = 1;  ///< Points a cell.
};

/// Blue where values are below 0, red above, white at 0. The first row is at the bottom.
std::string seismic_png(const workloads::seismic::Picture& picture, const PictureLook& look);

/// The same to the picture's own scale, small planes with several points a cell.
std::string seismic_png(const workloads::seismic::Picture& picture);

}  // namespace homenode::cli
