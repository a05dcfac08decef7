#include "sensing/sources/sampling.h"

#include <csignal>
#include <functional>

#include "sampled.h"

namespace homenode::sensing {
namespace {

constexpr SourceFacts scripted_facts{"scripted", SampleSource::import, "", "", "", ""};

/// Writes a sample at each reading and does what the test wants.
class Scripted final : public Source {
 public:
  explicit Scripted(std::function<void()> at_reading) : at_reading_(std::move(at_reading)) {}

  [[nodiscard]] const SourceFacts& facts() const override { return scripted_facts; }
  [[nodiscard]] Result<void> check(os::Os&, const SampleRequest&) const override { return {}; }
  Result<void> start(Sampling& sampling, pid_t) override {
    sampling.budget.add_faults_ns(7);
    if (refuses) return not_supported("it does not start", "do something");
    return {};
  }
  Result<void> collect(Sampling& sampling) override {
    at_reading_();
    const Sample sample[1] = {};
    return sampling.file.append(sample);
  }
  Result<void> stop(Sampling&) override {
    ++stops;
    return {};
  }

  bool refuses = false;
  int stops = 0;

 private:
  std::function<void()> at_reading_;
};

class RecordTest : public testing::Test {
 protected:
  RecordTest() {
    add_sampled_process(os_);
    os_.set_child(sampled_pid);
  }

  Result<RecordingEnd> attached() {
    options_.request.pid = sampled_pid;
    return record(os_, machine_, source_, options_, pace_);
  }
  Result<RecordingEnd> started() {
    options_.request.program = {"solver", "-x"};
    return record(os_, machine_, source_, options_, pace_);
  }

  os::Fake os_;
  machine::Machine machine_ = sampled_machine();
  int readings_ = 0;
  bool stopped_ = false;
  std::function<void()> at_third_ = [this] { os_.end_process(sampled_pid, 3); };
  Scripted source_{[this] {
    if (++readings_ == 3) at_third_();
  }};
  std::chrono::nanoseconds now_{0};
  os::Pace pace_{[this] { return now_ += std::chrono::milliseconds(10); },
                 [](std::chrono::nanoseconds) {}, [this] { return stopped_; }};
  RecordingOptions options_{{.pid = 0, .program = {}, .output = "/out", .agent_folder = {}},
                            {{"pmu", "no PMU"}},
                            "",
                            "host",
                            {}};
};

TEST_F(RecordTest, ProgramThatEndsGivesItsExitCode) {
  const auto end = started();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_EQ(end->why, "program ended");
  EXPECT_EQ(source_.stops, 1);
  const Written written(os_);
  EXPECT_EQ(written.samples.size(), end->samples);
  EXPECT_NE(written.document("begin").find(R"("command":["solver","-x"])"), std::string::npos);
  EXPECT_NE(written.document("begin").find(R"("refused":{"pmu":"no PMU"})"), std::string::npos);
  EXPECT_NE(written.document("mappings"), "");
  EXPECT_NE(written.document("threads"), "");
  const std::string last = written.documents.back();
  EXPECT_NE(last.find(R"("faults_ns":7)"), std::string::npos);
  EXPECT_NE(last.find(R"("exit_code":3,"why":"program ended")"), std::string::npos);
}

TEST_F(RecordTest, StopEndsTheSamplingOfAProcessAndLeavesItAlone) {
  at_third_ = [this] { stopped_ = true; };
  const auto end = attached();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->why, "stopped");
  EXPECT_FALSE(end->exit_code);
  EXPECT_TRUE(os_.written().empty());  // No signal.
  EXPECT_NE(Written(os_).document("begin").find(R"("command":["solver","-x"])"), std::string::npos);
}

TEST_F(RecordTest, StopIsPassedOnToAProgramThatWasStarted) {
  at_third_ = [this] {
    stopped_ = true;
    readings_ = 2;  // Again at the next, where it ends.
    at_third_ = [this] { os_.end_process(sampled_pid, 143); };
  };
  const auto end = started();
  ASSERT_TRUE(end);
  EXPECT_EQ(os_.written(), (std::vector<std::string>{"100:" + std::to_string(SIGTERM)}));
  EXPECT_EQ(end->exit_code, 143);
}

TEST_F(RecordTest, TimeIsUpForTheSamplingAlone) {
  options_.longest = std::chrono::milliseconds(100);
  at_third_ = [] {};
  const auto end = attached();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->why, "time is up");
}

/// Each look at the clock takes 50 ms here, so that to read the lists costs as much.
TEST_F(RecordTest, ListsAreReadAsRarelyAsTheBudgetWants) {
  std::size_t reads[2] = {};
  const double overheads[2] = {1.0, 0.001};
  for (std::size_t i = 0; i < 2; ++i) {
    os::Fake fresh;
    const os::Pace slow{[this] { return now_ += std::chrono::milliseconds(50); },
                        [](std::chrono::nanoseconds) {}, [] { return false; }};
    add_sampled_process(fresh);
    options_.longest = std::chrono::seconds(20);
    options_.request.pid = sampled_pid;
    options_.request.overhead = overheads[i];
    now_ = {};
    at_third_ = [] {};
    ASSERT_TRUE(record(fresh, machine_, source_, options_, slow));
    reads[i] = fresh.count("list_folder");
  }
  EXPECT_GT(reads[0], reads[1]);
  EXPECT_LE(reads[1], 4U) << "at the beginning, once, and at the end";
}

TEST_F(RecordTest, SourceThatDoesNotStartLeavesNoProgram) {
  source_.refuses = true;
  EXPECT_FALSE(started());
  EXPECT_EQ(source_.stops, 1);
  EXPECT_EQ(os_.count("release"), 0U);
  EXPECT_EQ(os_.count("abandon"), 1U);
}

TEST_F(RecordTest, ProgramThatCannotBeExecutedIsSaid) {
  os_.fail_call("release", 1, ENOENT);
  const auto end = started();
  ASSERT_TRUE(end);
  ASSERT_TRUE(end->not_started);
  EXPECT_EQ(end->not_started->errno_value, ENOENT);
}

TEST_F(RecordTest, FullDiskEndsTheSamplingAndNotTheProgram) {
  at_third_ = [this] {
    os_.set_disk_bytes(10);
    os_.end_process(sampled_pid, 0);
  };
  const auto end = started();
  ASSERT_TRUE(end);
  ASSERT_TRUE(end->trouble);
  EXPECT_EQ(end->trouble->errno_value, ENOSPC);
  EXPECT_EQ(end->exit_code, 0);
}

TEST_F(RecordTest, VanishedProcessIsAnError) {
  os_.fail_call("open_process", 1, ESRCH);
  const auto end = attached();
  ASSERT_FALSE(end);
  EXPECT_NE(end.error().message().find("no process 100"), std::string::npos);
}

}  // namespace
}  // namespace homenode::sensing
