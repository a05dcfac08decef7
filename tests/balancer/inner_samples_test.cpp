#include "balancer/inner_samples.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

#include "fake/fake.h"

namespace homenode::balancer {
namespace {

constexpr const char* file = "/state.samples.inner";
constexpr pid_t program = 7;

void set_keys(os::Fake& os) {
  os.set_file("/proc/cpuinfo", "flags\t\t: fpu pku ospke\n");
  os.set_file("/lib/libhomenode-pkeys.so", "");
}

sensing::SampleRequest request_for(std::vector<std::string> command) {
  sensing::SampleRequest request;
  request.program = std::move(command);
  request.output = file;
  request.agent_folder = "/lib";
  return request;
}

std::string text_of(os::Fake& os) {
  std::string text;
  os.read_file(file, text);
  return text;
}

/// As the library in the program does it.
void append_block(os::Fake& os, const char* kind, std::string_view content) {
  SampleBlockHeader header{};
  std::memcpy(header.kind, kind, sizeof header.kind);
  header.bytes = static_cast<std::uint32_t>(content.size());
  std::string text = text_of(os);
  text.append(reinterpret_cast<const char*>(&header), sizeof header).append(content);
  os.set_file(file, text);
}

void append_samples(os::Fake& os, pid_t pid, std::size_t count) {
  Sample sample;
  sample.pid = static_cast<std::uint32_t>(pid);
  std::string content;
  for (std::size_t i = 0; i < count; ++i) {
    sample.address = i;
    content.append(reinterpret_cast<const char*>(&sample), sizeof sample);
  }
  append_block(os, "SMPL", content);
}

/// Of a program that is about to start.
class BalancerInnerSamples : public testing::Test {
 protected:
  void SetUp() override {
    set_keys(os);
    auto prepared = prepare_source(os, "pkeys", request_for({"solver"}));
    ASSERT_TRUE(prepared) << prepared.error().message();
    inner = std::move(*prepared);
    ASSERT_TRUE(inner);
  }

  os::Fake os;
  std::unique_ptr<InnerSamples> inner;
};

TEST_F(BalancerInnerSamples, AProgramGetsTheLibraryAndAFile) {
  bool preloaded = false;
  for (const auto& [name, value] : inner->environment()) {
    preloaded = preloaded || (name == "LD_PRELOAD" && value.starts_with("/lib/libhomenode-pkeys"));
  }
  EXPECT_TRUE(preloaded);
  EXPECT_EQ(text_of(os).size(), sizeof(SampleFileHeader));
}

TEST_F(BalancerInnerSamples, KeepsSamplesUntilTheyAreForgottenAndTheFileSmall) {
  append_samples(os, program, 3);
  inner->samples_of(program);
  append_samples(os, program, 2);
  append_samples(os, program + 1, 1);
  EXPECT_EQ(inner->samples_of(program).size(), 5U);
  EXPECT_EQ(text_of(os).size(), sizeof(SampleFileHeader));
  append_samples(os, program, 1);
  EXPECT_EQ(inner->samples_of(program).size(), 6U);
  append_samples(os, program, 1);
  inner->forget(program);
  EXPECT_TRUE(inner->samples_of(program).empty());
  EXPECT_EQ(inner->samples_of(program + 1).size(), 1U);
}

TEST_F(BalancerInnerSamples, LooksWaitForMoreSamplesButNotForEver) {
  for (int look = 0; look < InnerSamples::most_waits; ++look) {
    EXPECT_TRUE(inner->may_wait(program));
  }
  EXPECT_FALSE(inner->may_wait(program));
  EXPECT_TRUE(inner->may_wait(program + 1));
  inner->forget(program);
  EXPECT_TRUE(inner->may_wait(program));
}

TEST_F(BalancerInnerSamples, DropsTheOldestOfMoreThanItKeeps) {
  append_samples(os, program, InnerSamples::most_samples + 2);
  const auto samples = inner->samples_of(program);
  ASSERT_EQ(samples.size(), InnerSamples::most_samples);
  EXPECT_EQ(samples.front().address, 2U);
}

TEST_F(BalancerInnerSamples, ABlockThatIsNotWholeCostsNoOther) {
  append_samples(os, program, 2);
  os.set_file(file, text_of(os) + "SMPL");
  EXPECT_EQ(inner->samples_of(program).size(), 2U);
}

TEST_F(BalancerInnerSamples, SaysWhichProcessTakesNone) {
  append_block(os, "JSON",
               R"({"kind":"pkeys","pid":7,"refused":"it uses protection keys itself"})");
  append_block(os, "JSON", R"({"kind":"begin","pid":8,"refused":{}})");
  append_block(os, "JSON", R"({"refused")");
  append_block(os, "JSON", R"({"pid":"8","refused":"no number"})");
  append_block(os, "JSON", R"(["refused"])");
  EXPECT_EQ(inner->refused(program), "");
  inner->samples_of(program);
  EXPECT_EQ(inner->refused(program), "it uses protection keys itself");
  EXPECT_EQ(inner->refused(program + 1), "");
}

TEST(BalancerSources, TheFileGoesAtTheEnd) {
  os::Fake os;
  set_keys(os);
  { ASSERT_TRUE(prepare_source(os, "pkeys", request_for({"solver"}))); }
  EXPECT_EQ(os.count("remove_file"), 1U);
  EXPECT_EQ(os.count("close_file"), 1U);
}

TEST(BalancerSources, SourcesThatCannotServeAreRefusedAtOnce) {
  os::Fake os;
  set_keys(os);
  const auto message = [&](const std::string& name, std::vector<std::string> command) {
    const auto inner = prepare_source(os, name, request_for(std::move(command)));
    return inner ? std::string() : inner.error().message();
  };
  EXPECT_NE(message("xyzzy", {"solver"}).find("no source of samples 'xyzzy'"), std::string::npos);
  EXPECT_NE(message("sched", {"solver"}).find("do not say which thread"), std::string::npos);
  EXPECT_NE(message("pkeys", {}).find("only a program that is started"), std::string::npos);
  os.fail_call("open_appended", 1, EACCES);
  EXPECT_NE(message("pkeys", {"solver"}).find("cannot write samples to"), std::string::npos);
  os.set_disk_bytes(3);
  EXPECT_NE(message("pkeys", {"solver"}).find("cannot write samples to"), std::string::npos);
}

}  // namespace
}  // namespace homenode::balancer
