#include "cli/bench/seismic.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace homenode::cli {
namespace {

namespace seismic = workloads::seismic;
using Json = nlohmann::ordered_json;
using Place = std::array<long, 3>;

constexpr std::array<const char*, seismic::component_count> component_names = {
    "vx", "vy", "vz", "sxx", "syy", "szz", "sxy", "sxz", "syz"};

/// Where the receiver is seen from the source, in m.
Place place_of(const seismic::Scene& scene, std::size_t receiver) {
  Place at{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    at[axis] =
        std::lround((scene.receivers[receiver].point[axis] - scene.sources.front().point[axis]) *
                    scene.spacing_m);
  }
  return at;
}

const char* name_of_receiver(const seismic::Scene& scene, std::size_t receiver) {
  return component_names[static_cast<std::size_t>(scene.receivers[receiver].component)];
}

double time_of(const seismic::Scene& scene, std::size_t step) {
  return (static_cast<double>(step) + 0.5) * scene.step_s;
}

}  // namespace

std::string snapshot_json(const SeismicSnapshot& seen) {
  const seismic::Scene& scene = seen.scene;
  const int component = seen.slice.component;
  const bool stress = component > static_cast<int>(seismic::Component::vz);
  Json depths = Json::array();
  for (const seismic::Layer& layer : scene.layers) depths.push_back(layer.depth_m);
  const Json json{
      {"schema", "homenode.bench.seismic.snapshot/1"},
      {"time_s", (static_cast<double>(scene.steps) - (stress ? 0.0 : 0.5)) * scene.step_s},
      {"component",
       component < 0 ? Json(nullptr) : Json(component_names[static_cast<std::size_t>(component)])},
      {"unit", stress ? "Pa" : "m/s"},
      {"axis", seen.slice.axis},
      {"cell", seen.slice.cell},
      {"spacing_m", scene.spacing_m},
      {"source", scene.sources.front().point},
      {"layer_depths_m", depths},
      {"absorbing_cells", scene.absorbing_cells},
      {"free_surface", scene.free_surface},
      {"width", seen.picture.width},
      {"height", seen.picture.height},
      {"values", seen.picture.values}};
  return json.dump() + '\n';
}

std::string seismogram_json(const SeismicTraces& seen) {
  Json receivers = Json::array();
  for (std::size_t r = 0; r < seen.traces.size(); ++r) {
    receivers.push_back(
        {{"component", name_of_receiver(seen.scene, r)},
         {"place_m", place_of(seen.scene, r)},
         {"velocity_m_per_s", seen.traces[r]},
         {"exact_m_per_s", seen.expected.empty() ? Json(nullptr) : Json(seen.expected[r])}});
  }
  const Json json{{"schema", "homenode.bench.seismic.seismogram/2"},
                  {"first_s", time_of(seen.scene, 0)},
                  {"step_s", seen.scene.step_s},
                  {"steps", seen.scene.steps},
                  {"receivers", std::move(receivers)}};
  return json.dump() + '\n';
}

std::string seismogram_csv(const SeismicTraces& seen) {
  std::string text = "time_s";
  for (const char* const kind : {"", " exact"}) {
    if (*kind != 0 && seen.expected.empty()) continue;
    for (std::size_t r = 0; r < seen.traces.size(); ++r) {
      text += fmt::format(",{} at {} m{}", name_of_receiver(seen.scene, r),
                          fmt::join(place_of(seen.scene, r), " "), kind);
    }
  }
  text += '\n';
  for (std::size_t n = 0; n < seen.scene.steps; ++n) {
    text += fmt::format("{:.6g}", time_of(seen.scene, n));
    for (const auto& trace : seen.traces) text += fmt::format(",{:.9e}", trace[n]);
    for (const auto& trace : seen.expected) text += fmt::format(",{:.9e}", trace[n]);
    text += '\n';
  }
  return text;
}

}  // namespace homenode::cli
