// The tags of an XML text, for the checks that come before hwloc reads it. Internal to the machine
// room.
#pragma once

#include <map>
#include <string_view>

namespace homenode::machine {

struct Tag {
  enum class Kind { start, end, empty, none, malformed };
  Kind kind = Kind::none;  ///< `none` after the last tag.
  std::string_view name;
  std::map<std::string_view, std::string_view> attributes;
};

/// Takes the characters of a name: nothing where there are none.
std::string_view take_name(std::string_view& text);

/// The next tag, passing over text, comments, declarations and instructions. Narrower than XML
/// (only double quotes, as hwloc writes them), because hwloc has a lenient reader of its own to
/// fall back on.
Tag take_tag(std::string_view& xml);

/// Empty where the tag has no such attribute.
std::string_view attribute(const Tag& tag, std::string_view name);

}  // namespace homenode::machine
