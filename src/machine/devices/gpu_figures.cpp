#include "machine/devices/gpu_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "machine/xml.h"

namespace homenode::machine {
namespace {

constexpr std::string_view between = "; ";
constexpr double within_noise = 0.02;

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::optional<GpuFigures> take_figures(std::string_view& text) {
  unsigned node = 0;
  GpuFigures figures;
  const bool good = take(text, "node ") && take_number(text, node) && take(text, ": ") &&
                    take_number(text, figures.to_mibs) && take(text, " MiB/s to it, ") &&
                    take_number(text, figures.from_mibs) && take(text, " MiB/s from it, ") &&
                    take_number(text, figures.latency_ns) && take(text, " ns");
  if (!good) return std::nullopt;
  figures.node = NodeId(node);
  return figures;
}

/// The higher the nearer. Latencies count where all nodes have one.
double nearness(const GpuFigures& figures, bool by_latency) {
  return by_latency ? 1.0 / figures.latency_ns : figures.to_mibs;
}

}  // namespace

std::string gpu_info(const std::vector<GpuFigures>& figures) {
  std::string text;
  for (const GpuFigures& of_node : figures) {
    text += fmt::format("{}node {}: {:.0f} MiB/s to it, {:.0f} MiB/s from it, {:.0f} ns",
                        text.empty() ? "" : between, of_node.node.value(), of_node.to_mibs,
                        of_node.from_mibs, of_node.latency_ns);
  }
  return text;
}

std::vector<GpuFigures> parse_gpu_info(std::string_view text) {
  std::vector<GpuFigures> figures;
  do {
    const auto of_node = take_figures(text);
    if (!of_node) return {};
    figures.push_back(*of_node);
  } while (take(text, between));
  return text.empty() ? figures : std::vector<GpuFigures>();
}

std::string find_gpu_info(std::string_view xml, std::string_view address) {
  const std::string wanted = fmt::format("{}{}", gpu_info_prefix, address);
  for (Tag tag = take_tag(xml); tag.kind != Tag::Kind::none && tag.kind != Tag::Kind::malformed;
       tag = take_tag(xml)) {
    if (tag.name == "info" && attribute(tag, "name") == wanted) {
      return std::string(attribute(tag, "value"));
    }
  }
  return "";
}

std::optional<NodeId> nearest_node(const std::vector<GpuFigures>& figures,
                                   std::optional<NodeId> firmware) {
  if (figures.empty()) return std::nullopt;
  const bool by_latency =
      std::ranges::all_of(figures, [](const GpuFigures& f) { return f.latency_ns > 0.0; });
  const auto nearer = [&](const GpuFigures& a, const GpuFigures& b) {
    return nearness(a, by_latency) < nearness(b, by_latency);
  };
  const auto best = std::ranges::max_element(figures, nearer);
  for (const GpuFigures& of_node : figures) {
    if (of_node.node != firmware) continue;
    const double least = nearness(*best, by_latency) * (1.0 - within_noise);
    if (nearness(of_node, by_latency) >= least) return firmware;
  }
  return best->node;
}

}  // namespace homenode::machine
