// What is always there: the processor time of each thread, and how many pages of the process each
// node has. Their product is a matrix without addresses: it holds if all threads use all pages
// alike, and says no more than that.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/sizes.h"
#include "base/words.h"
#include "sensing/numa_maps.h"
#include "sensing/sources/sample_documents.h"
#include "sensing/sources/table.h"
#include "sensing/system_files.h"

namespace homenode::sensing {
namespace {

constexpr SourceFacts sched_facts{
    "sched",
    SampleSource::sched,
    "processor time of each thread, and how many pages each node has",
    "which thread uses which page: it supposes that all use all alike",
    "reading numa_maps, at most ten times a second and as often as --overhead lets it",
    "your own process, or root"};

constexpr std::uint64_t shortest_pause_ns = 100'000'000;

/// Nanoseconds on a processor, the first number of schedstat; 0 where the kernel does not say.
std::uint64_t thread_cpu_ns(os::Os& os, pid_t pid, pid_t tid) {
  std::string text;
  if (os.read_file(fmt::format("/proc/{}/task/{}/schedstat", pid, tid), text) < 0) return 0;
  std::string_view rest = text;
  return number_in(take_word(rest)).value_or(0);
}

/// Bytes of a process on each node; empty for one that has ended.
std::map<unsigned, double> bytes_by_node(os::Os& os, pid_t pid) {
  std::map<unsigned, double> bytes;
  std::string text;
  if (os.read_file(fmt::format("/proc/{}/numa_maps", pid), text) < 0) return bytes;
  for (const NumaMapping& mapping : parse_numa_maps(text).mappings) {
    for (const auto& [node, pages] : mapping.pages) {
      bytes[node.value()] += static_cast<double>(bytes_of(pages, mapping.page_size).value);
    }
  }
  return bytes;
}

class Sched final : public Source {
 public:
  [[nodiscard]] const SourceFacts& facts() const override { return sched_facts; }

  [[nodiscard]] Result<void> check(os::Os& os, const SampleRequest& request) const override {
    const std::string of = request.pid == 0 ? "self" : std::to_string(request.pid);
    std::string text;
    const int error = os.read_file(fmt::format("/proc/{}/numa_maps", of), text);
    if (error == 0) return {};
    return not_supported("cannot read where the pages of the process are (numa_maps)",
                         "run it as the process's user or as root, on a kernel with CONFIG_NUMA",
                         -error);
  }

  Result<void> start(Sampling& /*sampling*/, pid_t /*pid*/) override { return {}; }

  Result<void> collect(Sampling& sampling) override {
    sampling.processes.find_children();
    const std::uint64_t now = sampling.now_ns();
    const bool first = read_ns_ == 0;
    if (!first && (now - read_ns_ < shortest_pause_ns || !sampling.budget.allows(cost_ns_))) {
      return {};
    }
    // What a thread that was there used before sampling began is not of this time.
    const bool forget = first && sampling.request.pid != 0;
    for (const pid_t pid : sampling.processes.alive()) read(sampling.os, pid, forget);
    read_ns_ = sampling.now_ns();
    cost_ns_ = read_ns_ - now;
    return {};
  }

  Result<void> stop(Sampling& sampling) override {
    for (const pid_t pid : sampling.processes.alive()) read(sampling.os, pid, false);
    for (const auto& [pid, used] : used_) {
      if (auto done = write(sampling, pid, used); !done) return done;
    }
    return {};
  }

 private:
  struct Thread {
    std::uint64_t cpu_ns = 0;
    std::map<unsigned, double> by_node;
  };
  using Threads = std::map<pid_t, Thread>;

  void read(os::Os& os, pid_t pid, bool forget) {
    const auto bytes = bytes_by_node(os, pid);
    double all = 0;
    for (const auto& [node, amount] : bytes) all += amount;
    std::vector<pid_t> tids;
    if (all == 0 || SystemFiles{os}.list_numbers(fmt::format("/proc/{}/task", pid), tids) < 0) {
      return;
    }
    for (const pid_t tid : tids) {
      Thread& thread = used_[pid][tid];
      const std::uint64_t cpu_ns = thread_cpu_ns(os, pid, tid);
      const std::uint64_t since = forget || cpu_ns < thread.cpu_ns ? 0 : cpu_ns - thread.cpu_ns;
      thread.cpu_ns = cpu_ns;
      for (const auto& [node, amount] : bytes) {
        thread.by_node[node] += static_cast<double>(since) * amount / all;
      }
    }
  }

  static Result<void> write(Sampling& sampling, pid_t pid, const Threads& threads) {
    SampleMatrix matrix{
        pid, sampling.now_ns(),
        {},  {},
        {},  "processor time in nanoseconds times the share of the process's pages"};
    std::map<unsigned, std::size_t> column;
    for (const auto& [tid, thread] : threads) {
      for (const auto& [node, value] : thread.by_node) column.try_emplace(node, 0);
    }
    for (auto& [node, index] : column) {
      index = matrix.nodes.size();
      matrix.nodes.push_back(node);
    }
    for (const auto& [tid, thread] : threads) {
      matrix.threads.push_back(tid);
      auto& row = matrix.cells.emplace_back(matrix.nodes.size(), 0.0);
      for (const auto& [node, value] : thread.by_node) row[column.at(node)] = value;
    }
    return sampling.file.append_document(matrix_document(matrix));
  }

  std::map<pid_t, Threads> used_;
  std::uint64_t read_ns_ = 0;
  std::uint64_t cost_ns_ = 0;
};

}  // namespace

std::unique_ptr<Source> make_sched_source() {
  return std::make_unique<Sched>();
}

}  // namespace homenode::sensing
