// GPUs through the CUDA driver's interface, by a driver made for tests (fake_cuda.c).
#include <gtest/gtest.h>

#include <cstdlib>

#include "../fake_clock.h"
#include "measure/derived.h"
#include "measure/gpus/driver.h"
#include "measure/measure.h"
#include "support/machines.h"

namespace homenode::measure {
namespace {

/// The driver fails at what the word names, while this lives.
class Failing {
 public:
  explicit Failing(const char* what) { setenv("FAKE_CUDA", what, 1); }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;
  ~Failing() { unsetenv("FAKE_CUDA"); }
};

/// The fake kernel of odd_machine(), whose gpu0 is the driver's.
Result<Report> measured(GpuDriver* driver) {
  os::Fake os{odd_kernel()};
  os.set_root("/nonexistent");
  os.set_file("/proc/meminfo", "MemAvailable: 4194304 kB\n");
  FakeClock clock(millisecond_ps, false);
  machine::Machine machine = odd_machine();
  machine.devices.push_back({"gpu0", "gpu", "0000:af:00.0", NodeSet{NodeId(7)}});
  Request request;
  request.latency = request.bandwidth = request.loaded = request.weights = false;
  request.size = Bytes{4U << 20U};
  return measure_machine({os, clock, {}, driver}, machine, request);
}

/// What the report says of GPUs; the odd machine is worth some notes too.
std::vector<std::string> gpu_notes(const Report& report) {
  std::vector<std::string> notes;
  for (const std::string& note : report.notes) {
    if (note.find("CUDA") != std::string::npos || note.find("GPU") != std::string::npos) {
      notes.push_back(note);
    }
  }
  return notes;
}

TEST(Gpus, AreMeasuredFromTheMemoryOfEveryNode) {
  const auto driver = open_cuda(FAKE_CUDA_LIBRARY);
  ASSERT_TRUE(driver) << driver.error().message();
  ASSERT_NE(*driver, nullptr);
  EXPECT_EQ((*driver)->name(), "CUDA 13.2");
  const auto report = measured(driver->get());
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(report->gpus.size(), 1U);
  EXPECT_EQ(report->gpus[0].name, "gpu0");
  EXPECT_EQ(report->gpus[0].model, "A GPU for tests");
  EXPECT_EQ(report->gpus[0].nodes, NodeSet{NodeId(7)});
  EXPECT_EQ(report->plan.figures(), 3 * report->plan.targets.size());
  const auto medians = gpu_medians(report->gpus[0]);
  ASSERT_EQ(medians.size(), report->plan.targets.size());
  for (std::size_t i = 0; i < medians.size(); ++i) {
    EXPECT_EQ(medians[i].node, report->plan.targets[i]);
    EXPECT_NEAR(medians[i].to_mibs, 10e9 / (1U << 20U), 10.0);
    EXPECT_NEAR(medians[i].from_mibs, 20e9 / (1U << 20U), 20.0);
    EXPECT_NEAR(medians[i].latency_ns, 800.0, 1.0);
  }
}

TEST(Gpus, OfADriverThatPinsNoMemoryAreANote) {
  const auto driver = open_cuda(FAKE_CUDA_LIBRARY);
  ASSERT_TRUE(driver && *driver != nullptr);
  const Failing failing("pin");
  const auto report = measured(driver->get());
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_TRUE(report->gpus[0].figures.empty());
  const auto notes = gpu_notes(*report);
  ASSERT_EQ(notes.size(), report->plan.targets.size());
  EXPECT_NE(notes.front().find("gpu0 and node"), std::string::npos);
  EXPECT_NE(notes.front().find("pin memory of this process: out of memory (2)"), std::string::npos);
}

TEST(Gpus, WithoutACompilerHaveBandwidthsAlone) {
  const auto driver = open_cuda(FAKE_CUDA_LIBRARY);
  ASSERT_TRUE(driver && *driver != nullptr);
  for (const char* what : {"compile", "address"}) {
    const Failing failing(what);
    const auto report = measured(driver->get());
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(gpu_notes(*report).size(), 1U) << what;
    ASSERT_FALSE(report->gpus[0].figures.empty());
    EXPECT_EQ(report->gpus[0].figures.front().latency_ns.runs, 0U);
    EXPECT_EQ(report->gpus[0].figures.front().to_mibs.runs, 5U);
  }
}

TEST(Gpus, AreNoneWithoutADriverOrInIt) {
  const auto no_library = open_cuda("libhomenode-no-such-driver.so");
  ASSERT_TRUE(no_library);
  EXPECT_EQ(*no_library, nullptr);
  const Failing failing("none");
  const auto no_gpu = open_cuda(FAKE_CUDA_LIBRARY);
  ASSERT_TRUE(no_gpu);
  EXPECT_EQ(*no_gpu, nullptr);
}

TEST(Gpus, OfADriverThatDoesNotStartAreAnError) {
  const Failing failing("init");
  const auto driver = open_cuda(FAKE_CUDA_LIBRARY);
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().message(),
            "the CUDA driver cannot start: made to fail (999); see whether 'nvidia-smi' works");
}

TEST(Gpus, OfALibraryThatIsNoDriverAreAnError) {
  EXPECT_FALSE(open_cuda("libm.so.6"));
}

}  // namespace
}  // namespace homenode::measure
