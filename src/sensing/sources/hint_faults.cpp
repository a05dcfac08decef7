// NUMA hint faults: automatic balancing makes the kernel take away the access to some pages every
// second or so, and learn from the fault which thread uses each. The event of fault_events.h
// reports the same faults. Where balancing is off it is switched on meanwhile, if the person asked
// for this source; guard processes put back what it changed, also when the sampler is killed.
// Beyond the budget sampling rests: balancing is switched off where this switched it on, and the
// event where the kernel balances anyway.
//
// The kernel looks once a second at a program's pages at first, and ever more seldom where they
// seem to be in their place, or where its threads share them. Where this source switches balancing
// on it has the kernel look more often.
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/words.h"
#include "machine/kernel_files.h"
#include "sensing/sources/fault_events.h"
#include "sensing/sources/table.h"

namespace homenode::sensing {
namespace {

constexpr const char* balancing_file = "/proc/sys/kernel/numa_balancing";
/// The least and the most time between two looks at a page, in ms: in debugfs, on Linux 5.12 and
/// before sysctls.
constexpr std::array<std::array<const char*, 2>, 2> period_files{
    {{"/sys/kernel/debug/sched/numa_balancing/scan_period_min_ms",
      "/sys/kernel/debug/sched/numa_balancing/scan_period_max_ms"},
     {"/proc/sys/kernel/numa_balancing_scan_period_min_ms",
      "/proc/sys/kernel/numa_balancing_scan_period_max_ms"}}};
/// Where threads share most pages the kernel multiplies the period with their number. It never
/// looks at more than 256 MiB (numa_balancing/scan_size_mb) in that time.
constexpr const char* short_period_ms = "100";
constexpr std::uint64_t short_period_ns = 100'000'000;
/// The kernel looks at a thread's pages once a second at first, so less shows nothing.
constexpr std::uint64_t shortest_look_ns = 1'000'000'000;

constexpr SourceFacts hint_facts{
    "hint-faults",
    SampleSource::hint_faults,
    "the first use, read or write, of each page that the kernel's balancing looks at: thread, "
    "address, CPU, node of the page before the fault where its first use or an earlier fault was "
    "seen, else afterwards",
    "when the kernel armed the page; memory with a policy of its own (numactl, --place), huge "
    "pages "
    "of hugetlbfs, files that are only read; the first second of a program",
    "a page fault for each sample, spaced by --overhead; what --overhead does not count is the "
    "kernel's arming, at most about 3 % of the program's time, and the pages that it moves",
    "several nodes; kernel.numa_balancing, or root and to be named to switch it on meanwhile"};

/// The file's first line; nothing where it cannot be read.
std::optional<std::string> setting_in(os::Os& os, const char* file) {
  std::string text;
  if (os.read_file(file, text) < 0) return std::nullopt;
  std::string_view rest = text;
  return std::string(trimmed(take_line(rest)));
}

Result<std::string> read_balancing(os::Os& os) {
  if (auto now = setting_in(os, balancing_file)) return std::move(*now);
  return not_supported("this kernel has no automatic NUMA balancing",
                       "use a kernel with CONFIG_NUMA_BALANCING, or another source");
}

Result<void> check_nodes(os::Os& os) {
  NodeSet nodes;
  if (machine::read_node_list(os, "has_memory", nodes) == 0 && nodes.size() > 1) return {};
  return not_supported("the kernel balances nothing: this machine has one NUMA node",
                       "use another source");
}

/// Where each page was when it was last seen. The kernel may move a page in its fault, so what can
/// be asked for afterwards is not where the access went.
class LastNodes {
 public:
  /// How often the kernel looks at a page at most, where that is not as by default.
  void expect_looks_every(std::uint64_t nanoseconds) { between_looks_ns_ = nanoseconds; }

