#include "trial/stress/modes.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "machine/load.h"
#include "os/linux.h"
#include "support/machines.h"
#include "trial/memory.h"
#include "trial/stress/daemons.h"

namespace homenode::trial {
namespace {

using cli::modes_json;
using cli::modes_text;

StressOptions with_modes(const std::string& modes, const std::string& membind = "") {
  StressOptions options;
  options.block = 64_KiB;
  options.modes = modes;
  options.membind = membind;
  return options;
}

TEST(StressModes, AreReadInTheOrderGiven) {
  const auto modes = parse_modes(with_modes("kernel,plain,numad,membind", "1"));
  ASSERT_TRUE(modes);
  EXPECT_EQ(*modes, (std::vector{StressMode::kernel, StressMode::plain, StressMode::numad,
                                 StressMode::membind}));
}

TEST(StressModes, AreRefusedWhereTheyMakeNoSense) {
  for (const auto& options : {with_modes("plane"), with_modes("plain,plain"), with_modes(",plain"),
                              with_modes("membind"), with_modes("plain", "1")}) {
    const auto modes = parse_modes(options);
    ASSERT_FALSE(modes) << options.modes;
    EXPECT_EQ(modes.error().code, ErrorCode::bad_usage);
  }
  EXPECT_FALSE(check(with_modes("", "1")));
  StressOptions options = with_modes("numad");
  options.numad_interval_s = 0;
  EXPECT_FALSE(check(options));
}

TEST(StressModes, NodesToBindToAreThoseOfTheMachine) {
  const auto plan = plan_stress(quad_machine(), with_modes("membind", "1,3"), {});
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->membind, (NodeSet{NodeId(1), NodeId(3)}));
  EXPECT_FALSE(plan_stress(quad_machine(), with_modes("membind", "9"), {}));
}

TEST(StressModes, AreShownSideBySide) {
  os::Linux os;
  const auto machine = machine::load_live();
  ASSERT_TRUE(machine);
  StressOptions options = with_modes("plain");
  options.cycles = 1;
  options.hold_s = 0.0;
  options.interval_s = 1000.0;
  const auto plan = plan_stress(*machine, options, memory_facts(os));
  ASSERT_TRUE(plan) << plan.error().message();
  const auto report = run_stress(os, *machine, *plan);
  ASSERT_TRUE(report) << report.error().message();
  const std::vector<ModeReport> reports{{StressMode::plain, *report},
                                        {StressMode::kernel, *report}};
  const auto json = nlohmann::json::parse(modes_json(reports));
  EXPECT_EQ(json["schema"], "homenode.bench.stress.modes/1");
  EXPECT_EQ(json["modes"][1]["mode"], "kernel");
  EXPECT_EQ(json["modes"][0]["report"]["schema"], "homenode.bench.stress/1");
  const std::string text = modes_text(reports);
  EXPECT_NE(text.find("\nplain "), std::string::npos) << text;
  EXPECT_NE(text.find("\nkernel "), std::string::npos) << text;
}

}  // namespace
}  // namespace homenode::trial
