#include "cli/topology/svg_parts.h"

#include <fmt/format.h>

namespace homenode::cli {
namespace {

constexpr std::size_t max_line_letters = 32;

constexpr const char* style = R"(<style>
.hn-machine{--ink:#1c2024;--soft:#5c6670;--back:#ffffff;--package:#f3f5f7;--node:#ffffff;--edge:#c3cad1;
--cpu:#d7e6f7;--memory:#2f7fd1;--empty:#e3e7eb;--tint:#f08c2e;
font-family:system-ui,-apple-system,"Segoe UI",sans-serif;font-size:13px}
@media (prefers-color-scheme:dark){.hn-machine{--ink:#e8ebee;--soft:#a2adb8;--back:#14181c;--package:#1d2329;
--node:#262e36;--edge:#48535e;--cpu:#27496d;--memory:#5aa2ec;--empty:#38424c;--tint:#b5560f}}
.hn-machine text{fill:var(--ink)}.hn-machine .soft{fill:var(--soft)}
.hn-machine .head{font-size:18px;font-weight:600}.hn-machine .bold{font-weight:600}
.hn-machine .mid{text-anchor:middle}.hn-machine .end{text-anchor:end}
.hn-machine .small{font-size:11px}.hn-machine .tiny{font-size:9px}
</style>
)";

}  // namespace

std::string_view svg_style() {
  return style;
}

std::string escape_xml(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return escaped;
}

std::string text_at(int x, int y, std::string_view classes, std::string_view words) {
  return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", x, y, classes,
                     escape_xml(words));
}

std::string clipped_at(int x, int y, std::string_view classes, const std::string& words) {
  if (words.size() <= max_line_letters) return text_at(x, y, classes, words);
  return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}…<title>{}</title></text>\n", x, y,
                     classes, escape_xml(words.substr(0, max_line_letters - 1)), escape_xml(words));
}

std::string box(const Box& place, std::string_view fill) {
  return fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"var(--{})\" "
      "stroke=\"var(--edge)\"/>\n",
      place.x, place.y, place.width, place.height, place.radius, fill);
}

}  // namespace homenode::cli
