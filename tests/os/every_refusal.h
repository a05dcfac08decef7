// Every call of a scenario refused once, with each error that the kernel documents for it. Serves
// the fault tests of all rooms that make system calls: what they do is a table of scenarios.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fake/fake.h"

namespace homenode::os {

/// What the manual pages allow each call to fail with, as far as a correct caller can meet it; and
/// EPERM and ENOSYS, which filters of system calls and kernels without the call give.
inline const std::map<std::string, std::vector<int>>& documented_errors() {
  static const std::vector<int> files{EACCES, EINTR,  EIO,     ELOOP, EMFILE, ENAMETOOLONG, ENFILE,
                                      ENOENT, ENOMEM, ENOTDIR, EPERM, ESRCH,  EINVAL,       EAGAIN};
  static const std::vector<int> paths{EACCES, EIO,    ELOOP,   ENAMETOOLONG, ENOENT,
                                      ENOMEM, EINVAL, ENOTDIR, EPERM,        ENOSYS};
  static const std::vector<int> attributes{EACCES, EIO,     ENODATA, EOPNOTSUPP, ENOENT,
                                           ENOMEM, ENOTDIR, EPERM,   ERANGE,     ENOSYS};
  static const std::map<std::string, std::vector<int>> errors{
      {"set_mempolicy", {EFAULT, EINVAL, ENOMEM, EPERM, ENOSYS}},
      {"get_mempolicy", {EFAULT, EINVAL, EPERM, ENOSYS}},
      {"next_interleave_node", {EFAULT, EINVAL, EPERM, ENOSYS}},
      {"mbind", {EFAULT, EINVAL, EIO, ENOMEM, EPERM, ENOSYS}},
      {"set_home_node", {EFAULT, EINVAL, ENOENT, EOPNOTSUPP, EPERM, ENOSYS}},
      {"move_pages", {E2BIG, EACCES, EFAULT, EINVAL, ENODEV, ENOENT, ENOMEM, EPERM, ESRCH, ENOSYS}},
      {"sched_setaffinity", {EFAULT, EINVAL, EPERM, ESRCH, ENOSYS}},
      {"sched_getaffinity", {EFAULT, EINVAL, EPERM, ESRCH, ENOSYS}},
      {"getcpu", {EFAULT, EPERM, ENOSYS}},
      {"map_memory", {EAGAIN, EINVAL, ENOMEM, EPERM}},
      {"unmap_memory", {EINVAL, ENOMEM}},
      {"advise_memory", {EACCES, EAGAIN, EBADF, EBUSY, EINVAL, EIO, ENOMEM, EPERM, ENOSYS}},
      {"name_memory", {EBADF, EINVAL, ENOMEM, EPERM, ENOSYS}},
      {"protect_memory", {EACCES, EINVAL, ENOMEM, EPERM}},
      {"populate_memory", {EAGAIN, EBUSY, EFAULT, EHWPOISON, EINVAL, EIO, ENOMEM, EPERM}},
      {"execute",
       {E2BIG, EACCES, EAGAIN, EFAULT, EINVAL, EIO, EISDIR, ELIBBAD, ELOOP, EMFILE, ENAMETOOLONG,
        ENFILE, ENOENT, ENOEXEC, ENOMEM, ENOTDIR, EPERM, ETXTBSY}},
      {"read_file", files},
      {"open_shared_file",
       {EACCES, EEXIST, EINTR, EINVAL, EISDIR, ELOOP, EMFILE, ENAMETOOLONG, ENFILE, ENODEV, ENOMEM,
        ENOSPC, ENOTDIR, EPERM, EROFS, ETXTBSY}},
      {"resize_file", {EFBIG, EINTR, EINVAL, EIO, ENOMEM, ENOSPC, EPERM, EROFS}},
      {"map_shared_file", {EACCES, EAGAIN, EINVAL, ENFILE, ENODEV, ENOMEM, EPERM}},
      {"close_file", {EINTR, EIO}},
      {"segment_key", {EACCES, ELOOP, ENAMETOOLONG, ENOMEM, ENOTDIR}},
      {"find_segment", {EACCES, EEXIST, EINVAL, ENFILE, ENOMEM, ENOSPC, EPERM, ENOSYS}},
      {"attach_segment", {EACCES, EIDRM, EINVAL, ENOMEM, EPERM, ENOSYS}},
      {"detach_segment", {EINVAL}},
      {"page_policy", {EFAULT, EINVAL, EPERM, ENOSYS}},
      {"page_node", {EFAULT, EINVAL, EPERM, ENOSYS}},
      {"remove_file",
       {EACCES, EBUSY, EIO, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOMEM, ENOTDIR, EPERM, EROFS}},
      {"remove_segment", {EACCES, EIDRM, EINVAL, EPERM, ENOSYS}},
      {"read_file_at", files},
      {"list_folder", files},
      {"file_status", paths},
      {"check_executable", paths},
      {"attribute_bytes", attributes},
      {"read_link", paths},
      {"resolve_path", paths},
      {"filter", {EACCES, EAGAIN, EIO, EMFILE, ENFILE, ENOENT, ENOEXEC, ENOMEM, EPERM}},
      {"output_of", {EACCES, EAGAIN, EINTR, EIO, EMFILE, ENFILE, ENOENT, ENOEXEC, ENOMEM, EPERM}},
  };
  return errors;
}

/// What one run of a scenario says of itself.
struct Outcome {
  bool complete = false;          ///< All was done.
  std::vector<std::string> told;  ///< If not: why, in messages for people.
  bool names_errno = true;        ///< False where only a count tells, such as of pages left behind.
};

inline Outcome outcome_of(const Error& error) {
  EXPECT_FALSE(error.tried.empty());
  EXPECT_FALSE(error.next.empty()) << error.message();
  return {false, {error.message()}};
}

template <class Value>
Outcome outcome_of(const Result<Value>& result) {
  return result ? Outcome{true, {}} : outcome_of(result.error());
}

/// A scenario about to run on a kernel of its own, as often as asked.
class Trial {
 public:
  Trial() = default;
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  virtual ~Trial() = default;

