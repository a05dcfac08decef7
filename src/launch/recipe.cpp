#include "launch/recipe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace homenode::launch {
namespace {

constexpr const char* recipe_schema = "homenode.recipe/1";

Recipe recipe_of(const nlohmann::json& json) {
  Recipe recipe;
  recipe.options = json.at("options").get<std::vector<std::string>>();
  recipe.program = json.at("program").get<std::vector<std::string>>();
  const nlohmann::json& machine = json.at("machine");
  recipe.model = machine.at("model").get<std::string>();
  for (const nlohmann::json& node : machine.at("nodes")) {
    Recipe::Node read{NodeId(node.at("id").get<unsigned>()), {}};
    for (const nlohmann::json& cpu : node.at("cpus")) read.cpus.insert(CpuId(cpu.get<unsigned>()));
    recipe.nodes.push_back(std::move(read));
  }
  return recipe;
}

/// Options alone: a recipe starts no program and reads no other recipe.
bool only_options(const std::vector<std::string>& options) {
  return std::none_of(options.begin(), options.end(), [](const std::string& option) {
    return option == "--" || option.starts_with("--rec");
  });
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool same_nodes(const Recipe& recipe, const machine::Machine& machine) {
  return std::equal(recipe.nodes.begin(), recipe.nodes.end(), machine.nodes.begin(),
                    machine.nodes.end(), [](const Recipe::Node& known, const machine::Node& node) {
                      return known.id == node.id && known.cpus == node.cpus;
                    });
}

}  // namespace

Result<Recipe> parse_recipe(const std::string& path, const std::string& content) {
  const auto no_recipe = [&path](const std::string& why) {
    return failed(fmt::format("{} is no recipe: {}", path, why),
                  "'homenode tune --recipe FILE' writes one");
  };
  const auto json = nlohmann::json::parse(content, nullptr, false);
  if (!json.is_object()) return no_recipe("it is no JSON object");
  const auto schema = json.find("schema");
  if (schema == json.end() || *schema != recipe_schema) {
    return no_recipe(fmt::format("its schema is not {}", recipe_schema));
  }
  Recipe recipe;
  try {
    recipe = recipe_of(json);
  } catch (const nlohmann::json::exception& error) {
    return no_recipe(error.what());
  }
  if (recipe.program.empty()) return no_recipe("it names no program");
  if (!only_options(recipe.options)) return no_recipe("its options name a program or a recipe");
  return recipe;
}

Result<Recipe> read_recipe(os::Os& os, const std::string& path) {
  std::string content;
  const int result = os.read_file(path, content);
  if (result < 0) return failed("cannot read the recipe " + path, "check its name", -result);
  return parse_recipe(path, content);
}

std::string processor_model(os::Os& os) {
  std::string content;
  if (os.read_file("/proc/cpuinfo", content) < 0) return {};
  constexpr std::string_view key = "model name";
  const std::size_t found = content.find(key);
  if (found == std::string::npos) return {};
  const std::size_t colon = content.find(':', found);
  const std::size_t end = std::min(content.find('\n', found), content.size());
  if (colon == std::string::npos || colon > end) return {};
  const std::size_t begin = std::min(content.find_first_not_of(" \t", colon + 1), end);
  const std::size_t last = content.find_last_not_of(" \t", end - 1);
  return content.substr(begin, last + 1 - begin);
}

std::vector<std::string> recipe_differences(const Recipe& recipe, const machine::Machine& machine,
                                            const std::string& model, const std::string& program) {
  std::vector<std::string> differences;
  const std::string& known = recipe.program.front();
  if (!program.empty() && file_name(program) != file_name(known)) {
    differences.push_back(fmt::format("for {}, not {}", known, program));
  }
  if (recipe.model != model) {
    differences.push_back(fmt::format("on '{}', not '{}'", recipe.model, model));
  }
  if (!same_nodes(recipe, machine)) {
    differences.push_back(fmt::format("on {} nodes with {} CPUs, which are not this machine's",
                                      recipe.nodes.size(), [&recipe] {
                                        std::size_t cpus = 0;
                                        for (const Recipe::Node& node : recipe.nodes)
                                          cpus += node.cpus.size();
                                        return cpus;
                                      }()));
  }
  return differences;
}

}  // namespace homenode::launch
