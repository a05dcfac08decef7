// What the receivers of `bench seismic` felt: as a table, and drawn. Pure.
#pragma once

#include <string>
#include <vector>

#include "workloads/seismic/scene.h"

namespace homenode::cli {

struct SeismicTraces {
  const workloads::seismic::Scene& scene;
  const std::vector<std::vector<double>>& traces;    ///< [receiver][step]
  const std::vector<std::vector<double>>& expected;  ///< The exact ones, or empty.
};

/// Such as vx.
const char* component_name(std::size_t component);

/// 1, 2 or 5 times a power of ten, of which some 4 to 10 are in a range. pre: range > 0.
double tick_unit(double range);

/// One line a step: its time in s, then each receiver, and the exact motion where it is known.
std::string seismic_csv(const SeismicTraces& seen);

/// One curve below the other, the exact one dashed on top of it; all to one scale.
std::string seismic_svg(const SeismicTraces& seen);

}  // namespace homenode::cli
