// Random damage to the kernel's texts: no parser crashes, and none says what the text does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/id_list.h"
#include "captured.h"
#include "machine/kernel_files.h"
#include "sensing/memory_maps.h"
#include "sensing/numa_maps.h"
#include "sensing/survey.h"
#include "sensing/system_files.h"
#include "sensing/thread_files.h"

namespace homenode::sensing {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

/// The text with a few characters changed, taken out, put in or repeated.
std::string damaged(std::string text, Random& random) {
  constexpr std::string_view alphabet = "0123456789abcdefN=:-,. ()\n\t\\\0xkB|";
  for (std::size_t count = 1 + below(random, 6); count > 0; --count) {
    const std::size_t at = below(random, text.size() + 1);
    const char letter = alphabet[below(random, alphabet.size())];
    switch (below(random, 4)) {
      case 0:
        if (at < text.size()) text[at] = letter;
        break;
      case 1:
        text.insert(at, 1, letter);
        break;
      case 2:
        text.erase(at, below(random, 5));
        break;
      default:
        text.insert(at, text.substr(at, below(random, 30)));
        break;
    }
  }
  return text;
}

void expect_sane(const NumaMaps& maps, std::string_view text) {
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  EXPECT_LE(maps.mappings.size() + maps.unreadable_lines, lines);
  for (const NumaMapping& mapping : maps.mappings) {
    EXPECT_GT(mapping.page_size.value, 0U);
    EXPECT_GE(mapping.most_sharers, 1U);
    for (const auto& [node, pages] : mapping.pages) {
      EXPECT_LE(node.value(), max_list_id);
      EXPECT_GT(pages, 0U);
    }
    EXPECT_TRUE(std::is_sorted(mapping.pages.begin(), mapping.pages.end()));
  }
}

TEST(FilesFuzz, DamagedTextsAreReadAsFarAsTheyGo) {
  constexpr unsigned seed = 20;
  Random random(seed);
  const std::string stat = stat_line({.id = 42, .name = "a b", .started = 7, .cpu = 1});
  const std::string status = status_text("0-3,64-71", "0,8,250");
  std::size_t read = 0;
  for (int round = 0; round < 8000; ++round) {
    SCOPED_TRACE(fmt::format("seed {}, round {}", seed, round));
    const std::string numa = damaged(CapturedSystem::numa_maps, random);
    const NumaMaps maps = parse_numa_maps(numa);
    expect_sane(maps, numa);
    const auto entries = parse_maps(damaged(CapturedSystem::maps, random));
    for (const MapsEntry& entry : entries) {
      EXPECT_LE(entry.first, entry.end);
    }
    EXPECT_EQ(join(maps.mappings, entries, true).size(), maps.mappings.size());
    read += maps.mappings.size();
    const std::string stat_now = damaged(stat, random);
    if (const auto parsed = parse_stat(stat_now)) {
      EXPECT_NE(stat_now.find(parsed->name), std::string::npos);
    }
    parse_status(damaged(status, random));
    stack_pointer_in(damaged("232 0x7 0x7ffe 0x7f11aa00 0x7f22bb00\n", random));
    machine::memory_amount(damaged("Node 0 MemFree:  1024 kB\n", random), "MemFree:");
    if (HasFailure()) return;
  }
  EXPECT_GT(read, 40000U) << "the texts are too damaged to test anything";
}

}  // namespace
}  // namespace homenode::sensing
