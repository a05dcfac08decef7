#include "trial/program/peer.h"

#include <gtest/gtest.h>

namespace homenode::trial {
namespace {

TEST(Peer, RateIsWhatTheLastLineOfTheNameSays) {
  EXPECT_EQ(rate_in(" Mop/s total     =                  1234.50\n Mop/s/thread = 7\n"), 1234.5);
  EXPECT_EQ(rate_in("Mop/s total = 1\nMop/s total = 2\n"), 2.0);
  EXPECT_EQ(rate_in("Mop/s total = fast\n"), std::nullopt);
  EXPECT_EQ(rate_in("Mop/s total\n= 5\n"), std::nullopt);
  EXPECT_EQ(rate_in("Mop/s total ="), std::nullopt);
  EXPECT_EQ(rate_in(""), std::nullopt);
}

TEST(Peer, VerificationIsSuccessfulOrNot) {
  EXPECT_EQ(verification_in(" Verification    =               SUCCESSFUL\n"), true);
  EXPECT_EQ(verification_in(" Verification    =             UNSUCCESSFUL\n"), false);
  EXPECT_EQ(verification_in("done\n"), std::nullopt);
}

TEST(Peer, RunsWithTheThreadsThatAreAskedFor) {
  const auto run = run_peer("echo \"Mop/s total = $OMP_NUM_THREADS\"", 7);
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_EQ(run->rate, 7.0);
  EXPECT_EQ(run->verified, std::nullopt);
}

TEST(Peer, SaysHowACommandEndedThatDidNotSucceed) {
  const auto left = run_peer("exit 3", 1);
  ASSERT_FALSE(left);
  EXPECT_NE(left.error().tried.find("exit code 3"), std::string::npos);
  const auto killed = run_peer("kill -9 $$", 1);
  ASSERT_FALSE(killed);
  EXPECT_NE(killed.error().tried.find("signal 9"), std::string::npos);
}

}  // namespace
}  // namespace homenode::trial
