// The pieces that the picture of a machine is put together from.
#pragma once

#include <string>
#include <string_view>

namespace homenode::cli {

/// The <style> element: colours for light and dark, for .hn-machine alone.
std::string_view svg_style();

/// The text with XML's own characters escaped; characters that XML forbids become '?'.
std::string escape_xml(std::string_view text);

/// Words at a point; `classes` are those of the style.
std::string text_at(int x, int y, std::string_view classes, std::string_view words);

/// The words on one line of a node's box; what does not fit is in the tooltip.
std::string clipped_at(int x, int y, std::string_view classes, const std::string& words);

struct Box {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  int radius = 0;
};
/// A rectangle with an edge; `fill` is a colour of the style.
std::string box(const Box& place, std::string_view fill);

}  // namespace homenode::cli
