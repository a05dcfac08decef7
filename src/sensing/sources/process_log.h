// The processes that are sampled: which there are, their threads and their mappings, written to the
// sample file whenever they have changed. Serves the sources of samples.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/os.h"
#include "sensing/sources/sample_file.h"

namespace homenode::sensing {

/// A line of /proc/PID/maps.
struct SampledMapping {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string permissions;  ///< "rw-p".
  std::uint64_t offset = 0;
  std::string path;
  friend bool operator==(const SampledMapping&, const SampledMapping&) = default;
};

/// Lines of another form are skipped. Pure.
std::vector<SampledMapping> parse_sampled_mappings(std::string_view maps);

class ProcessLog {
 public:
  ProcessLog(os::Os& os, SampleFile& file) : os_(os), file_(file) {}

  /// A process begins, or executes another program.
  void add_process(pid_t pid);
  /// A thread, which may end before its name can be read.
  void add_thread(pid_t pid, pid_t tid, const std::string& name = {});
  /// A mapping that was made; of a process that ends before its mappings can be read again it is
  /// what is known.
  void add_mapping(pid_t pid, SampledMapping mapping);
  void end_process(pid_t pid);
  /// Adds the children of those that are known, for sources to which nobody reports them.
  void find_children();

  /// Reads what may have changed, of `all` processes or of those with news, and writes what has.
  /// Errors: those of the file.
  Result<void> write_changes(std::uint64_t now_ns, bool all);

  /// Those that have not ended.
  [[nodiscard]] std::vector<pid_t> alive() const;
  /// The processor time of all, ended ones as far as it was read, in nanoseconds.
  std::uint64_t cpu_ns();

 private:
  struct Process {
    bool ended = false;
    bool mappings_changed = true;
    bool threads_changed = true;
    std::vector<SampledMapping> mappings;       // As written last.
    std::vector<SampledMapping> seen_mappings;  // Since then.
    std::map<pid_t, std::string> threads;
    std::uint64_t cpu_ns = 0;
  };
  Result<void> write_mappings(pid_t pid, Process& process, std::uint64_t now_ns);
  Result<void> write_threads(pid_t pid, Process& process, std::uint64_t now_ns);
  void read_threads(pid_t pid, Process& process);

  os::Os& os_;
  SampleFile& file_;
  std::map<pid_t, Process> processes_;
};

}  // namespace homenode::sensing
