// Checks hwloc XML before hwloc sees it (xml_check.cpp), and the tags and masks in it
// (xml_tag.cpp). hwloc trusts its files: an object without a set, or with sets that do not nest,
// makes it read through null pointers. Internal to the machine room.
#pragma once

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id_list.h"
#include "base/id_set.h"

namespace homenode::machine {

struct Tag {
  enum class Kind { start, end, empty, none, malformed };
  Kind kind = Kind::none;  ///< `none` after the last tag.
  std::string_view name;
  std::map<std::string_view, std::string_view> attributes;
};

/// Takes `wanted` off the begin of the text. False where something else is there.
bool take(std::string_view& text, std::string_view wanted);

/// Takes the characters of a name: nothing where there are none.
std::string_view take_name(std::string_view& text);

/// The next tag, passing over text, comments, instructions and the DOCTYPE. Narrower than XML
/// (only double quotes and no other declaration, as hwloc writes them), because hwloc has a lenient
/// reader of its own to fall back on.
Tag take_tag(std::string_view& xml);

/// Empty where the tag has no such attribute.
std::string_view attribute(const Tag& tag, std::string_view name);

/// hwloc's mask: words of 32 bits in hexadecimal, the highest first, an empty one is 0. hwloc's own
/// reader aborts on a wrong one. Infinite masks (0xf...f) are of no use in a machine.
template <class IdType>
std::optional<IdSet<IdType>> parse_mask(std::string_view text) {
  constexpr unsigned bits = 32;
  std::vector<std::uint32_t> words;
  for (bool more = !text.empty(); more;) {
    const std::size_t comma = text.find(',');
    more = comma != std::string_view::npos;
    std::string_view word = text.substr(0, comma);
    if (more) text.remove_prefix(comma + 1);
    const bool first = words.empty();
    words.push_back(0);
    if (word.empty() && !first) continue;
    if (!word.starts_with("0x")) return std::nullopt;
    word.remove_prefix(2);
    const auto [end, status] =
        std::from_chars(word.data(), word.data() + word.size(), words.back(), 16);
    if (status != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  }
  if (words.empty() || words.size() > max_list_id / bits + 1) return std::nullopt;
  IdSet<IdType> set;
  for (unsigned id = 0; id < words.size() * bits; ++id) {
    if ((words[words.size() - 1 - id / bits] >> id % bits & 1U) != 0) set.insert(IdType(id));
  }
  return set;
}

/// What is wrong with the XML of a machine, as a phrase; empty when hwloc may read it. It is no XML
/// parser: what is not well formed is left for hwloc's to find.
std::string find_xml_problem(std::string_view xml);

}  // namespace homenode::machine
