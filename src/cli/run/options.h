// The table of the options of `run` that set something: numactl's, and homenode's own in its style.
// Help, man page and parser come from it.
#pragma once

#include <span>

#include "launch/settings.h"

namespace homenode::cli {

struct RunOption {
  launch::RunSetting::Kind kind;
  const char* names;
  const char* type;  ///< Empty for options without a value.
  const char* help;
};

/// In the order of the help.
std::span<const RunOption> run_options();

/// The end of the help.
extern const char* const run_footer;

}  // namespace homenode::cli
