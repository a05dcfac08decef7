#include "base/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace homenode {
namespace {

/// How many characters a terminal shows: every byte but those that continue one in UTF-8.
std::size_t width_of(const std::string& cell) {
  return static_cast<std::size_t>(std::count_if(cell.begin(), cell.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U;
  }));
}

}  // namespace

std::string TextTable::text() const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  for (const auto& row : rows_) {
    assert(row.size() == columns);
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) {
      const std::string blanks(widths[i] - width_of(row[i]), ' ');
      const bool left = i == 0 || i + text_columns_ >= columns;
      line.append(i == 0 ? "" : "  ").append(left ? row[i] + blanks : blanks + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text.append(line).append(1, '\n');
  }
  return text;
}

std::string mebibytes(std::uint64_t bytes) {
  if (bytes == 0) return "-";
  constexpr double mebibyte = 1U << 20U;
  return fmt::format("{:.2f}", static_cast<double>(bytes) / mebibyte);
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) line += ',';
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
      line += cell;
      continue;
    }
    line += '"';
    for (const char letter : cell) line.append(letter == '"' ? 2 : 1, letter);
    line += '"';
  }
  return line + '\n';
}

}  // namespace homenode
