#include "cli/where/options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <limits>

#include "base/sizes.h"
#include "base/words.h"

namespace homenode::cli {
namespace {

constexpr double default_watch_seconds = 2;
/// With the nodes' table above them, on one screen.
constexpr std::size_t processes_on_screen = 20;
constexpr double shortest_watch_seconds = 0.1;
constexpr double longest_watch_seconds = 1e6;
constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

Result<std::set<sensing::Group>> groups_in(std::string_view list) {
  std::set<sensing::Group> groups;
  if (list.empty()) return std::set(std::begin(sensing::all_groups), std::end(sensing::all_groups));
  while (!list.empty()) {
    const std::string_view name = take_until(list, ',');
    const auto group = sensing::parse_group(name);
    if (!group) {
      std::string names;
      for (sensing::Group known : sensing::all_groups) {
        names += (names.empty() ? "" : ", ") + to_string(known);
      }
      return bad_usage(fmt::format("--only: there is no group '{}'", name),
                       "choose among " + names);
    }
    groups.insert(*group);
  }
  return groups;
}

/// The argument after an option whose value may be left out is the process when no other one is.
Result<std::string> target_of(WhereOptions& options, const WhereGiven& given) {
  if (options.job || given.system || !options.file.empty()) return std::string();
  if (!options.target.empty()) return options.target;
  if (options.watch.empty() == options.mappings.empty()) {
    return bad_usage("the process is missing",
                     "give its PID or its name, as in 'homenode where 1234'");
  }
  std::string& value = options.watch.empty() ? options.mappings : options.watch;
  return std::exchange(value, "");
}

bool changes_anything(const WhereOptions& options) {
  return !options.repair.empty() || !options.threads.empty() || options.dry_run;
}

bool looks_at_process(const WhereOptions& options, const WhereGiven& given) {
  return given.mappings || options.all || options.fast || options.huge_pages || options.objects ||
         !options.target.empty();
}

/// What is shown of a process instead of its memory.
Result<void> check_objects(const WhereOptions& options, const WhereGiven& given) {
  const bool looks = given.mappings || given.watch || options.all || options.fast ||
                     options.huge_pages || options.csv.wanted() || !options.html.empty();
  if (!options.objects || !(changes_anything(options) || looks)) return {};
  return bad_usage("--objects shows the objects of one process, and only works with --json",
                   "leave out the other options");
}

/// What is shown instead of a process: one thing, and no option of a process beside it.
Result<void> check_view(const WhereOptions& options, const WhereGiven& given) {
  const int views = (options.job ? 1 : 0) + (given.system ? 1 : 0) + (options.file.empty() ? 0 : 1);
  if (views == 0) return check_objects(options, given);
  const bool watched = given.watch && !given.system;
  if (views == 1 && !changes_anything(options) && !looks_at_process(options, given) && !watched) {
    return {};
  }
  const char* what = options.job    ? "--job shows the ranks of a job"
                     : given.system ? "--system shows the whole machine"
                                    : "--file shows the page cache of a file";
  return bad_usage(fmt::format("{}, and no process beside it", what),
                   "leave out the process and the other options");
}

/// A file holds one view, and of lines for programs there is one kind.
Result<void> check_forms(const WhereOptions& options, const WhereGiven& given) {
  if (!options.csv.wanted() && options.html.empty()) return {};
  if (given.watch || options.all || options.job || changes_anything(options)) {
    return bad_usage("--csv and --html show one process, the system or a file, once",
                     "leave out --watch, --all, --job and what changes a process");
  }
  if (options.json && options.csv.wanted() && options.csv.to_stream()) {
    return bad_usage("only one of --json and --csv can be printed",
                     "give --csv a file, as in --csv=memory.csv");
  }
  return {};
}

Result<void> check_together(const WhereOptions& options, bool watch) {
  const bool repairs = !options.repair.empty() || !options.threads.empty();
  const bool of_repair =
      !options.only.empty() || !options.at.empty() || !options.rate.empty() || options.shared;
  if (of_repair && options.repair.empty()) {
    return bad_usage("--only, --at, --rate and --shared only work with --repair",
                     "give --repair a rule, as in --repair bind@1");
  }
  if (options.dry_run && !repairs) {
    return bad_usage("--dry-run only works with --repair or --threads", "give one of them");
  }
  if (repairs && (watch || options.all || options.fast)) {
    return bad_usage("--repair and --threads act once on one process",
                     "leave out --watch, --all and --fast");
  }
  if (options.fast && options.huge_pages) {
    return bad_usage("--fast reads only numa_maps, and --huge-pages needs smaps",
                     "leave out one of them");
  }
  return {};
}

/// How many of the largest mappings or processes are listed one by one.
Result<std::size_t> count_in(const std::string& text, const std::string& things,
                             std::size_t otherwise) {
  if (text.empty()) return otherwise;
  const auto count = number_in<std::size_t>(text);
  if (count && *count > 0) return std::size_t{*count};
  return bad_usage(fmt::format("'{}' is not a number of {}", text, things),
                   "give a number above 0, or leave it out");
}

/// How long a watch pauses.
Result<std::chrono::nanoseconds> pause_in(const std::string& text) {
  const auto seconds = text.empty() ? std::optional(default_watch_seconds) : real_in(text);
  if (!seconds || *seconds < shortest_watch_seconds || *seconds > longest_watch_seconds) {
    return bad_usage(fmt::format("--watch: '{}' is not a time in seconds", text),
                     "give at least 0.1, or leave it out for 2");
  }
  return std::chrono::nanoseconds(static_cast<std::int64_t>(*seconds * 1e9));
}

/// Which mapping a repair moves, and how fast.
Result<void> read_repair(const WhereOptions& options, WhereRequest& request) {
  if (!options.at.empty()) {
    std::string_view digits = options.at;
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    request.at = number_in(digits, 16);
    if (!request.at) {
      return bad_usage(fmt::format("--at: '{}' is not an address", options.at),
                       "give one that --mappings lists, such as 7f0000000000");
    }
  }
  if (options.rate.empty()) return {};
  request.rate_mibs = real_in(options.rate);
  if (request.rate_mibs && *request.rate_mibs >= 1) return {};
  return bad_usage(fmt::format("--rate: '{}' is not a rate in MiB per second", options.rate),
                   "give a number of at least 1");
}

}  // namespace

void define_where_options(CLI::App& app, WhereOptions& options) {
  app.add_option("target", options.target, "the process: its PID or its name")
      ->type_name("PID|NAME");
  app.add_flag("--all", options.all,
               "show every process with that name that can be read, and name the others");
  app.add_flag(
      "--job", options.job,
      "show the ranks of an MPI or Slurm job on this host, and whether each is bound; exit "
      "code 1 where one is not");
  app.add_option("--system", options.processes,
                 "show every process by nodes, largest first, and what each node's memory is used "
                 "for; the text lists the N largest (default: 20) and sums the others")
      ->type_name("[N]")
      ->expected(0, 1);
  app.add_option("--file", options.file, "show which nodes hold the page cache of a file")
      ->type_name("FILE");
  app.add_option("--mappings", options.mappings,
                 "list mappings one by one, largest first; all of them, or N")
      ->type_name("[N]")
      ->expected(0, 1);
  app.add_flag(
      "--objects", options.objects,
      "show instead on which nodes each object is: static data by its name, arrays that the "
      "program named, stacks, files, other mappings; it asks for each page");
  app.add_flag("--fast", options.fast, "read only numa_maps, as numastat does: no threads");
  app.add_flag(
      "--huge-pages", options.huge_pages,
      "report how much is in transparent huge pages or swapped out; walks all pages again");
  app.add_option("--watch", options.watch,
                 "repeat every SECONDS (default: 2) until the process "
                 "ends")
      ->type_name("[SECONDS]")
      ->expected(0, 1);
  app.add_flag("--json", options.json,
               "print one JSON object per line (schemas homenode.where/2, "
               "homenode.where.objects/1, homenode.where.repair/2, homenode.where.job/1, "
               "homenode.where.system/1, homenode.where.file/1)");
  options.csv.define(
      app, "--csv",
      "print comma-separated values, or write them to FILE: a line for each mapping, "
      "process or node");
  app.add_option("--html", options.html, "write a page to look at in a browser")->type_name("FILE");
  app.add_option("--repair", options.repair,
                 "move the pages to where this rule places them, such as bind@1, interleave@0-3 "
                 "or block")
      ->type_name("RULE");
  app.add_option(
         "--threads", options.threads,
         "bind the threads to CPUs in the order in which they started: 0,4,8-11, S0:0-3, cores "
         "or any other expression of 'homenode run --threads', of the CPUs that the process's "
         "cpuset allows")
      ->type_name("EXPR");
  app.add_option("--only", options.only,
                 "move only these groups: heap, stacks, anonymous, files, shared, huge")
      ->type_name("GROUPS");
  app.add_option("--at", options.at, "move only the mapping that starts at this address")
      ->type_name("ADDRESS");
  app.add_option("--rate", options.rate, "move at most this many MiB per second")->type_name("MIB");
  app.add_flag("--shared", options.shared,
               "move pages that other processes map too (needs CAP_SYS_NICE)");
  app.add_flag("--dry-run", options.dry_run, "only report what would be moved");
}

std::vector<std::string> objects_words(pid_t pid, bool json) {
  std::vector<std::string> words{"objects", std::to_string(pid)};
  if (json) words.emplace_back("--json");
  return words;
}

Result<WhereRequest> make_where_request(const WhereOptions& written, const WhereGiven& given) {
  WhereOptions options = written;
  WhereRequest request;
  if (const auto fit = check_view(options, given); !fit) return fit.as_unexpected();
  if (const auto fit = check_forms(options, given); !fit) return fit.as_unexpected();
  if (const auto fit = check_together(options, given.watch); !fit) return fit.as_unexpected();
  auto target = target_of(options, given);
  if (!target) return target.as_unexpected();
  request.target = std::move(*target);
  if (given.mappings) {
    const auto count = count_in(options.mappings, "mappings", all);
    if (!count) return count.as_unexpected();
    request.mappings = *count;
  }
  const bool to_programs = options.json || options.csv.wanted() || !options.html.empty();
  const auto processes =
      count_in(options.processes, "processes", to_programs ? all : processes_on_screen);
  if (!processes) return processes.as_unexpected();
  request.processes = *processes;
  if (given.watch) {
    const auto every = pause_in(options.watch);
    if (!every) return every.as_unexpected();
    request.watch_every = *every;
  }
  auto groups = groups_in(options.only);
  if (!groups) return groups.as_unexpected();
  request.groups = std::move(*groups);
  if (const auto read = read_repair(options, request); !read) return read.as_unexpected();
  return request;
}

}  // namespace homenode::cli
