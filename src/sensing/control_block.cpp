#include "sensing/control_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace homenode::sensing {

std::optional<std::uint64_t> control_block_in(std::string_view bytes, std::uint64_t address) {
  constexpr std::size_t alignment = 64;
  std::array<std::uint64_t, 3> words{};
  for (std::size_t at = 0; at + sizeof words <= bytes.size(); at += alignment) {
    std::memcpy(words.data(), bytes.data() + at, sizeof words);
    const std::uint64_t here = address + at;
    if (words[0] == here && words[2] == here) return here;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> find_control_block(const SystemFiles& files, pid_t pid, Extent above) {
  constexpr std::uint64_t present = std::uint64_t{1} << 63U;
  constexpr std::uint64_t most_pages = 256;
  const std::string folder = fmt::format("{}/proc/{}/", files.root, pid);
  const std::uint64_t page = files.os.page_bytes();
  const std::uint64_t first = above.first / page;
  std::vector<std::uint64_t> entries(std::min(most_pages, above.end / page - first));
  const std::span<char> flags(reinterpret_cast<char*>(entries.data()),
                              entries.size() * sizeof entries[0]);
  const int got = files.os.read_file_at(folder + "pagemap", first * sizeof entries[0], flags);
  entries.resize(got < 0 ? 0 : static_cast<std::size_t>(got) / sizeof entries[0]);
  std::vector<char> bytes(page);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if ((entries[i] & present) == 0) continue;
    const std::uint64_t address = (first + i) * page;
    const int read = files.os.read_file_at(folder + "mem", address, bytes);
    if (read != static_cast<int>(page)) return std::nullopt;
    const auto block = control_block_in({bytes.data(), bytes.size()}, address);
    if (block && *block > above.first) return block;
  }
  return std::nullopt;
}

}  // namespace homenode::sensing
