#include "cli/bench/seismic.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/working_set.h"
#include "os/lab_clock.h"

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

/// A side of a cube whose nine fields alone are beyond the caches.
double side_beyond_caches(const SeismicSpeed& speed, bool single_precision) {
  const double bytes_a_cell = seismic::component_count * (single_precision ? 4.0 : 8.0);
  return std::ceil(
      std::cbrt(static_cast<double>(measure::cache_factor * speed.caches.value) / bytes_a_cell));
}

}  // namespace

bool SeismicSpeed::is_cached() const {
  return footprint.value < measure::cache_factor * caches.value;
}

std::optional<double> SeismicSpeed::share() const {
  if (is_cached() || triad <= 0.0) return std::nullopt;
  return traffic() / triad;
}

std::string speed_text(const SeismicSpeed& speed, const SeismicPlan& plan) {
  double cells = 1.0;
  for (const std::size_t side : plan.scene.cells) cells *= static_cast<double>(side);
  const double bytes_a_cell = static_cast<double>(speed.footprint.value) / cells;
  std::string text = fmt::format(
      "\nmedian {:.1f} Mcells/s; useful traffic of {:.0f} bytes a cell and step: {:.2f} GB/s",
      speed.rate / 1e6, speed.bytes, speed.traffic() / 1e9);
  if (const auto share = speed.share()) {
    text += fmt::format(", {:.1f} % of the\ntriad's {:.2f} GB/s on the bus here and now ({})",
                        100 * *share, speed.triad / 1e9, speed.triad_form);
    if (plan.block.steps > 1) {
      text += fmt::format("; {} steps share each pass over memory", plan.block.steps);
    }
  }
  text += fmt::format("; {:.0f} bytes of memory a cell\n", bytes_a_cell);
  if (speed.is_cached()) {
    text += fmt::format(
        "no share of the memory's bandwidth: the grid's {} MiB are less than {} times the "
        "{} MiB of\nlast-level caches, which serve much of them; --size {:.0f} is large "
        "enough\n",
        speed.footprint.value >> 20U, measure::cache_factor, speed.caches.value >> 20U,
        side_beyond_caches(speed, plan.scene.single_precision));
  } else if (os::in_lab()) {
    text +=
        "no share of the memory's bandwidth: in the lab a triad says how fast the emulation is\n";
  }
  if (!plan.compare) {
    text += "not compared with a closed form: " + plan.why_not +
            "; checked: the energy is finite and the same in each run\n";
  }
  return text;
}

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
      {"offset", component < 0 ? seismic::Point{}
                               : seismic::offset_of(static_cast<seismic::Component>(component))},
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
