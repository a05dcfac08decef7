// From the arguments after a verb's name to the verb: parsed and run here, or handed to the lab
// when
// --machine is given. Knows no table of verbs, so that the small command (main.cpp) can use it with
// only the verbs that it has.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/verb.h"

namespace homenode::cli {

/// What main() does around a command: its exit code, or exit_failed when it threw, which it
/// reports, or when what it printed could not be written.
int run_guarded(Context& context, const std::function<int()>& command);

/// Runs one verb; `arguments` are those after its name. Returns the exit code.
int invoke(Context& context, Verb& verb, const std::vector<std::string>& arguments);

/// The path of `name` (homenode-lab, homenode-native) beside this command or in the bin or libexec
/// folder of the same installation; where it is not there, the name alone, to be looked up on PATH.
std::string companion(const Context& context, const std::string& name);

/// The file of the command that runs.
std::string own_executable(const Context& context);

/// Replaces this process by `companion` with the arguments; returns an exit code only when that
/// fails, and reports why on the error stream.
int run_companion(Context& context, const std::string& verb, std::vector<std::string> arguments);

/// Replaces this process by homenode-native, which has every verb, with these arguments after its
/// name; returns as run_companion() does.
int become_native(Context& context, std::vector<std::string> arguments);

}  // namespace homenode::cli
