// Good machine files, damaged at random: whatever hwloc and the loader are given, they must answer
// with a valid machine or with one line.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <iterator>
#include <random>

#include "captured.h"

// hwloc 2.9 leaks the objects of a topology that it gives up on; nothing here can free them.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhwloc";
}  // NOLINT

namespace homenode::machine {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

std::string read(const std::string& name) {
  std::ifstream file(captured_machines / (name + ".xml"), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The file with a latency and a bandwidth for every pair of nodes.
std::string read_with_values(const std::string& name) {
  const Machine machine = captured(name);
  const auto rows = machine.nodes_with_cpus().to_vector();
  const auto columns = machine.nodes_with_memory().to_vector();
  const auto xml =
      export_xml((captured_machines / (name + ".xml")).string(),
                 {{MatrixKind::latency, {rows, columns, 90.0}, Provenance::declared},
                  {MatrixKind::write_bandwidth, {rows, columns, 12000.0}, Provenance::measured}});
  EXPECT_TRUE(xml);
  return xml ? *xml : "";
}

/// Something else in place of one attribute of one memory value, or of an info.
void damage_value(std::string& text, Random& random) {
  constexpr std::array wanted = {"<memattr_value", "<memattr ", "<info name=\"homenode:"};
  constexpr std::array others = {
      "",     "0", "-1",         "nan",      "18446744073709551615", "99999999999",
      "0x0f", "1", "0xffffffff", "Bandwidth"};
  const std::size_t tag =
      text.find(wanted[below(random, wanted.size())], below(random, text.size()));
  if (tag == std::string::npos) return;
  std::size_t quote = tag;
  for (std::size_t skipped = 1 + 2 * below(random, 4); skipped > 0; --skipped) {
    quote = text.find('"', quote + 1);
    if (quote == std::string::npos) return;
  }
  const std::size_t end = text.find('"', quote + 1);
  if (end == std::string::npos) return;
  text.replace(quote + 1, end - quote - 1, others[below(random, others.size())]);
}

/// The bounds of the line that holds a position, its newline included.
std::pair<std::size_t, std::size_t> line_at(const std::string& text, std::size_t position) {
  const std::size_t before = position == 0 ? std::string::npos : text.rfind('\n', position - 1);
  const std::size_t start = before == std::string::npos ? 0 : before + 1;
  const std::size_t end = text.find('\n', position);
  return {start, (end == std::string::npos ? text.size() : end + 1) - start};
}

void damage(std::string& text, Random& random) {
  const std::size_t at = below(random, text.size());
  switch (below(random, 7)) {
    case 0:
      text[at] = static_cast<char>(below(random, 256));
      break;
    case 1:
      text.erase(at, 1 + below(random, 40));
      break;
    case 2:
      text.insert(at, text.substr(below(random, text.size()), 1 + below(random, 60)));
      break;
    case 3: {
      const std::size_t digit = text.find_first_of("0123456789abcdef", at);
      if (digit != std::string::npos) text[digit] = "0123456789f-,"[below(random, 13)];
      break;
    }
    case 4: {
      const auto [start, length] = line_at(text, at);
      text.erase(start, length);
      break;
    }
    case 5:
      damage_value(text, random);
      break;
    default: {
      const auto [start, length] = line_at(text, at);
      const auto to = line_at(text, below(random, text.size())).first;
      text.insert(to, text.substr(start, length));
    }
  }
  if (text.empty()) text.push_back('<');
}

TEST(XmlFuzz, DamagedFilesGiveAValidMachineOrOneLine) {
  constexpr unsigned seed = 20121;
  constexpr int rounds = 2000;
  Random random(seed);
  const std::vector<std::string> good = {read("duo-2x4"),
                                         read("cxl-3"),
                                         read("sparse-power"),
                                         read("memoryless-4x2"),
                                         read("version-1"),
                                         read("version-1-no-numa"),
                                         read_with_values("duo-2x4"),
                                         read_with_values("cxl-3")};
  const auto path =
      std::filesystem::temp_directory_path() / ("homenode-fuzz-" + std::to_string(getpid()));
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string text = good[below(random, good.size())];
    for (std::size_t faults = 1 + below(random, 5); faults > 0; --faults) damage(text, random);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    const auto machine = load_xml(path.string());
    if (machine) {
      ASSERT_TRUE(is_valid(*machine)) << "seed " << seed << " round " << round;
      continue;
    }
    ++refused;
    ASSERT_EQ(machine.error().message().find('\n'), std::string::npos)
        << "seed " << seed << " round " << round;
  }
  std::filesystem::remove(path);
  EXPECT_GT(refused, rounds / 4) << "the damage does no harm";
  EXPECT_LT(refused, rounds) << "nothing good is left";
}

}  // namespace
}  // namespace homenode::machine
