#include "lab/timing/timing_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/sanitized.h"

namespace homenode::lab {
namespace {

const std::string golden = R"(homenode.timing 1
frequency_mhz 2200
cpi_milli 500
window 192
misses 10
prefetches 24
line 64
l1 32768 8                 # bytes ways
l2 524288 16 5000
l3 2097152 32 20000
l3_group 0 1
l3_group 2
cache_to_cache 60000

# Node 4 has memory only.
nodes 0 2 4
vcpu_nodes 0 0 2
latency 0 0 90000
latency 0 2 180000
latency 0 4 250000
latency 2 0 180000
latency 2 2 91000
latency 2 4 240000
controller 0 20000 10000
controller 2 21000 11000
controller 4 5000 2000
pair 0 2 6000 3000
link 0 2 6400
link 2 0 6400
link 2 4 3200
link 4 2 3200
route 0 2 0 2
route 0 4 0 2 4
epoch_ns 5000
pause 25000
wake_up 1500000
)";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

/// The golden text with the first line that begins with `key` replaced; empty: left out.
std::string with(const std::string& key, const std::string& line) {
  auto lines = lines_of(golden);
  const auto found =
      std::ranges::find_if(lines, [&](const std::string& l) { return l.starts_with(key); });
  EXPECT_NE(found, lines.end()) << key;
  *found = line;
  return joined(lines);
}

void expect_golden(const TimingModel& model) {
  EXPECT_EQ(model.frequency_mhz, 2200U);
  EXPECT_EQ(model.cpi_milli, 500U);
  EXPECT_EQ(model.instruction_fs(), 227'272U);
  EXPECT_EQ(model.window, 192U);
  EXPECT_EQ(model.misses, 10U);
  EXPECT_EQ(model.prefetches, 24U);
  EXPECT_EQ(model.line_bytes, 64U);
  EXPECT_EQ(model.l1.bytes, 32768U);
  EXPECT_EQ(model.l1.ways, 8U);
  ASSERT_TRUE(model.l2 && model.l3);
  EXPECT_EQ(model.l2->latency_ps, 5000U);
  EXPECT_EQ(model.l3->bytes, 2097152U);
  EXPECT_EQ(model.l3->ways, 32U);
  EXPECT_EQ(model.cache_to_cache_ps, 60000U);
  EXPECT_EQ(model.pause_ps, 25000U);
  EXPECT_EQ(model.wake_up_ps, 1500000U);
  EXPECT_EQ(model.nodes, (std::vector{NodeId(0), NodeId(2), NodeId(4)}));
  EXPECT_EQ(model.vcpu_nodes, (std::vector<unsigned>{0, 0, 1}));
  EXPECT_EQ(model.pair(1, 2).latency_ps, 240000U);
  EXPECT_FALSE(model.pair(2, 0).known);
  EXPECT_EQ(model.controllers[2].read_mibs, 5000U);
  EXPECT_EQ(model.controllers[2].write_mibs, 2000U);
  EXPECT_EQ(model.pair(0, 1).bandwidths.read_mibs, 6000U);
  EXPECT_EQ(model.pair(0, 1).bandwidths.write_mibs, 3000U);
  EXPECT_EQ(model.pair(0, 2).route, (std::vector<unsigned>{0, 1, 2}));
  ASSERT_EQ(model.links.size(), 4U);
  EXPECT_EQ(model.l3_groups.size(), 2U);
  EXPECT_EQ(model.epoch_ps, 5'000'000U);
  EXPECT_EQ(model.position(NodeId(4)), 2U);
  EXPECT_FALSE(model.position(NodeId(3)));
  // 64 bytes at 1000 MiB/s.
  EXPECT_EQ(model.line_ps(1000), 61'035U);
}

TEST(ParseTiming, ReadsEveryLine) {
  const auto model = parse_timing(golden);
  ASSERT_TRUE(model) << model.error().message();
  expect_golden(*model);
}

TEST(ParseTiming, ReadsLinesInAnyOrder) {
  auto lines = lines_of(golden);
  std::mt19937 random(15);
  for (int i = 0; i < 50; ++i) {
    std::shuffle(lines.begin() + 1, lines.end(), random);
    const auto model = parse_timing(joined(lines));
    ASSERT_TRUE(model) << model.error().message() << '\n' << joined(lines);
    EXPECT_EQ(model->pair(1, 2).latency_ps, 240000U);
    EXPECT_EQ(model->l3_groups.size(), 2U);
    EXPECT_EQ(model->vcpu_nodes, (std::vector<unsigned>{0, 0, 1}));
  }
}

TEST(ParseTiming, NeedsNeitherOuterCachesNorLinks) {
  auto lines = lines_of(golden);
  std::erase_if(lines, [](const std::string& line) {
    return line.starts_with("l2") || line.starts_with("l3") || line.starts_with("link") ||
           line.starts_with("route") || line.starts_with("pair") || line.starts_with("line ");
  });
  const auto model = parse_timing(joined(lines));
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_FALSE(model->l2 || model->l3);
  EXPECT_EQ(model->line_bytes, 64U);
}

TEST(ParseTiming, NamesTheLineThatIsWrong) {
  struct Wrong {
    const char* key;
    const char* line;
    unsigned number;
    const char* why;
  };
  for (const Wrong& wrong : std::initializer_list<Wrong>{
           {"homenode", "homenode.timing 2", 1, "not \"homenode.timing 1\""},
           {"homenode", "homenode.timing 12", 1, "not \"homenode.timing 1\""},
           {"frequency", "frequency_mhz two", 2, "whole numbers"},
           {"frequency", "frequency_mhz -2", 2, "whole numbers"},
           {"frequency", "frequency_mhz 4398046511105", 2, "below 2^42"},
           {"frequency", "frequency_mhz 0", 2, "above 0"},
           {"frequency", "frequency_mhz 1 2", 2, "one number"},
           {"misses", "misses 1025", 5, "not a whole number of lines from 1 to 1024"},
           {"prefetches", "prefetches 1025", 6, "not a whole number of lines from 1 to 1024"},
           {"line", "line 48", 7, "a power of two bytes"},
           {"line", "line 8", 7, "not a whole number of bytes of a line from 16 to 4096"},
           {"line", "line 8192", 7, "not a whole number of bytes of a line from 16 to 4096"},
           {"l1", "l1 4294967360 1", 8,
            "not a whole number of bytes of a cache from 16 to 4294967296"},
           {"l2", "l2 524416 4097 9", 9, "not a whole number of ways of a cache from 1 to 4096"},
           {"l1", "l1 32768", 8, "a cache is"},
           {"l1", "l1 32768 0", 8, "not a whole number of ways of a cache"},
           {"l2", "l2 256 16 5000", 9, "at least one set"},
           {"l3_group", "l3_group 3", 11, "no vCPU 3"},
           {"cache_to_cache", "cache_of_cache 5", 13, "unknown keyword cache_of_cache"},
           {"nodes", "nodes 0 4 2", 16, "increase"},
           {"nodes", "nodes 0 0 2", 16, "increase"},
           {"nodes", "nodes 0 2 1024", 16, "1023"},
           {"nodes", "nodes", 16, "takes the ids"},
           {"vcpu_nodes", "vcpu_nodes 0 1", 17, "node 1 is not one of nodes"},
           {"latency", "latency 0 1 90000", 18, "node 1 is not one of nodes"},
           {"latency", "latency 0 0", 18, "wrong number of numbers"},
           {"latency", "latency 0 0 0", 18, "above 0"},
           {"controller", "controller 0 20000", 24, "wrong number of numbers"},
           {"controller", "controller 0 0 5", 24, "above 0"},
           {"pair", "pair 0 2 6000 0", 27, "above 0"},
           {"link", "link 0 2", 28, "wrong number of numbers"},
           {"route", "route 0 2 0 4", 32, "every node from FROM to TO"},
           {"route", "route 0 2 0", 32, "every node from FROM to TO"}}) {
    const auto model = parse_timing(with(wrong.key, wrong.line));
    ASSERT_FALSE(model) << wrong.line;
    const std::string& tried = model.error().tried;
    EXPECT_EQ(model.error().code, ErrorCode::bad_usage);
    EXPECT_TRUE(tried.starts_with("timing file, line " + std::to_string(wrong.number) + ": "))
        << wrong.line << ": " << tried;
    EXPECT_NE(tried.find(wrong.why), std::string::npos) << wrong.line << ": " << tried;
  }
}

TEST(ParseTiming, TakesWhatIsAtTheLimits) {
  for (const auto& [key, line] :
       std::initializer_list<std::pair<const char*, const char*>>{{"misses", "misses 1024"},
                                                                  {"misses", "misses 1"},
                                                                  {"prefetches", "prefetches 1024"},
                                                                  {"line", "line 16"},
                                                                  {"l1", "l1 4294967296 8"},
                                                                  {"l2", "l2 524288 4096 9"}}) {
    const auto model = parse_timing(with(key, line));
    EXPECT_TRUE(model) << line << ": " << model.error().message();
  }
}

TEST(ParseTiming, TakesAsManyCpusAsALinesStateCanName) {
  std::string cpus = "vcpu_nodes";
  for (int i = 0; i < 4094; ++i) cpus += " 0";
  EXPECT_TRUE(parse_timing(with("vcpu_nodes", cpus)));
  const auto refused = parse_timing(with("vcpu_nodes", cpus + " 0"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().tried.find("not a whole number of CPUs from 1 to 4094"),
            std::string::npos);
}

TEST(ParseTiming, SaysWhatIsMissing) {
  for (const std::string key :
       {"frequency_mhz", "cpi_milli", "window", "misses", "prefetches", "l1", "nodes", "vcpu_nodes",
        "epoch_ns", "cache_to_cache", "pause", "wake_up"}) {
    const auto model = parse_timing(with(key, ""));
    ASSERT_FALSE(model) << key;
    if (key == "nodes" || key == "vcpu_nodes") continue;
    EXPECT_NE(model.error().tried.find(key), std::string::npos) << model.error().tried;
  }
  const auto latency = parse_timing(with("latency 2 4", ""));
  ASSERT_FALSE(latency);
  EXPECT_NE(latency.error().tried.find("no latency from node 2 to 4"), std::string::npos);
  const auto link = parse_timing(with("link 2 4", ""));
  ASSERT_FALSE(link);
  EXPECT_NE(link.error().tried.find("link that is missing"), std::string::npos);
  EXPECT_FALSE(parse_timing(""));
}

TEST(ParseTiming, RefusesVcpusGivenTwice) {
  EXPECT_FALSE(parse_timing(golden + "vcpu_nodes 0 0 2\n"));
  EXPECT_FALSE(parse_timing(golden + "nodes 0 2 4\n"));
}

TEST(ParseTiming, SurvivesDamage) {
  constexpr std::string_view letters = "0123456789 \n\t#-xnl_\0";
  constexpr unsigned seed = 16;
  std::mt19937_64 random(seed);
  constexpr int rounds = 20'000 / texts_per_trial;
  int accepted = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string text = golden;
    for (std::uint64_t change = random() % 4 + 1; change > 0; --change) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = letters[random() % letters.size()];
          break;
        case 1:
          text.erase(at, random() % 30);
          break;
        case 2:
          text.insert(at, 1, letters[random() % letters.size()]);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 30));
      }
      if (text.empty()) text = "h";
    }
    const auto model = parse_timing(text);
    if (!model) {
      ASSERT_TRUE(model.error().tried.starts_with("timing file, line ")) << seed;
      continue;
    }
    ++accepted;
    // What is accepted can be used.
    ASSERT_GT(model->frequency_mhz, 0U);
    ASSERT_EQ(model->pairs.size(), model->nodes.size() * model->nodes.size());
    ASSERT_EQ(model->controllers.size(), model->nodes.size());
    for (const unsigned node : model->vcpu_nodes) ASSERT_LT(node, model->nodes.size());
    for (const auto& group : model->l3_groups) {
      for (const unsigned vcpu : group) ASSERT_LT(vcpu, model->vcpu_nodes.size());
    }
    for (const PairTiming& pair : model->pairs) {
      for (const unsigned node : pair.route) ASSERT_LT(node, model->nodes.size());
    }
  }
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, rounds);
}

}  // namespace
}  // namespace homenode::lab
