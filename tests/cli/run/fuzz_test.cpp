// Random command lines and lists against independent readings of the same grammar: getopt_long(3)
// for where options end, and a slow reading with strtoul for lists. HOMENODE_FUZZ multiplies the
// number of cases: 5 makes a million of them.
#include <getopt.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "cli/program_line.h"
#include "cli/table.h"
#include "placement/policies/list_syntax.h"
#include "support/command_line.h"
#include "support/sanitized.h"

#include <CLI/CLI.hpp>

namespace homenode::cli {
namespace {

using Random = std::mt19937;
using Words = std::vector<std::string>;
using Ids = std::set<unsigned>;

unsigned below(Random& random, unsigned limit) {
  return std::uniform_int_distribution<unsigned>(0, limit - 1)(random);
}

unsigned cases(unsigned count) {
  const char* const text = std::getenv("HOMENODE_FUZZ");
  const unsigned times = text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 1;
  return count * times / texts_per_trial;
}

/// Nodes 0, 1, 4, 8 and 70; the last without memory, node 8 without CPUs, node 4 not allowed.
machine::Machine sparse() {
  machine::Machine machine;
  machine.nodes = {{NodeId(0), {CpuId(0), CpuId(1)}, 1_MiB, {}},
                   {NodeId(1), {CpuId(2), CpuId(3)}, 1_MiB, {}},
                   {NodeId(4), {CpuId(8), CpuId(9)}, 1_MiB, {}},
                   {NodeId(8), {}, 1_MiB, {}},
                   {NodeId(70), {CpuId(64)}, Bytes{0}, {}}};
  machine.allowed_cpus = {CpuId(0), CpuId(2), CpuId(3), CpuId(64)};
  machine.allowed_nodes = {NodeId(0), NodeId(1), NodeId(8), NodeId(70)};
  return machine;
}

std::string stripped(std::string text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  while (!text.empty() && blank(text.back())) text.pop_back();
  while (!text.empty() && blank(text.front())) text.erase(0, 1);
  return text;
}

/// A whole text as C reads a number, up to the largest id.
std::optional<unsigned> c_number(const std::string& text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  char* end = nullptr;
  errno = 0;
  const unsigned long value = std::strtoul(text.c_str(), &end, 0);
  if (*end != '\0' || errno != 0 || value > 65535) return std::nullopt;
  return static_cast<unsigned>(value);
}

/// What a list means by the grammar in list_syntax.h; nothing where it must be refused.
std::optional<Ids> slow_reading(const std::string& text, const Ids& allowed, const Ids& all) {
  std::string rest = stripped(text);
  const bool inverted = rest.starts_with('!');
  if (inverted) rest.erase(0, 1);
  const bool relative = rest.starts_with('+');
  if (relative) rest.erase(0, 1);
  const std::vector<unsigned> counted(allowed.begin(), allowed.end());
  Ids ids;
  for (bool last = false; !last;) {
    const std::size_t comma = rest.find(',');
    last = comma == std::string::npos;
    const std::string part = stripped(rest.substr(0, comma));
    if (!last) rest.erase(0, comma + 1);
    if (last && part == "all") {
      ids = all;
      break;
    }
    const std::size_t dash = part.find('-');
    const auto first = c_number(part.substr(0, dash));
    const auto end = dash == std::string::npos ? first : c_number(part.substr(dash + 1));
    if (!first || !end || *end < *first) return std::nullopt;
    for (unsigned id = *first; id <= *end; ++id) {
      if (relative && id >= counted.size()) return std::nullopt;
      ids.insert(relative ? counted[id] : id);
    }
  }
  if (!std::includes(allowed.begin(), allowed.end(), ids.begin(), ids.end())) return std::nullopt;
  if (inverted) {
    Ids others;
    std::set_difference(allowed.begin(), allowed.end(), ids.begin(), ids.end(),
                        std::inserter(others, others.end()));
    ids = others;
  }
  if (ids.empty()) return std::nullopt;
  return ids;
}

template <class IdType>
Ids values(const IdSet<IdType>& set) {
  Ids ids;
  for (IdType id : set.to_vector()) ids.insert(id.value());
  return ids;
}

std::string random_list(Random& random) {
  static const Words pieces{"0",     "1",
                            "2",     "3",
                            "4",     "8",
                            "64",    "70",
                            "65536", "0x8",
                            "010",   "08",
                            ",",     ",",
                            ",",     "-",
                            "-",     "+",
                            "!",     " ",
                            "all",   "same",
                            "x",     "\t",
                            "",      "99999999999999999999",
                            "0x",    "al",
                            "\xff"};
  std::string text;
  if (below(random, 4) == 0) text += below(random, 2) == 0 ? "!" : "+";
  for (unsigned count = 1 + below(random, 6); count > 0; --count) {
    text += pieces[below(random, static_cast<unsigned>(pieces.size()))];
  }
  return text;
}

TEST(RunFuzz, ListsAreReadAsTheGrammarSays) {
  const machine::Machine machine = sparse();
  Random random(20041);
  unsigned accepted = 0;
  for (unsigned i = 0; i < cases(100'000); ++i) {
    const std::string text = random_list(random);
    if (stripped(text) == "same") continue;  // Stands for an earlier list: tested elsewhere.
    const auto nodes = placement::parse_nodes(machine, text);
    const auto expected_nodes = slow_reading(text, {0, 1, 8, 70}, {0, 1, 8});
    ASSERT_EQ(nodes.has_value(), expected_nodes.has_value()) << "nodes '" << text << "'";
    if (nodes) {
      ASSERT_EQ(values(*nodes), *expected_nodes) << "nodes '" << text << "'";
    }
    const auto cpus = placement::parse_cpus(machine, text);
    const auto expected_cpus = slow_reading(text, {0, 2, 3, 64}, {0, 2, 3, 64});
    ASSERT_EQ(cpus.has_value(), expected_cpus.has_value()) << "CPUs '" << text << "'";
    if (cpus) {
      ASSERT_EQ(values(*cpus), *expected_cpus) << "CPUs '" << text << "'";
    }
    accepted += nodes.has_value() ? 1 : 0;
  }
  EXPECT_GT(accepted, cases(1000));
}

/// The options of an App as getopt_long wants them; the names of one option share a value.
struct GetoptTable {
  explicit GetoptTable(const CLI::App& app) {
    int value = 1000;
    for (const CLI::Option* option : app.get_options()) {
      const int takes_value = option->get_items_expected_max() > 0 ? 1 : 0;
      ++value;
      for (const std::string& name : option->get_lnames()) {
        longs.push_back({name.c_str(), takes_value, nullptr, value});
      }
      for (const std::string& name : option->get_snames()) {
        shorts += name + (takes_value != 0 ? ":" : "");
        long_of[name[0]] = value;
      }
    }
    longs.push_back({nullptr, 0, nullptr, 0});
  }
  std::vector<option> longs;
  std::string shorts = "+";
  std::map<int, int> long_of;
};

struct Split {
  std::vector<std::pair<int, std::string>> options;
  Words program;
};

std::optional<Split> getopt_reading(const GetoptTable& table, Words words) {
  std::vector<char*> arguments{nullptr};
  std::string name = "run";
  arguments[0] = name.data();
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  optind = 0;  // Starts getopt anew.
  opterr = 0;
  Split split;
  const int count = static_cast<int>(words.size()) + 1;
  for (int c = 0; (c = getopt_long(count, arguments.data(), table.shorts.c_str(),
                                   table.longs.data(), nullptr)) != -1;) {
    if (c == '?') return std::nullopt;
    const auto known = table.long_of.find(c);
    split.options.emplace_back(known != table.long_of.end() ? known->second : c,
                               optarg != nullptr ? optarg : "");
    optarg = nullptr;
  }
  split.program.assign(words.begin() + (optind - 1), words.end());
  return split;
}

/// The same shape from what homenode split.
Split shaped(const GetoptTable& table, const CLI::App& app, const ProgramLine& line) {
  Split split;
  for (std::size_t i = 0; i < line.options.size(); ++i) {
    const std::string& word = line.options[i];
    int value = 0;
    bool takes_value = false;
    if (word.starts_with("--")) {
      for (const option& known : table.longs) {
        if (known.name == nullptr || word.substr(2) != known.name) continue;
        value = known.val;
        takes_value = known.has_arg != 0;
      }
    } else {
      value = table.long_of.at(word[1]);
      takes_value = app.get_option(word)->get_items_expected_max() > 0;
    }
    split.options.emplace_back(value, takes_value ? line.options[++i] : "");
  }
  split.program = line.program;
  return split;
}

Words random_line(Random& random) {
  static const Words pieces{"-i",
                            "-m",
                            "-C",
                            "-N",
                            "-l",
                            "-a",
                            "-b",
                            "-p",
                            "-P",
                            "-w",
                            "-s",
                            "-H",
                            "-la",
                            "-lm",
                            "-abl0",
                            "-x",
                            "--",
                            "-",
                            "--membind",
                            "--interleave=all",
                            "--interl=0",
                            "--preferred",
                            "--pref=0",
                            "--cpu",
                            "--cpunode",
                            "--cpu-compress",
                            "--show=1",
                            "--membind=",
                            "--mem",
                            "--nosuch",
                            "--=",
                            "--near",
                            "--per-rank=node",
                            "--threads",
                            "--th=0",
                            "--explain",
                            "--json",
                            "all",
                            "0",
                            "0-1",
                            "!0",
                            "+0",
                            "same",
                            "prog",
                            "",
                            "--emit=omp",
                            "--file",
                            "--shm=key",
                            "-L4k",
                            "--length=8k",
                            "--dump",
                            "-T",
                            "--stri",
                            "--sh",
                            "+pemap",
                            "+setcpuaffinity",
                            "-i0",
                            "-Nall",
                            "--heap",
                            "--malloc",
                            "local"};
  Words words;
  for (unsigned count = below(random, 7); count > 0; --count) {
    words.push_back(pieces[below(random, static_cast<unsigned>(pieces.size()))]);
  }
  return words;
}

TEST(RunFuzz, OptionsEndWhereGetoptSays) {
  const auto verb = make_run();
  CLI::App app{"", "homenode run"};
  LabOptions lab;
  define_lab_options(app, lab);
  verb->define(app);
  const GetoptTable table(app);
  Random random(4);
  unsigned accepted = 0;
  for (unsigned i = 0; i < cases(97'000); ++i) {
    const Words words = random_line(random);
    const auto line = split_program_line(app, words);
    const auto expected = getopt_reading(table, words);
    ASSERT_EQ(line.has_value(), expected.has_value()) << testing::PrintToString(words);
    if (!line) continue;
    const Split split = shaped(table, app, *line);
    ASSERT_EQ(split.options, expected->options) << testing::PrintToString(words);
    ASSERT_EQ(split.program, expected->program) << testing::PrintToString(words);
    ++accepted;
  }
  EXPECT_GT(accepted, cases(1000));
}

TEST(RunFuzz, WholeLinesEndWithACodeAndALine) {
  Random random(7);
  CommandLine line;
  for (unsigned i = 0; i < cases(3'000); ++i) {
    Words words = random_line(random);
    words.insert(words.begin(), "run");
    const std::size_t started = line.os.count("execute");
    const int code = line.run(words);
    const bool executed = line.os.count("execute") > started;
    SCOPED_TRACE(testing::PrintToString(words));
    ASSERT_TRUE(code == exit_done || code == exit_failed || code == exit_usage ||
                code == exit_not_supported || code == exit_launcher_failed ||
                code == exit_not_found);
    ASSERT_EQ(executed, code == exit_not_found) << line.err.str();
    if (code != exit_done) {
      ASSERT_FALSE(line.err.str().empty());
      ASSERT_TRUE(line.out.str().empty());
    }
  }
}

}  // namespace
}  // namespace homenode::cli
