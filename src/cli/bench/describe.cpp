#include "cli/bench/describe.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <nlohmann/json.hpp>

#include "placement/strategies/table.h"

namespace homenode::cli {
namespace {

using workloads::Choice;
using workloads::Description;
using workloads::Parameter;
using workloads::ValueKind;
using DescribeJson = nlohmann::ordered_json;

/// In the order of ValueKind; strategies are choices like others.
constexpr std::array<const char*, 7> kinds{"whole", "real", "size",  "choice",
                                           "text",  "flag", "choice"};

const char* word_of(ValueKind kind) {
  return kinds[static_cast<std::size_t>(kind)];
}

/// Its own, or the strategies, which workloads do not know.
std::vector<Choice> choices_of(const Parameter& parameter) {
  if (parameter.kind != ValueKind::strategy) return parameter.choices;
  std::vector<Choice> choices{{"none", "none", "The system places threads and memory."}};
  for (const placement::Strategy& each : placement::strategies()) {
    const std::string name(each.name);
    choices.push_back({name, name, std::string(each.summary) + "."});
  }
  return choices;
}

template <class Value>
DescribeJson value_or_null(const std::optional<Value>& value) {
  return value ? DescribeJson(*value) : DescribeJson(nullptr);
}

DescribeJson text_or_null(const std::string& text) {
  return text.empty() ? DescribeJson(nullptr) : DescribeJson(text);
}

DescribeJson parameters_json(const Description& description) {
  DescribeJson list = DescribeJson::array();
  for (const Parameter& parameter : description.parameters) {
    DescribeJson choices = DescribeJson::array();
    for (const Choice& choice : choices_of(parameter)) {
      choices.push_back(
          {{"name", choice.name}, {"title", choice.title}, {"meaning", choice.meaning}});
    }
    list.push_back({{"name", parameter.name},
                    {"kind", word_of(parameter.kind)},
                    {"default", text_or_null(parameter.standard)},
                    {"meaning", parameter.meaning},
                    {"least", value_or_null(parameter.least)},
                    {"most", value_or_null(parameter.most)},
                    {"choices", std::move(choices)}});
  }
  return list;
}

DescribeJson patterns_json(const Description& description) {
  DescribeJson list = DescribeJson::array();
  for (const workloads::AccessPattern& pattern : description.patterns) {
    list.push_back({{"name", pattern.name},
                    {"title", pattern.title},
                    {"meaning", pattern.meaning},
                    {"suits", pattern.suits},
                    {"dimensions", value_or_null(pattern.dimensions)},
                    {"goal", pattern.goal == workloads::Goal::flat ? "flat" : "diagonal"}});
  }
  return list;
}

DescribeJson metrics_json(const Description& description) {
  DescribeJson list = DescribeJson::array();
  for (const workloads::Metric& metric : description.metrics) {
    list.push_back({{"name", metric.name},
                    {"unit", metric.unit},
                    {"meaning", metric.meaning},
                    {"path", metric.path},
                    {"more_is_better", metric.more_is_better},
                    {"operations", text_or_null(metric.operations)},
                    {"timed", metric.timed}});
  }
  return list;
}

std::string limits_text(const Parameter& parameter) {
  std::string text = word_of(parameter.kind);
  if (parameter.least) text += fmt::format(", from {}", *parameter.least);
  if (parameter.most) text += fmt::format(", at most {}", *parameter.most);
  if (!parameter.standard.empty()) text += ", default " + parameter.standard;
  return text;
}

}  // namespace

void explain_options(CLI::App& app, const Description& description) {
  for (const Parameter& parameter : description.parameters) {
    CLI::Option* option = app.get_option_no_throw("--" + parameter.name);
    if (option == nullptr) option = app.get_option_no_throw(parameter.name);
    if (option == nullptr || !option->get_description().empty()) continue;
    const bool is_on = parameter.kind == ValueKind::flag && parameter.standard == "true";
    option->description(parameter.meaning + (is_on ? " (on unless --no-... is given)" : ""));
  }
}

std::string description_text(const Description& description) {
  std::string text = fmt::format("{}: {}\n", description.name, description.summary);
  text += fmt::format("  memory  {}\n  use     {}\n  source  {}\n", description.memory,
                      description.use, description.source);
  text += "\nparameters\n";
  for (const Parameter& parameter : description.parameters) {
    text += fmt::format("  {} ({})\n      {}\n", parameter.name, limits_text(parameter),
                        parameter.meaning);
    for (const Choice& choice : choices_of(parameter)) {
      text += fmt::format("      {:<18} {}\n", choice.name, choice.meaning);
    }
  }
  if (!description.patterns.empty()) text += "\nwhich placement suits each pattern\n";
  for (const workloads::AccessPattern& pattern : description.patterns) {
    text += fmt::format("  {:<22} {}\n", pattern.name, pattern.suits);
  }
  text += "\nmeasures\n";
  for (const workloads::Metric& metric : description.metrics) {
    text += fmt::format("  {:<22} {}{}\n", metric.name, metric.meaning,
                        metric.unit.empty() ? "" : ", in " + metric.unit);
  }
  return text;
}

std::string description_json(const Description& description) {
  const DescribeJson json{{"schema", "homenode.bench.describe/1"},
                          {"name", description.name},
                          {"summary", description.summary},
                          {"memory", description.memory},
                          {"use", description.use},
                          {"source", description.source},
                          {"result_schema", description.schema},
                          {"placement", text_or_null(description.placement)},
                          {"has_matrices", description.has_matrices},
                          {"parameters", parameters_json(description)},
                          {"patterns", patterns_json(description)},
                          {"metrics", metrics_json(description)}};
  return json.dump() + '\n';
}

std::string bench_list_text(const std::vector<Description>& descriptions) {
  std::string text;
  for (const Description& each : descriptions) {
    text += fmt::format("{:<11} {}\n", each.name, each.summary);
    text += fmt::format("{:<11}   memory   {}\n", "", each.memory);
    text += fmt::format("{:<11}   pattern  {}\n", "", each.use);
    text += fmt::format("{:<11}   source   {}\n", "", each.source);
  }
  return text;
}

}  // namespace homenode::cli