  virtual Fake& kernel() = 0;
  virtual Outcome run() = 0;
  /// What a complete run comes to, a fact a line.
  virtual std::string result() = 0;
  /// What no refusal may leave behind or lose: mappings, the thread's policy, access to memory.
  virtual std::string state() = 0;
};

struct Scenario {
  std::string name;
  std::function<std::unique_ptr<Trial>()> begin;
  /// Calls that it can do without. Refused, they may cost facts, but make no wrong ones.
  std::set<std::string> dispensable = {};
  /// Refusals that are not tried, by call and errno; 0 for every errno.
  std::set<std::pair<std::string, int>> left_out = {};

  [[nodiscard]] bool leaves_out(const std::string& call, int errno_value) const {
    return left_out.contains({call, errno_value}) || left_out.contains({call, 0});
  }
};

namespace detail {

inline std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

/// What a run without refusals does.
struct CleanRun {
  std::vector<std::string> calls;
  std::string result;
  std::string state_before;
  std::string state_after;
};

inline CleanRun run_cleanly(const Scenario& scenario) {
  const auto trial = scenario.begin();
  CleanRun run;
  run.state_before = trial->state();
  const std::size_t before = trial->kernel().calls().size();
  const Outcome outcome = trial->run();
  const std::vector<std::string> calls = trial->kernel().calls();
  run.calls.assign(calls.begin() + static_cast<std::ptrdiff_t>(before), calls.end());
  EXPECT_TRUE(outcome.complete) << (outcome.told.empty() ? "" : outcome.told.front());
  run.result = trial->result();
  run.state_after = trial->state();
  return run;
}

/// A run that is not complete says why, in lines for people; one that is has done all.
inline void check(const Outcome& outcome, const CleanRun& clean, const std::string& result,
                  bool dispensable, int errno_value) {
  if (outcome.complete) {
    if (!dispensable) {
      EXPECT_EQ(result, clean.result) << "said to be done";
      return;
    }
    const std::set<std::string> facts = lines_of(clean.result);
    for (const std::string& fact : lines_of(result)) EXPECT_TRUE(facts.contains(fact)) << fact;
    return;
  }
  ASSERT_FALSE(outcome.told.empty()) << "a partial success says why";
  const std::string reason = std::generic_category().message(errno_value);
  bool named = dispensable || !outcome.names_errno;
  for (const std::string& message : outcome.told) {
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    named = named || message.find(reason) != std::string::npos;
  }
  EXPECT_TRUE(named) << "none names '" << reason << "', as in: " << outcome.told.front();
}

inline void refuse(const Scenario& scenario, const CleanRun& clean, std::size_t index,
                   int errno_value) {
  const std::string& call = clean.calls[index];
  SCOPED_TRACE(scenario.name + ", call " + std::to_string(index + 1) + " (" + call +
               "): " + std::generic_category().message(errno_value));
  const auto trial = scenario.begin();
  Fake& kernel = trial->kernel();
  const std::size_t before = kernel.calls().size();
  kernel.fail_call("", static_cast<unsigned>(index + 1), errno_value);
  const Outcome outcome = trial->run();
  ASSERT_TRUE(kernel.has_failed());
  ASSERT_EQ(kernel.calls()[before + index], call) << "the calls are not the same every time";
  kernel.fail_call("", 0, 0);
  check(outcome, clean, outcome.complete ? trial->result() : "",
        scenario.dispensable.contains(call), errno_value);
  // What the kernel refuses to take back stays.
  if (const std::string state = trial->state();
      call != "unmap_memory" && state != clean.state_after) {
    EXPECT_EQ(state, clean.state_before);
  }
  const Outcome again = trial->run();
  EXPECT_TRUE(again.complete) << "nothing is refused any more";
  EXPECT_EQ(trial->result(), clean.result);
}

}  // namespace detail

/// Counts the calls of a run without refusals, then runs the scenario once for each call and each
/// of its errors, or for one in `every` of them. Adds what was refused to `calls`.
inline void refuse_every_call(const Scenario& scenario, std::set<std::string>& calls,
                              std::size_t every = 1) {
  SCOPED_TRACE(scenario.name);
  const detail::CleanRun clean = detail::run_cleanly(scenario);
  EXPECT_FALSE(clean.calls.empty());
  std::size_t refusals = 0;
  for (std::size_t index = 0; index < clean.calls.size(); ++index) {
    const auto errors = documented_errors().find(clean.calls[index]);
    ASSERT_NE(errors, documented_errors().end()) << "which errors has " << clean.calls[index];
    calls.insert(clean.calls[index]);
    for (const int errno_value : errors->second) {
      if (scenario.leaves_out(clean.calls[index], errno_value)) continue;
      if (refusals++ % every != 0) continue;
      detail::refuse(scenario, clean, index, errno_value);
      if (::testing::Test::HasFailure()) return;  // One is enough to read.
    }
  }
}

}  // namespace homenode::os
