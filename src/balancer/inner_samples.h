// Samples that a program takes of itself: a source's library, preloaded where the balancer starts
// the program, writes them to a file. Here they are read as they come. Serves the loop.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/sample.h"
#include "os/os.h"
#include "sensing/sources/sample_file.h"
#include "sensing/sources/source.h"

namespace homenode::balancer {

/// Not thread safe. Its end removes the file.
class InnerSamples {
 public:
  /// Of each process; of more the oldest are dropped.
  static constexpr std::size_t most_samples = 65536;
  static constexpr int most_waits = 12;

  InnerSamples(const InnerSamples&) = delete;
  InnerSamples& operator=(const InnerSamples&) = delete;
  ~InnerSamples();

  [[nodiscard]] const sensing::SourceFacts& facts() const { return source_->facts(); }
  /// What the program's environment has to hold.
  [[nodiscard]] const sensing::Environment& environment() const { return environment_; }
  /// The samples of a process since they were forgotten last.
  std::vector<Sample> samples_of(pid_t pid);
  /// Whether a look may wait for more of them: true for most_waits looks in a row.
  bool may_wait(pid_t pid) { return ++waits_[pid] <= most_waits; }
  /// Those until now have been judged by, or are past.
  void forget(pid_t pid);
  /// Why a process takes none, or no more; empty: it does. As of the last samples_of().
  [[nodiscard]] std::string refused(pid_t pid) const;

 private:
  friend Result<std::unique_ptr<InnerSamples>> prepare_source(os::Os& os, const std::string& name,
                                                              sensing::SampleRequest request);
  InnerSamples(os::Os& os, std::unique_ptr<sensing::Source> source)
      : os_(os), source_(std::move(source)) {}
  Result<void> begin(const sensing::SampleRequest& request);
  /// Takes what has been written since out of the file, so that it stays small.
  void collect();
  void keep(const std::vector<Sample>& samples);

  os::Os& os_;
  std::unique_ptr<sensing::Source> source_;
  std::optional<sensing::SampleFile> file_;
  sensing::Environment environment_;
  std::map<pid_t, std::vector<Sample>> samples_;
  std::map<pid_t, std::string> refusals_;
  std::map<pid_t, int> waits_;
};

/// Checks the source of that name for the request, and begins the file `request.output` where it
/// samples from within a program; else null. Errors: bad_usage for what is no source, does not say
/// which thread uses which memory, or needs a program that is not started; what does not work here;
/// failed where the file cannot be made.
Result<std::unique_ptr<InnerSamples>> prepare_source(os::Os& os, const std::string& name,
                                                     sensing::SampleRequest request);

}  // namespace homenode::balancer
