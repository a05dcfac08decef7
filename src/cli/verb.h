// A verb of the command: its name, its options and what it does. Help, man pages and the parser
// all come from define(); here is also how help looks. A verb is a folder here, a line in
// table.h and one in dispatch.cpp and a row of the table of verbs (homenode/verbs.inc).
#pragma once

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "machine/machine.h"
#include "os/os.h"
#include "os/pace.h"

namespace CLI {
class FormatterBase;
}

namespace homenode::os {
struct Pace;
}

namespace homenode::cli {

/// Exit codes, the same for every verb. A file that is named and cannot be read is a failure: the
/// arguments made sense. A name that stands for nothing, such as a machine's, is bad usage.
inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_not_supported = 3;
/// In place of 1 to 3 where a program is named, whose own exit codes these may be; and of a program
/// that could not be started: as env(1), timeout(1) and nohup(1) have them.
inline constexpr int exit_launcher_failed = 125;
inline constexpr int exit_cannot_execute = 126;
inline constexpr int exit_not_found = 127;

/// What a verb may touch: the operating system and the two streams.
struct Context {
  os::Os& os;
  std::ostream& out;
  std::ostream& err;
  /// argv[0] of the command itself, to find its companions and to run itself again.
  std::string program;
  /// The machine with all that hwloc knows; null in the small command, which is without hwloc: a
  /// verb that finds it null and needs it calls become_native().
  Result<machine::Machine> (*full_machine)() = nullptr;
  /// The verb's name and the arguments after it, as invoke() got them, for become_native().
  std::vector<std::string> arguments = {};
  /// Time and Ctrl-C for what takes a while; null: those of the system.
  const os::Pace* pace = nullptr;
  /// The JSON of what a workload of bench has reported, for its page; show() adds to it.
  std::string report = {};
  /// The line names a program, whose exit code is passed on; invoke() sets it.
  bool names_program = false;
};

/// The context's time and Ctrl-C, or the system's. pre: StopSignals live, where it is the system's.
os::Pace pace_of(const Context& context);

/// A command line that works as it stands, and what it shows, without a full stop.
struct Example {
  std::string command;
  std::string what;
};

class Verb {
 public:
  Verb() = default;
  Verb(const Verb&) = delete;
  Verb& operator=(const Verb&) = delete;
  virtual ~Verb() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  /// One line for the list of verbs: what their table says. A command of a verb has its own.
  [[nodiscard]] virtual std::string summary() const;
  /// Adds the options to the parser; called once, before run().
  virtual void define(CLI::App& app) = 0;
  /// For the man page; a command of a verb may leave them to the verb.
  [[nodiscard]] virtual std::vector<Example> examples() const { return {}; }
  /// True when the command line ends in a program and its arguments. Options then stop, as in
  /// getopt with "+", at the first argument that is none or after "--"; take_program() gets the
  /// rest.
  [[nodiscard]] virtual bool runs_program() const { return false; }
  virtual void take_program(std::vector<std::string> /*program*/) {}
  /// Whether what stands after the options is a program to start.
  [[nodiscard]] virtual bool is_program(const std::vector<std::string>& rest) const {
    return !rest.empty();
  }
  /// How many arguments, from this one on, belong to another launcher whose options may stand among
  /// those of a verb that runs a program; take_program() gets them first.
  [[nodiscard]] virtual std::size_t launcher_arguments(const std::string& /*argument*/) const {
    return 0;
  }
  /// Does the work; returns the exit code.
  virtual int run(Context& context) = 0;
};

/// A verb that lives outside this binary, as homenode-NAME.
struct ExternalVerb {
  std::string name;
  std::string summary;
};

/// Those that come with homenode, in the order of the help.
std::vector<ExternalVerb> external_verbs();

/// The help of the command itself: what it is for, and every verb with its summary.
std::string overview();

/// Prints what a command line without a verb asks for, the help or the version; false, and nothing
/// printed, where it asks for something else. Needs no verb to be made: both are started often.
bool answers_alone(std::ostream& out, const std::vector<std::string>& arguments);

/// All that come with homenode.
std::vector<std::string> verb_names();

/// Where a verb is to run, if not here.
struct LabOptions {
  std::string machine;
  std::string scale;  ///< As written; the lab reads it.
};

/// Adds --machine and --scale, which every verb has; invoke() obeys them.
void define_lab_options(CLI::App& app, LabOptions& options);

/// The exit code of a failure of this command's own: `usual`, or that of a failed launcher.
int own_failure(const Context& context, int usual);

/// Prints "homenode VERB: message" on the error stream and gives the exit code that belongs to it.
int report(Context& context, const std::string& verb, const Error& error);

/// The exit code of a verb that is done; reports its error if it has one.
int finish(Context& context, const std::string& verb, const Result<void>& done);

/// The columns of the terminal that the standard output is, at most 100; 80 where it is none.
std::size_t help_columns();

/// Text in lines of at most `columns`, each after the first behind `indent` blanks. Lines of the
/// text stay apart; a longer word has a line of its own.
std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent);

/// What lays out an app's help, and that of its subcommands if they are added after it is set.
std::shared_ptr<CLI::FormatterBase> help_formatter(std::size_t columns);

/// "Examples:" and each with what it shows; nothing for none.
std::string examples_text(const std::vector<Example>& examples, std::size_t columns);

}  // namespace homenode::cli
