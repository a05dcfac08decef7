#include "trial/stress/modes.h"

#include <gtest/gtest.h>

#include "support/machines.h"

namespace homenode::trial {
namespace {

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

TEST(StressModes, OneAloneIsCheckedAsSeveralAre) {
  StressOptions options = with_modes("");
  for (const auto mode : {StressMode::system, StressMode::plain, StressMode::balance}) {
    options.mode = mode;
    EXPECT_TRUE(check(options)) << name_of(stress_modes, mode);
  }
  options.mode = StressMode::membind;
  EXPECT_FALSE(check(options));
  options.membind = "1";
  EXPECT_TRUE(check(options));
}

TEST(StressModes, NodesToBindToAreThoseOfTheMachine) {
  const auto plan = plan_stress(quad_machine(), with_modes("membind", "1,3"), {});
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->membind, (NodeSet{NodeId(1), NodeId(3)}));
  EXPECT_FALSE(plan_stress(quad_machine(), with_modes("membind", "9"), {}));
}

}  // namespace
}  // namespace homenode::trial
