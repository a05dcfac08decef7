#include "sensing/memory_maps.h"

#include <optional>

#include "base/sizes.h"
#include "base/words.h"

namespace homenode::sensing {
namespace {

/// Paths have only the end of a line escaped here, and no other escape is to be undone.
std::string name_in(std::string_view text) {
  constexpr std::string_view escaped_newline = "\\012";
  std::string name(trimmed(text));
  for (std::size_t at = name.find(escaped_newline); at != std::string::npos;
       at = name.find(escaped_newline, at + 1)) {
    name.replace(at, escaped_newline.size(), 1, '\n');
  }
  return name;
}

std::optional<MapsEntry> parse_header(std::string_view line) {
  constexpr std::size_t permissions_length = 4;
  std::string_view range = take_word(line);
  const auto first = number_in(take_until(range, '-'), 16);
  const auto end = number_in(range, 16);
  const std::string_view permissions = take_word(line);
  if (!first || !end || *end < *first || permissions.size() != permissions_length) return {};
  take_word(line);  // The offset into the file,
  take_word(line);  // its device
  take_word(line);  // and its number there.
  MapsEntry entry;
  entry.first = *first;
  entry.end = *end;
  entry.accessible = !permissions.starts_with("---");
  entry.writable = permissions[1] == 'w';
  entry.shared = permissions[3] == 's';
  entry.name = name_in(line);
  return entry;
}

/// "AnonHugePages:      2048 kB"
void add_amount(MapsEntry& entry, std::string_view line) {
  const std::string_view key = take_until(line, ':');
  const auto kib = number_in(take_word(line));
  if (!kib || *kib > (UINT64_MAX >> 12U)) return;
  const Bytes amount{*kib << 10U};
  if (key == "Rss") {
    entry.resident = amount;
  } else if (key == "AnonHugePages" || key == "ShmemPmdMapped" || key == "FilePmdMapped") {
    entry.transparent_huge.value += amount.value;
  } else if (key == "Swap") {
    entry.swapped = amount;
  } else if (key == "Locked") {
    entry.locked = amount;
  }
}

}  // namespace

std::vector<MapsEntry> parse_maps(std::string_view text) {
  std::vector<MapsEntry> entries;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (auto entry = parse_header(line)) {
      entries.push_back(std::move(*entry));
    } else if (!entries.empty()) {
      add_amount(entries.back(), line);
    }
  }
  return entries;
}

}  // namespace homenode::sensing