  /// Writes the node of the sample's page at its fault, given that it has the node afterwards.
  /// False where the fault is none of the kernel's looks at the page, but follows from one: other
  /// threads wait for a page that is moved, and its first writer has to be allowed to write anew.
  bool take(Sample& sample, std::uint64_t page_bytes) {
    constexpr std::size_t most = std::size_t{1} << 22;
    const std::uint64_t key = sample.address / page_bytes | static_cast<std::uint64_t>(sample.pid)
                                                                << pid_shift;
    const auto known = pages_.find(key);
    const std::uint16_t after = sample.memory_node;
    if (known == pages_.end()) {
      if (pages_.size() == most) pages_.clear();
      pages_.emplace(key, Page{sample.time_ns, sample.tid, sample.cpu_node, after, after});
      return true;
    }
    Page& page = known->second;
    const bool follows = sample.time_ns < page.time_ns + between_looks_ns_ / 2;
    if (!follows) {
      const bool armed = (sample.flags & sample_first_touch) != 0;
      if (armed && page.after != unknown_sample_id) sample.memory_node = page.after;
      page = {sample.time_ns, sample.tid, sample.cpu_node, sample.memory_node, page.after};
    }
    if (after != unknown_sample_id) page.after = after;
    return !follows;
  }

  /// A sample that closes the time of each page that was moved when it was last used.
  [[nodiscard]] std::vector<Sample> closing(std::uint64_t now_ns, std::uint64_t page_bytes) const {
    std::vector<Sample> samples;
    for (const auto& [key, page] : pages_) {
      if (page.before == page.after) continue;
      Sample sample;
      sample.time_ns = now_ns;
      sample.address = (key & ((std::uint64_t{1} << pid_shift) - 1)) * page_bytes;
      sample.pid = static_cast<std::uint32_t>(key >> pid_shift);
      sample.tid = page.tid;
      sample.cpu_node = page.cpu_node;
      sample.memory_node = page.after;
      sample.source = SampleSource::hint_faults;
      sample.flags = sample_closing;
      samples.push_back(sample);
    }
    return samples;
  }

 private:
  /// Of the last fault that was taken.
  struct Page {
    std::uint64_t time_ns = 0;
    std::uint32_t tid = 0;
    std::uint16_t cpu_node = unknown_sample_id;
    std::uint16_t before = unknown_sample_id;  ///< The node at that fault.
    std::uint16_t after = unknown_sample_id;   ///< And since.
  };
  static constexpr unsigned pid_shift = 40;         // Above the numbers of user pages.
  std::uint64_t between_looks_ns_ = 1'000'000'000;  // By default (scan_period_min_ms).
  std::unordered_map<std::uint64_t, Page> pages_;
};

class HintFaults final : public Source {
 public:
  [[nodiscard]] const SourceFacts& facts() const override { return hint_facts; }

  [[nodiscard]] Result<void> check(os::Os& os, const SampleRequest& request) const override {
    if (auto several = check_nodes(os); !several) return several;
    const auto balancing = read_balancing(os);
    if (!balancing) return balancing.as_unexpected();
    if (*balancing == "0" && !request.named) {
      return not_supported("automatic NUMA balancing is off",
                           "'--with hint-faults' switches it on meanwhile");
    }
    // To write what is there changes nothing, and shows whether more may be written.
    if (const int error = *balancing == "0" ? os.write_file(balancing_file, "0") : 0) {
      return not_supported("cannot switch automatic NUMA balancing on", "run it as root", -error);
    }
    return FaultEvents::check(os, request.pid);
  }

  Result<void> start(Sampling& sampling, pid_t pid) override {
    auto faults = FaultEvents::open(sampling, pid);
    if (!faults) return faults.as_unexpected();
    faults_ = std::move(*faults);
    look_began_ns_ = sampling.now_ns();
    return switch_on(sampling.os);
  }

  [[nodiscard]] std::vector<int> descriptors() const override { return faults_->descriptors(); }

  Result<void> collect(Sampling& sampling) override {
    if (auto done = write_faults(sampling); !done) return done;
    return keep_to_budget(sampling);
  }

  Result<void> stop(Sampling& sampling) override {
    if (faults_ == nullptr) return {};
    auto done = write_faults(sampling);
    faults_->close();
    const auto closing = last_nodes_.closing(sampling.now_ns(), sampling.os.page_bytes());
    if (done) done = sampling.file.append(closing);
    for (; !changed_.empty(); changed_.pop_back()) {
      Changed& last = changed_.back();
      const int error = sampling.os.end_guard(last.guard);
      if (error == 0 || !done) continue;
      done = failed(fmt::format("cannot put {} back to {}", last.file, last.before),
                    fmt::format("'echo {} > {}' does it", last.before, last.file), -error);
    }
    return done;
  }

