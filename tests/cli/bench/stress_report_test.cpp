// What `bench stress` shows of a run and of several modes, for people and for programs.
#include "cli/bench/stress_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "machine/load.h"
#include "os/linux.h"
#include "trial/memory.h"

namespace homenode::cli {
namespace {

using workloads::stress::Pattern;

/// One cycle over a few pages of this machine, and no wait for anything but the threads themselves.
Result<trial::StressReport> short_stress() {
  os::Linux os;
  const auto machine = machine::load_live();
  if (!machine) return machine.as_unexpected();
  trial::StressOptions options;
  options.pattern = Pattern::shared;
  options.block = 64_KiB;
  options.cycles = 1;
  options.hold_s = 0.0;
  options.interval_s = 1000.0;
  const auto plan = trial::plan_stress(*machine, options, trial::memory_facts(os));
  if (!plan) return plan.as_unexpected();
  return trial::run_stress(os, *machine, *plan);
}

TEST(StressReport, IsATableAndJson) {
  const auto report = short_stress();
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_TRUE(stress_text(*report).starts_with("Daemon stress: pattern 2, read"))
      << stress_text(*report);
  const auto json = nlohmann::json::parse(stress_json(*report));
  EXPECT_EQ(json["schema"], "homenode.bench.stress/2");
  ASSERT_EQ(json["samples"].size(), 2U);
  std::size_t pages = json["samples"][1]["unknown_pages"];
  for (const auto& [node, count] : json["samples"][1]["pages_on_node"].items()) {
    EXPECT_EQ(node.find_first_not_of("0123456789"), std::string::npos) << node;
    pages += count.get<std::size_t>();
  }
  EXPECT_EQ(pages, json["sampled_pages"]);
  EXPECT_EQ(json["moves"]["useless"].get<unsigned>() + json["moves"]["nearer"].get<unsigned>(),
            json["moves"]["moves"].get<unsigned>());
}

TEST(StressReport, ShowsModesSideBySide) {
  const auto report = short_stress();
  ASSERT_TRUE(report) << report.error().message();
  std::vector<trial::StressReport> reports{*report, *report};
  reports[0].plan.options.mode = trial::StressMode::plain;
  reports[1].plan.options.mode = trial::StressMode::kernel;
  const auto json = nlohmann::json::parse(modes_json(reports));
  EXPECT_EQ(json["schema"], "homenode.bench.stress.modes/2");
  EXPECT_EQ(json["modes"][1]["mode"], "kernel");
  EXPECT_EQ(json["modes"][0]["report"]["schema"], "homenode.bench.stress/2");
  const std::string text = modes_text(reports);
  EXPECT_NE(text.find("\nplain "), std::string::npos) << text;
  EXPECT_NE(text.find("\nkernel "), std::string::npos) << text;
}

}  // namespace
}  // namespace homenode::cli
