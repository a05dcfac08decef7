// The processor's own samples of loads and stores: Intel's PEBS, AMD's IBS or Arm's SPE. Nothing is
// armed and the program waits for nothing; each sample is one access, with the level that answered
// it.
#include <memory>
#include <utility>

#include "sensing/sources/pmu/sampler.h"
#include "sensing/sources/table.h"

namespace homenode::sensing {
namespace {

constexpr SourceFacts pmu_facts{
    "pmu",
    SampleSource::pmu,
    "loads of 30 cycles or more and stores (Intel), or any loads and stores (AMD, Arm): thread, "
    "address, CPU, instruction, latency, and the cache or memory that answered",
    "loads that an Intel CPU's own caches answer; what prefetchers and the kernel access; on Arm, "
    "when within a time slice it was",
    "about 4 us for each sample; --overhead sets how many are taken",
    "a PMU that samples addresses, which few virtual machines have, and CAP_PERFMON or root; on a "
    "machine without, record elsewhere and 'homenode profile --import FILE'"};

class Pmu final : public Source {
 public:
  [[nodiscard]] const SourceFacts& facts() const override { return pmu_facts; }

  [[nodiscard]] Result<void> check(os::Os& os, const SampleRequest& request) const override {
    const auto events = find_pmu_events(os);
    if (!events) return events.as_unexpected();
    return PmuSampler::check(os, *events, request.pid);
  }

  Result<void> start(Sampling& sampling, pid_t pid) override {
    auto events = find_pmu_events(sampling.os);
    if (!events) return events.as_unexpected();
    sampler_ = std::make_unique<PmuSampler>(sampling.os, *std::move(events));
    rated_ns_ = sampling.now_ns();
    return sampler_->open(sampling, pid, sampling.request.pid == 0);
  }

  [[nodiscard]] std::vector<int> descriptors() const override { return sampler_->descriptors(); }

  Result<void> collect(Sampling& sampling) override {
    constexpr std::uint64_t second = 1'000'000'000;
    const std::uint64_t now = sampling.now_ns();
    if (now - rated_ns_ >= second) {
      rated_ns_ = now;
      sampler_->keep_within_budget(sampling);
    }
    return sampling.file.append(sampler_->read(sampling));
  }

  Result<void> stop(Sampling& sampling) override {
    if (sampler_ == nullptr) return {};
    auto done = collect(sampling);
    sampler_->close();
    return done;
  }

 private:
  std::unique_ptr<PmuSampler> sampler_;
  std::uint64_t rated_ns_ = 0;
};

}  // namespace

std::unique_ptr<Source> make_pmu_source() {
  return std::make_unique<Pmu>();
}

}  // namespace homenode::sensing
