#include "machine/xml.h"

#include <algorithm>
#include <cctype>

namespace homenode::machine {
namespace {

/// Blanks, of which there must be some where more follows.
bool take_blanks(std::string_view& text) {
  const std::size_t count = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(count);
  return count > 0;
}

/// Of the characters that hwloc's own reader knows, which passes over all attributes after another.
std::string_view take_attribute_name(std::string_view& text) {
  constexpr std::string_view known = "abcdefghijklmnopqrstuvwxyz_";
  const std::string_view name =
      text.substr(0, std::min(text.find_first_not_of(known), text.size()));
  text.remove_prefix(name.size());
  return name;
}

/// name="value" pairs up to the end of a start tag; false where they are malformed.
bool take_attributes(std::string_view& xml, Tag& tag) {
  for (;;) {
    const bool blank = take_blanks(xml);
    if (take(xml, ">")) return true;
    if (take(xml, "/>")) {
      tag.kind = Tag::Kind::empty;
      return true;
    }
    const std::string_view name = take_attribute_name(xml);
    if (!blank || name.empty() || !take(xml, "=\"")) return false;
    const std::size_t end = xml.find('"');
    if (end == std::string_view::npos) return false;
    if (!tag.attributes.emplace(name, xml.substr(0, end)).second) return false;
    xml.remove_prefix(end + 1);
  }
}

/// Passes over a comment, an instruction or the one declaration that hwloc writes; false for
/// others. hwloc reads the DOCTYPE's system identifier through a null pointer where there is none.
bool skip_declaration(std::string_view& xml) {
  constexpr std::string_view comment = "!--";
  if (take(xml, comment)) {
    xml.remove_prefix(std::min(xml.find("-->"), xml.size()));
    return true;
  }
  const std::string_view declaration = xml.substr(0, xml.find('>'));
  xml.remove_prefix(declaration.size());
  return declaration.starts_with('?') || (declaration.starts_with("!DOCTYPE topology SYSTEM \"") &&
                                          declaration.find('[') == std::string_view::npos);
}

}  // namespace

bool take(std::string_view& text, std::string_view wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(wanted.size());
  return true;
}

std::string_view take_name(std::string_view& text) {
  const auto is_part = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == ':';
  };
  const auto end = std::find_if_not(text.begin(), text.end(), is_part);
  const std::string_view name = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(name.size());
  return name;
}

Tag take_tag(std::string_view& xml) {
  Tag tag;
  for (;;) {
    const std::size_t start = xml.find('<');
    if (start == std::string_view::npos) return tag;
    xml.remove_prefix(start + 1);
    if (!xml.starts_with('!') && !xml.starts_with('?')) break;
    if (skip_declaration(xml)) continue;
    tag.kind = Tag::Kind::malformed;
    return tag;
  }
  tag.kind = take(xml, "/") ? Tag::Kind::end : Tag::Kind::start;
  tag.name = take_name(xml);
  const bool good =
      tag.kind == Tag::Kind::end ? (take_blanks(xml), take(xml, ">")) : take_attributes(xml, tag);
  if (tag.name.empty() || !good) tag.kind = Tag::Kind::malformed;
  return tag;
}

std::string_view attribute(const Tag& tag, std::string_view name) {
  const auto found = tag.attributes.find(name);
  return found == tag.attributes.end() ? std::string_view() : found->second;
}

}  // namespace homenode::machine
