// `homenode bench` as a person meets it: words in, text and an exit code out.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/dispatch.h"
#include "os/linux.h"

namespace homenode::cli {

struct BenchOutcome {
  int code = 0;
  std::string out;
  std::string err;
};

inline BenchOutcome bench_on(os::Os& os, std::vector<std::string> words) {
  std::ostringstream out;
  std::ostringstream err;
  Context context{os, out, err, "homenode"};
  words.insert(words.begin(), "bench");
  const int code = dispatch(context, words);
  return {code, out.str(), err.str()};
}

inline BenchOutcome bench(const std::vector<std::string>& words) {
  os::Linux os;
  return bench_on(os, words);
}

/// Nothing but one line on stderr.
inline void expect_refused(const BenchOutcome& outcome, int code) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("homenode bench")) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

/// Each of the command lines is refused as bad usage.
inline void expect_bad_usage(const std::vector<std::vector<std::string>>& lines) {
  for (const auto& words : lines) {
    SCOPED_TRACE(testing::PrintToString(words));
    expect_refused(bench(words), exit_usage);
  }
}

}  // namespace homenode::cli
