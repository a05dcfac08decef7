#include "launch/recipe.h"

#include <gtest/gtest.h>

#include "fake/fake.h"

namespace homenode::launch {
namespace {

constexpr const char* text = R"({
  "schema": "homenode.recipe/1", "options": ["--membind=1", "--threads", "cores"],
  "program": ["/opt/solver", "input"], "gain": null,
  "machine": {"model": "CPU X", "nodes": [{"id": 0, "cpus": [0, 1]}, {"id": 2, "cpus": [4]}]}})";

machine::Machine machine_of_recipe() {
  machine::Machine machine;
  machine.nodes.push_back({NodeId(0), CpuSet{CpuId(0), CpuId(1)}, Bytes{1}, {}});
  machine.nodes.push_back({NodeId(2), CpuSet{CpuId(4)}, Bytes{1}, {}});
  return machine;
}

TEST(Recipe, IsReadFromItsJson) {
  os::Fake os;
  os.set_file("/found.json", text);
  const auto recipe = read_recipe(os, "/found.json");
  ASSERT_TRUE(recipe) << recipe.error().message();
  EXPECT_EQ(recipe->options, (std::vector<std::string>{"--membind=1", "--threads", "cores"}));
  EXPECT_TRUE(recipe_differences(*recipe, machine_of_recipe(), "CPU X", "./solver").empty());
}

TEST(Recipe, SaysWhatIsOtherThanWhereItWasFound) {
  const auto recipe = parse_recipe("f", text);
  ASSERT_TRUE(recipe);
  machine::Machine machine = machine_of_recipe();
  machine.nodes.pop_back();
  const auto found = recipe_differences(*recipe, machine, "CPU Y", "sort");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0], "for /opt/solver, not sort");
  EXPECT_EQ(found[1], "on 'CPU X', not 'CPU Y'");
}

TEST(Recipe, IsRefusedWhereItIsNone) {
  for (const char* wrong :
       {"", "[]", "{}", R"({"schema": "homenode.recipe/2"})", R"({"schema": "homenode.recipe/1"})",
        R"({"schema": "homenode.recipe/1", "options": ["--", "rm"], "program": ["x"],
            "machine": {"model": "", "nodes": []}})",
        R"({"schema": "homenode.recipe/1", "options": ["--recipe=f"], "program": ["x"],
            "machine": {"model": "", "nodes": []}})",
        R"({"schema": "homenode.recipe/1", "options": [], "program": [],
            "machine": {"model": "", "nodes": []}})",
        R"({"schema": "homenode.recipe/1", "options": [], "program": ["x"],
            "machine": {"model": "", "nodes": [{"id": "0", "cpus": []}]}})"}) {
    EXPECT_FALSE(parse_recipe("f", wrong)) << wrong;
  }
}

TEST(Recipe, KnowsTheProcessorByTheNameThatTheKernelHas) {
  os::Fake os;
  os.set_file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: CPU X 2 GHz \nflags: a\n");
  EXPECT_EQ(processor_model(os), "CPU X 2 GHz");
  os.set_file("/proc/cpuinfo", "processor\t: 0\nmodel name\n");
  EXPECT_EQ(processor_model(os), "");
}

}  // namespace
}  // namespace homenode::launch
