#include "cli/bench/seismic.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "os/atomic_file.h"
#include "workloads/seismic/ladder.h"
#include "workloads/seismic/program.h"

namespace homenode::cli {
namespace {

namespace seismic = workloads::seismic;

constexpr double seismic_spacing_m = 100;
constexpr double source_width_s = 0.08;
/// Nearer, a point source is no point to the grid; farther, a run would last longer.
constexpr double least_distance_cells = 8;
constexpr double most_distance_cells = 15;

/// The numbers between the separators, or nothing where one cannot be read.
template <class Number>
std::optional<std::vector<Number>> numbers_between(std::string_view text, char separator) {
  std::vector<Number> numbers;
  while (true) {
    Number number{};
    const std::string_view part = text.substr(0, text.find(separator));
    const char* const end = part.data() + part.size();
    const auto [rest, status] = std::from_chars(part.data(), end, number);
    if (status != std::errc{} || rest != end) return std::nullopt;
    numbers.push_back(number);
    if (part.size() == text.size()) return numbers;
    text.remove_prefix(part.size() + 1);
  }
}

Result<std::array<std::size_t, 3>> parse_cells(const std::string& text) {
  const auto sides = numbers_between<std::size_t>(text, 'x');
  if (!sides || (sides->size() != 1 && sides->size() != 3)) {
    return bad_usage(fmt::format("cannot read the size '{}'", text),
                     "write --size 128, or --size 200x200x100 for different sides");
  }
  const std::vector<std::size_t>& side = *sides;
  if (side.size() == 1) return std::array{side[0], side[0], side[0]};
  return std::array{side[0], side[1], side[2]};
}

Result<std::vector<seismic::Layer>> parse_layers(const std::vector<std::string>& texts) {
  if (texts.empty()) return std::vector<seismic::Layer>{{}};
  std::vector<seismic::Layer> layers;
  for (const std::string& text : texts) {
    const auto numbers = numbers_between<double>(text, ':');
    if (!numbers || numbers->size() != 4) {
      return bad_usage(fmt::format("cannot read the layer '{}'", text),
                       "write --layer DEPTH:DENSITY:P:S in m, kg/m3 and m/s, such as "
                       "0:2600:4000:2000");
    }
    layers.push_back({(*numbers)[0], (*numbers)[1], (*numbers)[2], (*numbers)[3]});
  }
  return layers;
}

Result<void> check_file(const std::string& path, const char* option,
                        const std::vector<std::string>& endings) {
  if (path.empty()) return {};
  if (auto checked = os::check_output_folder(path, option); !checked) return checked;
  const std::string ending = std::filesystem::path(path).extension().string();
  if (std::ranges::find(endings, ending) != endings.end()) return {};
  return bad_usage(
      fmt::format("the name in {} {} does not tell which kind of file to write", option, path),
      fmt::format("end its name in {}", fmt::join(endings, " or ")));
}

/// Whether and how the run can be held against the exact motion of a full space.
void plan_comparison(SeismicPlan& plan) {
  seismic::Scene& scene = plan.scene;
  const seismic::Source source = scene.sources.front();
  const std::size_t side = std::ranges::min(scene.cells);
  const std::size_t half_side = side / 2;
  const double room =
      static_cast<double>(half_side) - static_cast<double>(scene.absorbing_cells) - 3;
  const double distance = std::min(room, most_distance_cells);
  if (distance < 1) return;
  place_full_space_points(scene, source, distance * scene.spacing_m);
  const double seen_s =
      source.time.start_s + distance * scene.spacing_m / scene.layers.front().p_m_s;
  const auto needed = static_cast<std::size_t>(seen_s / scene.step_s) + 1;
  if (scene.layers.size() > 1 || scene.free_surface || scene.layers.front().s_m_s == 0.0) {
    plan.why_not = "the closed form holds for one solid without a surface";
  } else if (distance < least_distance_cells) {
    plan.why_not = "the grid is too small for the closed form; sides of 43 cells are enough";
  } else if (scene.steps < needed) {
    plan.why_not = fmt::format("the waves arrive after {} steps", needed);
  } else {
    plan.compare = true;
  }
}

}  // namespace

void define_seismic_options(CLI::App& app, SeismicOptions& options) {
  app.add_option("--size", options.size)->type_name("N|XxYxZ")->capture_default_str();
  app.add_option("--steps", options.steps)->capture_default_str();
  app.add_option("--precision", options.precision)
      ->check(CLI::IsMember({"double", "float"}))
      ->capture_default_str();
  app.add_option("--source", options.source)
      ->check(CLI::IsMember({"explosion", "double-couple"}))
      ->capture_default_str();
  app.add_flag("--free-surface", options.free_surface);
  app.add_option("--layer", options.layers)
      ->type_name("DEPTH:DENSITY:P:S")
      ->allow_extra_args(false);
  app.add_option("--time-block", options.time_block)
      ->type_name("STEPS")
      ->check(CLI::Range(std::size_t{1}, seismic::most_steps_together));
  app.add_option("--snapshot", options.snapshot,
                 "draw the waves at the end into a file: .svg with axes and a scale, .png without")
      ->type_name("FILE");
  app.add_option("--seismogram", options.seismogram,
                 "write or draw what the receivers recorded into a .csv or .svg file")
      ->type_name("FILE");
  app.add_flag("--verify", options.verify,
               "compare two sources on two grids with their closed forms, instead of a run");
  define_program_options(app, options.program);
  app.remove_option(app.get_option("--peer"));
}

Result<SeismicPlan> plan_seismic(const SeismicOptions& options) {
  const auto cells = parse_cells(options.size);
  if (!cells) return cells.as_unexpected();
  const auto layers = parse_layers(options.layers);
  if (!layers) return layers.as_unexpected();
  if (auto file = check_file(options.snapshot, "--snapshot", {".svg", ".png"}); !file) {
    return file.as_unexpected();
  }
  if (auto file = check_file(options.seismogram, "--seismogram", {".csv", ".svg"}); !file) {
    return file.as_unexpected();
  }
  SeismicPlan plan;
  plan.block.steps = options.time_block.value_or(1);
  seismic::Scene& scene = plan.scene;
  scene.cells = *cells;
  scene.spacing_m = seismic_spacing_m;
  scene.layers = *layers;
  scene.step_s = 0.45 * scene.spacing_m / std::max(1.0, fastest_m_s(scene.layers));
  scene.steps = options.steps;
  scene.free_surface = options.free_surface;
  scene.frequency_hz = 1.0 / (4.0 * source_width_s);
  scene.single_precision = options.precision == "float";
  const bool explosion = options.source == "explosion";
  seismic::Source source;
  const auto half = [](std::size_t side) { return static_cast<std::ptrdiff_t>(side / 2); };
  source.point = node_of(explosion ? seismic::Component::sxx : seismic::Component::sxy,
                         {half(scene.cells[0]), half(scene.cells[1]), half(scene.cells[2])});
  source.moment_nm = explosion ? seismic::explosion : seismic::strike_slip;
  for (double& moment : source.moment_nm) moment *= 1e15;
  source.time = {seismic::TimeFunction::Kind::gaussian, 4.5 * source_width_s, source_width_s};
  scene.sources = {source};
  if (const std::string fault = fault_of(scene); !fault.empty()) {
    return bad_usage("cannot simulate this: " + fault, "change --size, --steps or --layer");
  }
  plan_comparison(plan);
  plan.slices = {{1, scene.cells[1] / 2, explosion ? 2 : 1}};
  if (!explosion) plan.slices = {{2, scene.cells[2] / 2, 1}};
  return plan;
}

}  // namespace homenode::cli
