// The options of `where` as the command line gives them, and what they ask for. Serves the verb
// `where`.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/draw.h"
#include "cli/options.h"
#include "sensing/survey.h"

namespace homenode::cli {

/// What stands on the command line.
struct WhereOptions {
  std::string target;
  bool all = false;
  bool job = false;
  std::string processes;  ///< Of --system.
  std::string file;
  bool fast = false;
  bool huge_pages = false;
  bool json = false;
  bool objects = false;
  Output csv;
  std::string html;
  std::string mappings;
  std::string watch;
  std::string repair;
  std::string threads;
  std::string only;
  std::string at;
  std::string rate;
  bool shared = false;
  bool dry_run = false;
};

/// Which of the options whose value may be left out are there.
struct WhereGiven {
  bool system = false;
  bool mappings = false;
  bool watch = false;
};

/// What it asks for, checked.
struct WhereRequest {
  std::string target;         ///< A number or a name.
  std::size_t processes = 0;  ///< How many of --system are listed, largest first.
  /// How many mappings are listed one by one, largest first; 0 for none.
  std::size_t mappings = 0;
  std::optional<std::chrono::nanoseconds> watch_every;
  std::set<sensing::Group> groups;  ///< What repair moves.
  std::optional<std::uint64_t> at;  ///< The one mapping that repair moves.
  std::optional<double> rate_mibs;
};

void define_where_options(CLI::App& app, WhereOptions& options);

/// What `homenode profile` is asked for by --objects.
std::vector<std::string> objects_words(pid_t pid, bool json);

/// Errors: bad_usage naming the value that is wrong or the options that exclude each other.
Result<WhereRequest> make_where_request(const WhereOptions& options, const WhereGiven& given);

}  // namespace homenode::cli
