// The options of `where` as the command line gives them, and what they ask for. Serves the verb
// `where`.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "sensing/survey.h"

namespace homenode::cli {

/// What stands on the command line.
struct WhereOptions {
  std::string target;
  bool all = false;
  bool job = false;
  bool fast = false;
  bool huge_pages = false;
  bool json = false;
  bool objects = false;
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

/// What it asks for, checked.
struct WhereRequest {
  std::string target;  ///< A number or a name.
  /// How many mappings are listed one by one, largest first; 0 for none.
  std::size_t mappings = 0;
  std::optional<std::chrono::nanoseconds> watch_every;
  std::set<sensing::Group> groups;  ///< What repair moves.
  std::optional<std::uint64_t> at;  ///< The one mapping that repair moves.
  std::optional<double> rate_mibs;
};

void define_where_options(CLI::App& app, WhereOptions& options);

/// Errors: bad_usage naming the value that is wrong or the options that exclude each other.
Result<WhereRequest> make_where_request(const WhereOptions& options, bool mappings, bool watch);

}  // namespace homenode::cli
