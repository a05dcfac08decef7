// Within the lab the plugin sees every access and counts. Of a program from its start on, the
// counts are for the host: this source only says what ran where in the address space, without which
// they have no names. Of a process that runs, it has the plugin count for a while and takes the
// samples that a processor would. It takes nothing from the program.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "base/marker.h"
#include "os/lab_clock.h"
#include "sensing/sources/lab_counts.h"
#include "sensing/sources/table.h"
#include "sensing/system_files.h"

namespace homenode::sensing {
namespace {

constexpr SourceFacts lab_facts{
    "lab",
    SampleSource::lab,
    "every access that misses a modelled private cache: thread, address, node, exactly; of a "
    "process that runs, samples of them",
    "what happens outside the region of interest, if the program marks one",
    "nothing for the program; the lab is slower than a machine",
    "to run within 'homenode lab run', with --samples for a process that runs"};

constexpr std::chrono::milliseconds look{10};
constexpr int most_looks = 1000;

std::string counts_file() {
  const char* const path = std::getenv(os::lab_counts_variable);
  return path == nullptr ? "" : path;
}

std::uint64_t bytes_of_file(os::Os& os, const std::string& path) {
  os::FileStatus status;
  return os.file_status(path, status) == 0 ? status.bytes : 0;
}

class Lab final : public Source {
 public:
  [[nodiscard]] const SourceFacts& facts() const override { return lab_facts; }

  [[nodiscard]] Result<void> check(os::Os& /*os*/, const SampleRequest& request) const override {
    if (!os::in_lab()) {
      return not_supported("this is no virtual machine of the lab",
                           "run it in one with 'homenode sample --machine NAME'");
    }
    if (request.pid == 0 || !counts_file().empty()) return {};
    return not_supported("this lab does not count by unit of memory",
                         "start it with 'homenode lab run --samples FILE'");
  }

  Result<void> start(Sampling& sampling, pid_t /*pid*/) override {
    if (sampling.request.pid != 0) hn_marker_begin_all();
    return {};
  }

  Result<void> collect(Sampling& sampling) override {
    sampling.processes.find_children();
    return {};
  }

  Result<void> stop(Sampling& sampling) override {
    if (sampling.request.pid == 0) return {};
    const std::string path = counts_file();
    const std::uint64_t before = bytes_of_file(sampling.os, path);
    hn_marker_end();
    const std::uint64_t after = wait_for_counts(sampling.os, path, before);
    if (after == before) {
      return not_supported("the lab did not count for this",
                           "sample where no region of interest of another program is open");
    }
    std::string blocks(after - before, '\0');
    const int read = sampling.os.read_file_at(path, before, blocks);
    if (read < 0) return failed("cannot read " + path, "take another source of samples", -read);
    blocks.resize(static_cast<std::size_t>(read));
    const auto samples = samples_of_counts(blocks, threads_of(sampling), samples_of_a_look);
    if (!samples) return samples.as_unexpected();
    return sampling.file.append(*samples);
  }

 private:
  /// The file's size once all is there: it is written while every virtual CPU stands still, but the
  /// host may have been asked for its size just then.
  static std::uint64_t wait_for_counts(os::Os& os, const std::string& path, std::uint64_t before) {
    std::uint64_t bytes = before;
    for (int looks = 0; looks < most_looks; ++looks) {
      os.wait_for_input({}, look);
      const std::uint64_t now = bytes_of_file(os, path);
      if (now > before && now == bytes) return now;
      bytes = now;
    }
    return before;
  }

  static ProcessOfThread threads_of(Sampling& sampling) {
    ProcessOfThread threads;
    for (const pid_t pid : sampling.processes.alive()) {
      std::vector<pid_t> tids;
      SystemFiles{sampling.os}.list_numbers(fmt::format("/proc/{}/task", pid), tids);
      for (const pid_t tid : tids) threads[tid] = pid;
    }
    return threads;
  }
};

}  // namespace

std::unique_ptr<Source> make_lab_source() {
  return std::make_unique<Lab>();
}

}  // namespace homenode::sensing
