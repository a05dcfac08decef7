// Soft-dirty bits: 4 in /proc/PID/clear_refs makes the kernel write-protect all pages of a process,
// so that the next write to each is a page fault, which the event of fault_events.h reports with
// the thread and the page. Nothing but the time of the faults changes for the program.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>

#include "base/sizes.h"
#include "base/words.h"
#include "sensing/sources/fault_events.h"
#include "sensing/sources/sample_documents.h"
#include "sensing/sources/table.h"

namespace homenode::sensing {
namespace {

constexpr SourceFacts soft_dirty_facts{
    "soft-dirty",
    SampleSource::soft_dirty,
    "the first write of a round to each page: thread, address, CPU, node of the page",
    "reads; which threads else write to a page in the same round; huge pages of hugetlbfs",
    "a page fault for each sample and a walk through the page tables for each round, spaced by "
    "--overhead",
    "CONFIG_MEM_SOFT_DIRTY; root, or your own process where kernel.perf_event_paranoid is 2 or "
    "less"};

/// Rounds are at least this far apart: each walks through all page tables of the program.
constexpr std::uint64_t shortest_round_ns = 100'000'000;

std::string clear_refs_of(pid_t pid) {
  return fmt::format("/proc/{}/clear_refs", pid);
}

/// The resident pages of a process; 0 where the kernel does not say.
std::uint64_t resident_pages(os::Os& os, pid_t pid) {
  std::string text;
  if (os.read_file(fmt::format("/proc/{}/statm", pid), text) < 0) return 0;
  std::string_view rest = text;
  take_word(rest);
  return number_in(take_word(rest)).value_or(0);
}

/// A kernel without soft-dirty bits takes the 4 all the same, but does not set bit 55 in pagemap of
/// a page that was written to.
Result<bool> has_soft_dirty(os::Os& os) {
  void* memory = nullptr;
  if (const int error = os.map_memory(os.page_bytes(), memory)) {
    return failed("there is no memory to try soft-dirty bits with", "free some memory", -error);
  }
  *static_cast<volatile char*>(memory) = 1;
  std::uint64_t entry = 0;
  const std::uint64_t page = reinterpret_cast<std::uintptr_t>(memory) / os.page_bytes();
  const int read = os.read_file_at("/proc/self/pagemap", page * sizeof entry,
                                   {reinterpret_cast<char*>(&entry), sizeof entry});
  os.unmap_memory(memory, os.page_bytes());
  constexpr int soft_dirty_bit = 55;
  return read == sizeof entry && (entry >> soft_dirty_bit & 1) != 0;
}

class SoftDirty final : public Source {
 public:
  [[nodiscard]] const SourceFacts& facts() const override { return soft_dirty_facts; }

  [[nodiscard]] Result<void> check(os::Os& os, const SampleRequest& request) const override {
    const auto kernel_has_it = has_soft_dirty(os);
    if (!kernel_has_it) return kernel_has_it.as_unexpected();
    if (!*kernel_has_it) {
      return not_supported("this kernel has no soft-dirty bits",
                           "use a kernel with CONFIG_MEM_SOFT_DIRTY, as Debian's, on x86, or "
                           "another source");
    }
    return FaultEvents::check(os, request.pid);
  }

  Result<void> start(Sampling& sampling, pid_t pid) override {
    auto faults = FaultEvents::open(sampling, pid);
    if (!faults) return faults.as_unexpected();
    faults_ = std::move(*faults);
    return {};
  }

  [[nodiscard]] std::vector<int> descriptors() const override { return faults_->descriptors(); }

  Result<void> collect(Sampling& sampling) override {
    if (auto done = write_faults(sampling); !done) return done;
    const std::uint64_t now = sampling.now_ns();
    const std::uint64_t expected = round_ == 0 ? first_cost(sampling) : round_cost_ns_;
    if (now - round_began_ns_ < shortest_round_ns) return {};
    if (!sampling.budget.allows(expected)) {
      sampling.budget.set_refused_ns(expected);
      return {};
    }
    if (auto done = end_round(sampling, now); !done) return done;
    return arm(sampling);
  }

  Result<void> stop(Sampling& sampling) override {
    if (faults_ == nullptr) return {};
    auto done = write_faults(sampling);
    if (done) done = end_round(sampling, sampling.now_ns());
    faults_->close();
    return done;
  }

 private:
  struct Armed {
    pid_t pid = 0;
    std::uint64_t at_ns = 0;
    std::uint64_t pages = 0;
  };

  /// The most that a round can cost: all pages are written to.
  [[nodiscard]] std::uint64_t first_cost(const Sampling& sampling) const {
    std::uint64_t pages = 0;
    for (const pid_t pid : sampling.processes.alive()) pages += resident_pages(sampling.os, pid);
    return pages * faults_->fault_ns();
  }

  Result<void> write_faults(Sampling& sampling) {
    std::vector<Sample> samples;
    for (const PageFault& fault : faults_->read(sampling)) {
      Sample sample = sample_of(fault, sampling.nodes);
      sample.source = SampleSource::soft_dirty;
      if (fault.was_present) add_exposure(sample, sampling.budget);
      samples.push_back(sample);
    }
    if (samples.empty()) return {};
    find_memory_nodes(sampling.os, samples);
    return sampling.file.append(samples);
  }

  /// A fault on a page that was there is a write: the page was armed, or shared for copying.
  void add_exposure(Sample& sample, Budget& budget) {
    sample.operation = SampleOperation::write;
    const auto armed = std::find_if(armed_.begin(), armed_.end(), [&](const Armed& process) {
      return process.pid == static_cast<pid_t>(sample.pid);
    });
    if (armed == armed_.end()) return;
    sample.flags |= sample_first_touch | sample_masked;
    sample.round = static_cast<std::uint16_t>(round_);
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    const std::uint64_t after = sample.time_ns > armed->at_ns ? sample.time_ns - armed->at_ns : 1;
    sample.weight = static_cast<std::uint32_t>(std::min(after, most));
    round_cost_ns_ += faults_->fault_ns();
    budget.add_faults_ns(faults_->fault_ns());
  }

  Result<void> end_round(Sampling& sampling, std::uint64_t now) {
    for (const Armed& process : armed_) {
      const auto done = sampling.file.append_document(
          round_document({round_, process.pid, process.at_ns, now, process.pages}));
      if (!done) return done;
    }
    armed_.clear();
    return {};
  }

  Result<void> arm(Sampling& sampling) {
    ++round_;
    const std::uint64_t began = sampling.now_ns();
    for (const pid_t pid : sampling.processes.alive()) {
      const std::uint64_t pages = resident_pages(sampling.os, pid);
      const int error = sampling.os.write_file(clear_refs_of(pid), "4");
      if (error == -ENOENT || error == -ESRCH) {
        sampling.processes.end_process(pid);
      } else if (error != 0) {
        return not_supported(fmt::format("cannot clear the soft-dirty bits of process {}", pid),
                             "run it as the process's user or as root", -error);
      } else {
        armed_.push_back({pid, sampling.now_ns(), pages});
      }
    }
    round_began_ns_ = sampling.now_ns();
    round_cost_ns_ = round_began_ns_ - began;  // Its faults come on top. The next may be like it.
    return {};
  }

  std::unique_ptr<FaultEvents> faults_;
  unsigned round_ = 0;
  std::uint64_t round_began_ns_ = 0;
  std::uint64_t round_cost_ns_ = 0;
  std::vector<Armed> armed_;
};

}  // namespace

std::unique_ptr<Source> make_soft_dirty_source() {
  return std::make_unique<SoftDirty>();
}

}  // namespace homenode::sensing
