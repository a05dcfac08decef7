#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/measure/heat.h"
#include "cli/measure/render.h"
#include "cli/topology/svg_parts.h"
#include "cli/topology/words.h"

namespace homenode::cli {
namespace {

/// Draws the tables one below the other.
class HeatPainter {
 public:
  void heading(const measure::Report& report) {
    y_ += 20;
    body_ +=
        text_at(margin, y_, "head", report.machine.name.empty() ? "Machine" : report.machine.name);
    y_ += 20;
    body_ += text_at(margin, y_, "soft",
                     fmt::format("{}, {}", machine_words(report.machine), provenance(report)));
  }

  void table(const HeatTable& table) {
    const int columns = static_cast<int>(table.values.columns().size());
    const int left = margin + 46;
    const int width = std::clamp((page_width - margin - left) / columns, 8, largest_cell);
    const int height = std::min(row_height, width);
    y_ += 40;
    body_ += text_at(margin, y_, "bold", table.title);
    y_ += 18;
    body_ += text_at(margin, y_, "soft small",
                     "row: the node that asks, column: whose memory; deeper means dearer");
    y_ += 24;
    int x = left;
    for (NodeId to : table.values.columns()) {
      if (width >= 20 || (x - left) / width % 4 == 0) {
        body_ += text_at(x + width / 2, y_ - 5, "mid soft small", fmt::format("{}", to.value()));
      }
      x += width;
    }
    for (NodeId from : table.values.rows()) {
      if (height >= 14 || from == table.values.rows().front()) {
        body_ += text_at(left - 8, y_ + height / 2 + 4, "end soft small",
                         fmt::format("{}", from.value()));
      }
      x = left;
      for (NodeId to : table.values.columns()) {
        cell(table, from, to, {x, y_, width, height, 0});
        x += width;
      }
      y_ += height;
    }
  }

  [[nodiscard]] std::string page() const {
    const int height = y_ + margin;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hn-machine\" viewBox=\"0 0 {0} {1}\" "
        "width=\"{0}\" height=\"{1}\">\n{2}<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"var(--back)\"/>\n{3}</svg>\n",
        page_width, height, svg_style(), body_);
  }

 private:
  static constexpr int margin = 24;
  static constexpr int page_width = 900;
  static constexpr int largest_cell = 76;
  static constexpr int row_height = 30;

  void cell(const HeatTable& table, NodeId from, NodeId to, const Box& place) {
    const double value = table.values.at(from, to);
    const bool known = !std::isnan(value);
    const bool noisy = known && table.is_noisy && table.is_noisy(from, to);
    const auto words = known ? fmt::format("{:.{}f}{}", value, table.decimals, noisy ? "~" : "")
                             : std::string("-");
    const double depth = known ? depth_of(table, from, to) : 0.0;
    body_ += fmt::format(
        "<g><title>node {} to node {}: {}{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" "
        "height=\"{}\" fill=\"var(--tint)\" fill-opacity=\"{:.2f}\" stroke=\"var(--back)\"/>",
        from.value(), to.value(), words, noisy ? " (noisy)" : "", place.x, place.y, place.width,
        place.height, known ? 0.06 + 0.84 * depth : 0.0);
    if (place.width >= 8 * static_cast<int>(words.size())) {
      body_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"mid small\">{}</text>",
                           place.x + place.width / 2, place.y + place.height / 2 + 4, words);
    }
    body_ += "</g>\n";
  }

  int y_ = margin;
  std::string body_;
};

}  // namespace

std::string measure_svg(const measure::Report& report) {
  HeatPainter painter;
  painter.heading(report);
  for (const HeatTable& table : heat_tables(report)) painter.table(table);
  return painter.page();
}

}  // namespace homenode::cli
