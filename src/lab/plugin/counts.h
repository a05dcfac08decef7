// The counts of one finished region of interest, and the line of JSON (schema "homenode.counts/2")
// in which the plugin hands them to the lab's driver.
#pragma once

#include <map>
#include <span>
#include <string>

#include "base/result.h"
#include "lab/plugin/vcpu_account.h"
#include "lab/timing/timekeeper.h"

namespace homenode::lab {

/// The ranks that threads announced.
using Ranks = std::map<ThreadKey, std::uint64_t>;

/// The threads of a region, numbered by thread pointers from the highest: as a rule the order in
/// which glibc created them.
using ThreadNumbers = std::map<ThreadKey, std::size_t>;
[[nodiscard]] ThreadNumbers number_threads(std::span<const VcpuAccount> vcpus,
                                           const Timekeeper* time);

/// What is known of the region besides the vCPUs' accounts.
struct RegionSummary {
  unsigned number = 1;  ///< Counted from 1 since the machine was started.
  Scope scope = Scope::process;
  bool ended_by_marker = true;
  bool provisional = false;  ///< No other region took its place.
  bool registers = true;     ///< Whether this QEMU lets the plugin read registers.
  CacheShape cache;
  std::span<const NodeId> nodes;
};

/// One line, ending with a newline; `time` is null where none was modelled.
/// pre: each account has as many node counters as there are nodes; `numbers` are of the same vCPUs.
[[nodiscard]] std::string counts_line(const RegionSummary& summary,
                                      std::span<const VcpuAccount> vcpus, const Ranks& ranks,
                                      const ThreadNumbers& numbers, const Timekeeper* time);

/// The file to which the plugin appends its counts, one line per region of interest.
class CountsFile {
 public:
  /// Opens the file for appending, creating it if need be. Error: it cannot be written.
  [[nodiscard]] static Result<CountsFile> open(const std::string& path);

  /// Appends one line at once, so that a reader sees it as soon as the region ends. Errors: the
  /// disk is full, the file cannot be written; part of the line may then be in the file.
  [[nodiscard]] Result<void> append(const std::string& line) const;

 private:
  CountsFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_;  ///< Open until the process ends.
  std::string path_;
};

}  // namespace homenode::lab