 private:
  Result<void> write_faults(Sampling& sampling) {
    std::vector<Sample> samples;
    for (const PageFault& fault : faults_->read(sampling)) {
      Sample sample = sample_of(fault, sampling.nodes);
      sample.source = SampleSource::hint_faults;
      if (fault.was_present) {
        sample.flags |= sample_first_touch | sample_masked;
        // Where the kernel balances anyway, the program has these faults without a sampler too.
        if (switched_on()) sampling.budget.add_faults_ns(faults_->fault_ns());
      }
      sample.memory_node = unknown_sample_id;
      samples.push_back(sample);
    }
    if (samples.empty()) return {};
    find_memory_nodes(sampling.os, samples);
    std::erase_if(samples, [&](Sample& sample) {
      return !last_nodes_.take(sample, sampling.os.page_bytes());
    });
    return sampling.file.append(samples);
  }

  Result<void> switch_on(os::Os& os) {
    const auto before = read_balancing(os);
    if (!before) return before.as_unexpected();
    if (*before != "0") return {};
    if (const int error = guard(os, balancing_file, *before)) {
      return failed("cannot start the process that switches balancing off again",
                    "free memory, or raise the limit on processes (ulimit -u)", -error);
    }
    look_often(os);
    return balance(os, true);
  }

  /// Makes sure that the setting gets back what it has, however this ends.
  int guard(os::Os& os, const char* file, const std::string& before) {
    os::Guard guard;
    if (const int error = os.start_guard(file, before, guard)) return error;
    changed_.push_back({file, before, guard});
    return 0;
  }

  /// Has the kernel look more often, where that can be set: else there are fewer samples.
  void look_often(os::Os& os) {
    for (const auto& [least, most] : period_files) {
      const auto least_before = setting_in(os, least);
      const auto most_before = setting_in(os, most);
      if (!least_before || !most_before) continue;
      if (guard(os, least, *least_before) != 0 || guard(os, most, *most_before) != 0) return;
      if (os.write_file(least, short_period_ms) != 0) return;
      if (os.write_file(most, short_period_ms) != 0) return;
      last_nodes_.expect_looks_every(short_period_ns);
      return;
    }
  }

  [[nodiscard]] bool switched_on() const { return !changed_.empty(); }

  static Result<void> balance(os::Os& os, bool on) {
    const int error = os.write_file(balancing_file, on ? "1" : "0");
    if (error == 0) return {};
    return not_supported(
        fmt::format("cannot switch automatic NUMA balancing {}", on ? "on" : "off"),
        "run it as root", -error);
  }

  /// Rests once a look of a second or more has gone beyond the budget, until that has room for
  /// another look like it.
  Result<void> keep_to_budget(Sampling& sampling) {
    const Budget& budget = sampling.budget;
    const std::uint64_t now = sampling.now_ns();
    if (looks_) {
      if (now - look_began_ns_ < shortest_look_ns || budget.allows(0)) return {};
      look_cost_ns_ = budget.spent_ns() - spent_before_ns_;
    } else {
      // Their start is not reported meanwhile.
      if (!switched_on()) sampling.processes.find_children();
      if (!budget.allows(look_cost_ns_)) return {};
      look_began_ns_ = now;
      spent_before_ns_ = budget.spent_ns();
    }
    looks_ = !looks_;
    if (switched_on()) return balance(sampling.os, looks_);
    faults_->control(looks_ ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE);
    return {};
  }

  /// A setting of the kernel that is another one while this samples.
  struct Changed {
    const char* file;
    std::string before;
    os::Guard guard;
  };

  std::unique_ptr<FaultEvents> faults_;
  std::vector<Changed> changed_;
  LastNodes last_nodes_;
  bool looks_ = true;  ///< Else it rests.
  std::uint64_t look_began_ns_ = 0;
  std::uint64_t spent_before_ns_ = 0;  ///< The look.
  std::uint64_t look_cost_ns_ = 0;     ///< Of the last one.
};

}  // namespace

std::unique_ptr<Source> make_hint_faults_source() {
  return std::make_unique<HintFaults>();
}

}  // namespace homenode::sensing
