#include "cli/bench/seismic_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "cli/bench/seismic_picture.h"
#include "cli/bench/seismic_traces.h"

namespace homenode::cli {
namespace {

namespace seismic = workloads::seismic;

constexpr double longest_side = 560;
constexpr double left_margin = 74;
constexpr double top_margin = 72;

constexpr const char* snapshot_style = R"(<style>
.hn-waves{--ink:#1c2024;--soft:#5c6670;--back:#ffffff;
font-family:system-ui,-apple-system,"Segoe UI",sans-serif;font-size:12px}
@media (prefers-color-scheme:dark){.hn-waves{--ink:#e8ebee;--soft:#a2adb8;--back:#14181c}}
.hn-waves text{fill:var(--ink)}.hn-waves .soft{fill:var(--soft)}.hn-waves .end{text-anchor:end}
.hn-waves .mid{text-anchor:middle}.hn-waves .head{font-size:17px;font-weight:600}
.hn-waves line{stroke:var(--ink)}.hn-waves .frame{fill:none;stroke:var(--ink)}
.hn-waves .face{fill:none;stroke:#5c6670;stroke-dasharray:5 4}
.hn-waves .roof{stroke:#5c6670}.hn-waves .source{fill:#111;stroke:#fff}
.hn-waves image{image-rendering:pixelated}
</style>
)";

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t n = 0; n < 3; ++n) {
      group = group << 8U | (n < count ? static_cast<unsigned char>(bytes[at + n]) : 0U);
    }
    for (std::size_t n = 0; n < 4; ++n) {
      text += n <= count ? digits[group >> (18 - 6 * n) & 63U] : '=';
    }
  }
  return text;
}

/// How cells of one axis of the picture become points and km.
struct Ruler {
  double cells = 0;
  double points = 0;    ///< Per cell.
  double start = 0;     ///< The point of the first cell's edge,
  bool upward = false;  ///< from where cells go up.
  double zero = 0;      ///< The cell that is 0 km,
  double km = 0;        ///< and the km from cell to cell, below 0 for depths.

  /// The middle of a cell.
  [[nodiscard]] double at(double cell) const {
    const double along = (cell + 0.5) * points;
    return upward ? start - along : start + along;
  }
  [[nodiscard]] double at_km(double value) const { return at(zero + value / km); }
};

/// Calls mark(point, km) for round numbers of km along a ruler.
template <class Mark>
void for_each_tick(const Ruler& ruler, const Mark& mark) {
  const double one = (-0.5 - ruler.zero) * ruler.km;
  const double other = (ruler.cells - 0.5 - ruler.zero) * ruler.km;
  const double unit = tick_unit(std::abs(other - one));
  const double end = std::max(one, other) * (1 + 1e-12);
  for (double n = std::ceil(std::min(one, other) / unit); n * unit <= end; n += 1) {
    mark(ruler.at_km(n * unit), n == 0 ? 0.0 : n * unit);
  }
}

std::string what_is_shown(const SeismicSnapshot& seen) {
  const int c = seen.slice.component;
  const auto& scene = seen.scene;
  const bool stress = c > static_cast<int>(seismic::Component::vz);
  const double steps = static_cast<double>(scene.steps) - (stress ? 0.0 : 0.5);
  const auto component = static_cast<std::size_t>(std::max(c, 0));
  return fmt::format("{}{}, {:.3g} s after the start", stress ? "Stress " : "Ground velocity",
                     c < 0    ? " in all"
                     : stress ? component_name(component)
                              : fmt::format(" {}", component_name(component)),
                     steps * scene.step_s);
}

/// Up to a number whose half is short, too.
double rounded_up(double scale) {
  if (!(scale > 0.0)) return 0.0;
  const double unit = 0.2 * std::pow(10.0, std::floor(std::log10(scale)));
  return std::ceil(scale / unit) * unit;
}

/// From -scale at the bottom to scale at the top, as colours; 0 in the middle.
std::string colour_bar(double x, double top, double height, double scale, const char* unit) {
  seismic::Picture column{1, 255};
  for (int entry = -127; entry <= 127; ++entry) {
    column.values.push_back(static_cast<float>(entry));
  }
  std::string text = fmt::format(
      "<image x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"16\" height=\"{2:.1f}\" "
      "preserveAspectRatio=\"none\" href=\"data:image/png;base64,{3}\"/>\n"
      "<rect class=\"frame\" x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"16\" height=\"{2:.1f}\"/>\n",
      x, top, height, base64(seismic_png(column, {127.0F, 1})));
  for (const double part : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{:.2g}</text>\n", x + 22,
                        top + height * 0.5 * (1.0 - part) + 4, part * scale);
  }
  return text + fmt::format("<text class=\"soft\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x,
                            top - 10, unit);
}

std::string axes_of(const Ruler& across, const Ruler& up, const std::string& across_name,
                    const std::string& up_name) {
  const double right = across.start + across.cells * across.points;
  const double top = up.start - up.cells * up.points;
  std::string text;
  for_each_tick(across, [&](double x, double km) {
    text += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>"
        "<text class=\"mid\" x=\"{0:.1f}\" y=\"{3:.1f}\">{4:.6g}</text>\n",
        x, up.start, up.start + 5, up.start + 19, km);
  });
  for_each_tick(up, [&](double y, double km) {
    text += fmt::format(
        "<line x1=\"{1:.1f}\" x2=\"{2:.1f}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>"
        "<text class=\"end\" x=\"{3:.1f}\" y=\"{4:.1f}\">{5:.6g}</text>\n",
        y, across.start - 5, across.start, across.start - 9, y + 4, km);
  });
  return text + fmt::format(
                    "<text class=\"mid soft\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n"
                    "<text class=\"mid soft\" transform=\"translate({:.1f} {:.1f}) "
                    "rotate(-90)\">{}</text>\n",
                    0.5 * (across.start + right), up.start + 38, across_name, 20.0,
                    0.5 * (up.start + top), up_name);
}

