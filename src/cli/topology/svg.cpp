#include "cli/topology/svg.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/id_list.h"
#include "cli/topology/svg_parts.h"
#include "cli/topology/words.h"

namespace homenode::cli {
namespace {

using machine::Machine;
using machine::Node;

constexpr int page_width = 960;
constexpr int margin = 16;
constexpr int node_width = 208;
constexpr int gap = 12;
constexpr int nodes_per_row = 4;
constexpr int line_height = 18;
constexpr int cpu_size = 20;
constexpr int cpu_step = 24;
constexpr int cpus_per_row = 8;
constexpr std::size_t max_drawn_cpus = 64;

bool draws_cpus(const Node& node) {
  return !node.cpus.empty() && node.cpus.size() <= max_drawn_cpus;
}

int cpu_rows(const Node& node) {
  if (!draws_cpus(node)) return 1;
  return (static_cast<int>(node.cpus.size()) + cpus_per_row - 1) / cpus_per_row;
}

/// Draws one thing under the other and so finds out how high the picture is.
class MachinePainter {
 public:
  explicit MachinePainter(const Machine& machine) : machine_(machine) {
    for (const Node& node : machine.nodes) largest_ = std::max(largest_, node.memory);
    for (const Node& node : machine.nodes) node_height_ = std::max(node_height_, height_of(node));
  }

  std::string paint() {
    paint_heading();
    paint_groups();
    paint_facts();
    if (machine_.distances) paint_distances();
    const std::string name = machine_.name.empty() ? "machine" : machine_.name;
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hn-machine\" "
               "viewBox=\"0 0 {} {}\" role=\"img\" style=\"width:100%;max-width:{}px\">\n"
               "<title>{}: {}</title>\n",
               page_width, y_ + margin, page_width, escape_xml(name),
               escape_xml(machine_words(machine_))) +
           std::string(svg_style()) +
           fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"var(--back)\"/>\n", page_width,
                       y_ + margin) +
           body_ + "</svg>\n";
  }

 private:
  [[nodiscard]] int height_of(const Node& node) const {
    const int devices = device_words(machine_, NodeSet{node.id}).empty() ? 0 : line_height;
    return 52 + cpu_rows(node) * cpu_step + devices;
  }

  void paint_heading() {
    y_ = margin + 18;
    body_ += text_at(margin, y_, "head", machine_.name.empty() ? "this machine" : machine_.name);
    y_ += 22;
    body_ += text_at(margin, y_, "soft", machine_words(machine_));
    y_ += 16;
  }

  /// Groups stand beside each other as long as a row of the page holds them.
  void paint_groups() {
    int x = margin;
    int row_height = 0;
    for (const NodeGroup& group : node_groups(machine_)) {
      const int count = static_cast<int>(group.nodes.size());
      const int columns = std::min(count, nodes_per_row);
      const int rows = (count + columns - 1) / columns;
      const int width = columns * (node_width + gap) + gap;
      const int title = group.title.empty() ? 0 : 22;
      const int height = rows * (node_height_ + gap) + gap + title;
      if (x + width > page_width - margin + gap && x > margin) {
        x = margin;
        y_ += row_height + gap;
        row_height = 0;
      }
      body_ += box({x, y_, width, height, 8}, "package");
      if (title > 0) body_ += text_at(x + gap, y_ + 20, "bold soft", group.title);
      for (int i = 0; i < count; ++i) {
        paint_node(*group.nodes[static_cast<std::size_t>(i)],
                   x + gap + i % columns * (node_width + gap),
                   y_ + gap + title + i / columns * (node_height_ + gap));
      }
      x += width + gap;
      row_height = std::max(row_height, height);
    }
    y_ += row_height + gap;
  }

  void paint_node(const Node& node, int x, int y) {
    body_ += box({x, y, node_width, node_height_, 6}, "node");
    const int left = x + 8;
    body_ += text_at(left, y + 20, "bold", fmt::format("node {}", node.id.value()));
    body_ += text_at(x + node_width - 8, y + 20, "end", memory_words(node));
    paint_memory(node, left, y + 28);
    int line = y + 44;
    if (draws_cpus(node))
      paint_cpus(node, left, line);
    else
      body_ += clipped_at(left, line + 14, "soft small", cpu_words(node.cpus));
    line += cpu_rows(node) * cpu_step;
    const std::string devices = device_words(machine_, NodeSet{node.id});
    if (!devices.empty()) body_ += clipped_at(left, line + 12, "soft small", devices);
  }

