// What workloads say of themselves against what their command lines take.
#include "cli/bench/describe.h"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/bench/table.h"

namespace homenode::cli {
namespace {

using workloads::Description;
using workloads::Parameter;
using workloads::ValueKind;

/// What a command line has beside the parameters of a run: where results go and what they show.
const std::set<std::string> no_parameters{"help",     "json",         "output",   "peer",
                                          "list",     "verify",       "snapshot", "seismogram",
                                          "launched", "show_details", "quiet",    "html"};

/// A workload's own parser.
struct Parser {
  explicit Parser(const BenchWorkload& workload) : verb(workload.make()) { verb->define(app); }
  std::unique_ptr<Verb> verb;
  CLI::App app;
};

CLI::Option* option_of(CLI::App& app, const std::string& name) {
  CLI::Option* const option = app.get_option_no_throw("--" + name);
  return option != nullptr ? option : app.get_option_no_throw(name);
}

bool takes(const BenchWorkload& workload, const std::string& name, const std::string& value) {
  Parser parser(workload);
  const bool positional = parser.app.get_option_no_throw("--" + name) == nullptr;
  try {
    parser.app.parse(positional ? std::vector<std::string>{value}
                                : std::vector<std::string>{"--" + name + "=" + value});
    return true;
  } catch (const CLI::ParseError&) {
    return false;
  }
}

TEST(Descriptions, NameEveryParameterOfTheCommandLineAndNoOther) {
  for (const BenchWorkload& workload : bench_workloads()) {
    Parser parser(workload);
    const Description description = workload.describe();
    EXPECT_EQ(description.name, parser.verb->name());
    for (const Parameter& parameter : description.parameters) {
      EXPECT_NE(option_of(parser.app, parameter.name), nullptr)
          << description.name << " " << parameter.name;
    }
    for (const CLI::Option* option : parser.app.get_options()) {
      const std::string name = option->get_name(option->get_positional());
      std::vector<std::string> names = option->get_lnames();
      if (names.empty()) names = {name};
      if (no_parameters.contains(names.front())) continue;
      EXPECT_NE(description.find_parameter(names.front()), nullptr)
          << description.name << " " << names.front();
    }
  }
}

TEST(Descriptions, HaveTheCommandLinesDefaults) {
  for (const BenchWorkload& workload : bench_workloads()) {
    Parser parser(workload);
    const Description description = workload.describe();
    for (const Parameter& parameter : description.parameters) {
      if (parameter.kind == ValueKind::flag) continue;
      CLI::Option* const option = option_of(parser.app, parameter.name);
      ASSERT_NE(option, nullptr) << parameter.name;
      EXPECT_EQ(option->get_default_str(), parameter.standard)
          << description.name << " " << parameter.name;
    }
  }
}

TEST(Descriptions, HaveTheCommandLinesChoices) {
  for (const BenchWorkload& workload : bench_workloads()) {
    const Description description = workload.describe();
    for (const Parameter& parameter : description.parameters) {
      if (parameter.kind == ValueKind::choice) {
        EXPECT_FALSE(parameter.choices.empty()) << parameter.name;
      }
      for (const workloads::Choice& choice : parameter.choices) {
        EXPECT_TRUE(takes(workload, parameter.name, choice.name))
            << description.name << " --" << parameter.name << " " << choice.name;
        EXPECT_FALSE(choice.meaning.empty() || choice.title.empty()) << choice.name;
      }
      if (parameter.kind == ValueKind::flag) {
        EXPECT_TRUE(takes(workload, parameter.name, "true")) << parameter.name;
        EXPECT_TRUE(takes(workload, parameter.name, "false")) << parameter.name;
      }
    }
  }
}

TEST(Descriptions, SayWhatEachWorkloadMeasures) {
  std::set<std::string> schemas;
  for (const BenchWorkload& workload : bench_workloads()) {
    const Description description = workload.describe();
    EXPECT_TRUE(schemas.insert(description.schema).second) << description.schema;
    EXPECT_FALSE(description.memory.empty() || description.use.empty() ||
                 description.source.empty())
        << description.name;
    ASSERT_FALSE(description.metrics.empty()) << description.name;
    for (const workloads::Metric& metric : description.metrics) {
      EXPECT_EQ(metric.path.front(), '/') << metric.name;
      EXPECT_FALSE(metric.meaning.empty()) << metric.name;
    }
    if (!description.placement.empty()) {
      EXPECT_NE(description.find_parameter(description.placement), nullptr) << description.name;
    }
  }
}

TEST(Descriptions, AreOneLineOfJson) {
  for (const BenchWorkload& workload : bench_workloads()) {
    const Description description = workload.describe();
    const std::string line = description_json(description);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json["schema"], "homenode.bench.describe/1");
    EXPECT_EQ(json["parameters"].size(), description.parameters.size());
    EXPECT_EQ(json["patterns"].size(), description.patterns.size());
    for (const auto& parameter : json["parameters"]) {
      EXPECT_EQ(parameter["kind"] == "choice", !parameter["choices"].empty()) << parameter["name"];
    }
    const std::string text = description_text(description);
    for (const Parameter& parameter : description.parameters) {
      EXPECT_NE(text.find("  " + parameter.name + " ("), std::string::npos) << parameter.name;
    }
  }
}

TEST(Descriptions, GiveOptionsTheirHelp) {
  CLI::App app;
  int size = 0;
  int passes = 0;
  app.add_option("--size", size);
  app.add_option("--passes", passes, "said already");
  Description description;
  description.parameters = {{.name = "size", .meaning = "how large"}, {.name = "passes"}};
  explain_options(app, description);
  EXPECT_EQ(app.get_option("--size")->get_description(), "how large");
  EXPECT_EQ(app.get_option("--passes")->get_description(), "said already");
}

}  // namespace
}  // namespace homenode::cli
