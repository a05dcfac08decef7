// The verb `run`.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

/// Exit codes of a program that could not be started, as shells and env(1) give them.
inline constexpr int exit_cannot_execute = 126;
inline constexpr int exit_not_found = 127;

std::unique_ptr<Verb> make_run();

}  // namespace homenode::cli
