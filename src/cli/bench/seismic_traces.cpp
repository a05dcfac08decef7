#include "cli/bench/seismic_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "cli/topology/svg_parts.h"

namespace homenode::cli {
namespace {

namespace seismic = workloads::seismic;

constexpr std::array<const char*, seismic::component_count> component_names = {
    "vx", "vy", "vz", "sxx", "syy", "szz", "sxy", "sxz", "syz"};

constexpr const char* traces_style = R"(<style>
.hn-traces{--ink:#1c2024;--soft:#5c6670;--back:#ffffff;--grid:#dfe4e8;--ours:#2f7fd1;--exact:#d1622f;
font-family:system-ui,-apple-system,"Segoe UI",sans-serif;font-size:12px}
@media (prefers-color-scheme:dark){.hn-traces{--ink:#e8ebee;--soft:#a2adb8;--back:#14181c;--grid:#333c45;
--ours:#5aa2ec;--exact:#f2955f}}
.hn-traces text{fill:var(--ink)}.hn-traces .soft{fill:var(--soft)}
.hn-traces .head{font-size:17px;font-weight:600}.hn-traces .end{text-anchor:end}
.hn-traces .mid{text-anchor:middle}.hn-traces path{fill:none;stroke-width:1.8}
</style>
)";

/// Where the receiver is seen from the source, in m.
std::string place_of(const seismic::Scene& scene, std::size_t receiver) {
  std::array<long, 3> at{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    at[axis] =
        std::lround((scene.receivers[receiver].point[axis] - scene.sources.front().point[axis]) *
                    scene.spacing_m);
  }
  return fmt::format("{} {} {}", at[0], at[1], at[2]);
}

const char* name_of_receiver(const seismic::Scene& scene, std::size_t receiver) {
  return component_name(static_cast<std::size_t>(scene.receivers[receiver].component));
}

double time_of(const seismic::Scene& scene, std::size_t step) {
  return (static_cast<double>(step) + 0.5) * scene.step_s;
}

struct Frame {
  double left = 170, top = 84, width = 640, lane = 38;
};

std::string curve(const std::vector<double>& trace, double base, double scale, const Frame& frame,
                  const char* look) {
  std::string path = "<path d=\"";
  const double across =
      frame.width / static_cast<double>(std::max<std::size_t>(trace.size(), 2) - 1);
  for (std::size_t n = 0; n < trace.size(); ++n) {
    fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", n == 0 ? "M" : "L",
                   frame.left + static_cast<double>(n) * across, base - trace[n] * scale);
  }
  return path + fmt::format("\" {}/>\n", look);
}

/// Lines and numbers of the time below all curves.
std::string time_axis(const seismic::Scene& scene, const Frame& frame, double bottom) {
  const double begin = time_of(scene, 0);
  const double end = time_of(scene, scene.steps - 1);
  const double unit = tick_unit(std::max(end - begin, 1e-9));
  std::string text;
  for (double n = std::ceil(begin / unit); end > begin && n * unit <= end; n += 1) {
    const double x = frame.left + (n * unit - begin) / (end - begin) * frame.width;
    text += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"var(--grid)\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{3}\" class=\"mid soft\">{4:.6g}</text>\n",
        x, frame.top - 12, bottom, bottom + 18, n * unit);
  }
  return text;
}

}  // namespace

const char* component_name(std::size_t component) {
  return component_names[component];
}

double tick_unit(double range) {
  const double power = std::pow(10.0, std::floor(std::log10(range)));
  const double count = range / power;  // 1 to 10
  return count < 2 ? power / 5 : count < 4 ? power / 2 : power;
}

std::string seismic_csv(const SeismicTraces& seen) {
  std::string text = "time_s";
  for (const char* const kind : {"", " exact"}) {
    if (*kind != 0 && seen.expected.empty()) continue;
    for (std::size_t r = 0; r < seen.traces.size(); ++r) {
      text += fmt::format(",{} at {} m{}", name_of_receiver(seen.scene, r), place_of(seen.scene, r),
                          kind);
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

std::string seismic_svg(const SeismicTraces& seen) {
  const Frame frame;
  double most = 0.0;
  for (const auto& trace : seen.traces) {
    for (const double value : trace) most = std::max(most, std::abs(value));
  }
  const double scale = most > 0.0 && std::isfinite(most) ? frame.lane * 0.6 / most : 0.0;
  const double bottom = frame.top + frame.lane * static_cast<double>(seen.traces.size());
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hn-traces\" viewBox=\"0 0 840 {0}\" "
      "width=\"840\" height=\"{0}\">\n{1}<rect width=\"840\" height=\"{0}\" "
      "fill=\"var(--back)\"/>\n"
      "<text x=\"20\" y=\"30\" class=\"head\">Seismograms</text>\n",
      bottom + 54, traces_style);
  const double bar = most > 0.0 && std::isfinite(most) ? 4 * tick_unit(most) : 0.0;
  text += fmt::format(
      "<text x=\"20\" y=\"52\" class=\"soft\">velocity of the ground, the bar is "
      "{:.3g} m/s; places x y z in m from the source; {}</text>\n"
      "<path d=\"M{:.1f} {:.1f}v{:.1f}\" stroke=\"var(--ink)\"/>\n"
      "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"mid soft\">time, s</text>\n",
      bar, seen.expected.empty() ? "blue: computed" : "blue: computed, dashed: the closed form",
      frame.left + frame.width + 14, frame.top + 0.5 * (frame.lane - bar * scale), bar * scale,
      frame.left + 0.5 * frame.width, bottom + 38);
  text += time_axis(seen.scene, frame, bottom);
  for (std::size_t r = 0; r < seen.traces.size(); ++r) {
    const double base = frame.top + frame.lane * (static_cast<double>(r) + 0.5);
    text += fmt::format(
        "<text x=\"{}\" y=\"{:.1f}\" class=\"end\">{} <tspan class=\"soft\">at {}"
        "</tspan></text>\n",
        frame.left - 12, base + 4, name_of_receiver(seen.scene, r),
        escape_xml(place_of(seen.scene, r)));
    text += curve(seen.traces[r], base, scale, frame, "stroke=\"var(--ours)\"");
    if (seen.expected.empty()) continue;
    text += curve(seen.expected[r], base, scale, frame,
                  "stroke=\"var(--exact)\" stroke-dasharray=\"4 4\"");
  }
  return text + "</svg>\n";
}

}  // namespace homenode::cli