  void paint_memory(const Node& node, int x, int y) {
    constexpr int width = cpus_per_row * cpu_step - (cpu_step - cpu_size);
    const double share = largest_.value == 0 ? 0.0
                                             : static_cast<double>(node.memory.value) /
                                                   static_cast<double>(largest_.value);
    body_ += fmt::format(
        "<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"8\" rx=\"2\" fill=\"var(--empty)\"/>\n",
        x, y, width);
    if (share <= 0) return;
    body_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"8\" rx=\"2\" fill=\"var(--memory)\"/>\n",
        x, y, std::max(2.0, share * width));
  }

  void paint_cpus(const Node& node, int x, int y) {
    int i = 0;
    for (CpuId cpu : node.cpus.to_vector()) {
      const int left = x + i % cpus_per_row * cpu_step;
      const int top = y + i / cpus_per_row * cpu_step;
      body_ += box({left, top, cpu_size, cpu_size, 3}, "cpu");
      body_ += text_at(left + cpu_size / 2, top + 14, cpu.value() < 1000 ? "mid small" : "mid tiny",
                       fmt::format("{}", cpu.value()));
      ++i;
    }
  }

  void paint_facts() {
    const auto add = [this](const std::string& words) {
      if (words.empty()) return;
      y_ += line_height;
      body_ += text_at(margin, y_, "soft", words);
    };
    if (const auto caches = common_cache_words(machine_)) {
      if (!caches->empty()) add("Caches: " + *caches);
    } else {
      for (const Node& node : machine_.nodes) {
        if (node.cpus.empty()) continue;
        add(fmt::format("Caches of node {}: {}", node.id.value(),
                        cache_words(machine_, node.cpus)));
      }
    }
    for (const NodeSet& nodes : shared_device_places(machine_)) {
      add(fmt::format("Devices {}: {}",
                      nodes.empty() ? "of unknown place" : "near nodes " + to_list(nodes),
                      device_words(machine_, nodes)));
    }
    if (!machine_.offline_cpus.empty()) add("Offline: " + cpu_words(machine_.offline_cpus));
    const std::string limits = limit_words(machine_);
    if (!limits.empty()) add("This process may use only " + limits);
  }

  void paint_distances() {
    const auto& values = machine_.distances->values;
    const auto& ids = values.rows();
    const int count = static_cast<int>(ids.size());
    const int cell = std::clamp((page_width - 2 * margin - 60) / count, 6, 44);
    double least = values.at(ids[0], ids[0]);
    double most = least;
    for (NodeId from : ids) {
      for (NodeId to : ids) {
        least = std::min(least, values.at(from, to));
        most = std::max(most, values.at(from, to));
      }
    }
    y_ += 34;
    body_ +=
        text_at(margin, y_, "bold",
                fmt::format("Distances, {}", provenance_words(machine_.distances->provenance)));
    y_ += line_height;
    body_ += text_at(margin, y_, "soft small",
                     "row: the node that asks, column: where the memory is; deeper means farther");
    y_ += 26;
    const int left = margin + 34;
    for (int i = 0; i < count; ++i) {
      const auto id = fmt::format("{}", ids[static_cast<std::size_t>(i)].value());
      const char* header = cell >= 20 ? "soft small" : "soft tiny";
      if (cell < 14 && i % 4 != 0) continue;  // Too narrow for every id.
      body_ += text_at(left + i * cell + cell / 2, y_ - 5, fmt::format("mid {}", header), id);
      body_ += text_at(left - 6, y_ + i * cell + cell / 2 + 4, fmt::format("end {}", header), id);
    }
    for (int row = 0; row < count; ++row) {
      for (int column = 0; column < count; ++column) {
        const NodeId from = ids[static_cast<std::size_t>(row)];
        const NodeId to = ids[static_cast<std::size_t>(column)];
        const double value = values.at(from, to);
        const double depth = most > least ? (value - least) / (most - least) : 0.0;
        paint_cell(left + column * cell, y_ + row * cell, cell, depth, value, from, to);
      }
    }
    y_ += count * cell;
  }

  void paint_cell(int x, int y, int cell, double depth, double value, NodeId from, NodeId to) {
    body_ += fmt::format(
        "<g><title>node {} to node {}: {}</title>"
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"var(--tint)\" "
        "fill-opacity=\"{:.2f}\"{}/>",
        from.value(), to.value(), value, x, y, cell, cell, 0.06 + 0.84 * depth,
        cell >= 14 ? " stroke=\"var(--back)\"" : "");
    if (cell >= 24) {
      body_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"mid{}\">{}</text>", x + cell / 2,
                           y + cell / 2 + 4, cell < 32 ? " small" : "", value);
    }
    body_ += "</g>\n";
  }

  const Machine& machine_;
  Bytes largest_;
  int node_height_ = 0;
  int y_ = 0;
  std::string body_;
};

}  // namespace

std::string topology_svg(const Machine& machine) {
  return MachinePainter(machine).paint();
}

}  // namespace homenode::cli