/// What lies in the plane: where faces begin, layers' roofs, and the source.
std::string marks_of(const SeismicSnapshot& seen, const Ruler& across, const Ruler& up,
                     std::size_t across_axis, std::size_t up_axis) {
  const auto& scene = seen.scene;
  const double right = across.start + across.cells * across.points;
  std::string text;
  for (std::size_t n = 1; up_axis == 2 && n < scene.layers.size(); ++n) {
    const double y = up.at(up.cells - 1 - scene.layers[n].depth_m / scene.spacing_m);
    if (y > up.start) continue;
    text += fmt::format(
        "<line class=\"roof\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
        across.start, right, y, y);
  }
  if (const auto width = static_cast<double>(scene.absorbing_cells); width > 0) {
    const bool open = up_axis == 2 && scene.free_surface;
    const double low = up.start - width * up.points;
    const double high = up.start - (up.cells - (open ? 0.0 : width)) * up.points;
    text += fmt::format(
        "<rect class=\"face\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
        across.start + width * across.points, high, (across.cells - 2 * width) * across.points,
        low - high);
  }
  return text + fmt::format("<circle class=\"source\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n",
                            across.at(scene.sources.front().point[across_axis]),
                            up.at(scene.sources.front().point[up_axis]));
}

}  // namespace

std::string seismic_snapshot_svg(const SeismicSnapshot& seen) {
  const auto& scene = seen.scene;
  const std::size_t across_axis = seen.slice.axis == 0 ? 1 : 0;
  const std::size_t up_axis = seen.slice.axis == 2 ? 1 : 2;
  const auto columns = static_cast<double>(seen.picture.width);
  const auto rows = static_cast<double>(seen.picture.height);
  const double points = longest_side / std::max(columns, rows);
  const double km = scene.spacing_m / 1000;
  const auto& source = scene.sources.front().point;
  const bool depth = up_axis == 2 && scene.free_surface;
  const Ruler across{columns, points, left_margin, false, source[across_axis], km};
  const Ruler up{rows,
                 points,
                 top_margin + rows * points,
                 true,
                 depth ? rows - 1 : source[up_axis],
                 depth ? -km : km};
  constexpr const char* axes = "xyz";
  const double scale = rounded_up(picture_scale(seen.picture));
  const double right = left_margin + columns * points;
  const double plane_km = (static_cast<double>(seen.slice.cell) - source[seen.slice.axis]) * km;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hn-waves\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\">\n{2}<rect width=\"100%\" height=\"100%\" "
      "fill=\"var(--back)\"/>\n<text x=\"20\" y=\"28\" class=\"head\">{3}</text>\n"
      "<text x=\"20\" y=\"49\" class=\"soft\">the plane {4} = {5:.2g} km from the source (the "
      "dot); outside the dashed line the grid absorbs</text>\n",
      std::max(right + 110, 560.0), up.start + 56, snapshot_style, what_is_shown(seen),
      axes[seen.slice.axis], plane_km);
  text += fmt::format(
      "<image x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.1f}\" "
      "preserveAspectRatio=\"none\" href=\"data:image/png;base64,{4}\"/>\n"
      "<rect class=\"frame\" x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.1f}\"/>\n",
      left_margin, top_margin, columns * points, rows * points,
      base64(seismic_png(seen.picture, {static_cast<float>(scale), 1})));
  text += marks_of(seen, across, up, across_axis, up_axis);
  text += axes_of(across, up, fmt::format("{} from the source, km", axes[across_axis]),
                  depth ? "depth, km" : fmt::format("{} from the source, km", axes[up_axis]));
  const bool stress = seen.slice.component > static_cast<int>(seismic::Component::vz);
  text += colour_bar(right + 22, top_margin, rows * points, scale, stress ? "Pa" : "m/s");
  return text + "</svg>\n";
}

}  // namespace homenode::cli
