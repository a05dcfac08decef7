#include "cli/table.h"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>

#include "base/id_list.h"
#include "base/sizes.h"
#include "base/text_table.h"
#include "base/words.h"
#include "cli/draw.h"
#include "cli/invoke.h"
#include "cli/where/json.h"
#include "cli/where/options.h"
#include "cli/where/receipt.h"
#include "cli/where/text.h"
#include "cli/where/watch.h"
#include "placement/threads/expression.h"
#include "sensing/file_cache.h"
#include "sensing/process_names.h"
#include "sensing/process_reader.h"

namespace homenode::cli {
namespace {

using nlohmann::ordered_json;
using sensing::Survey;

/// One line; bytes that are no UTF-8, as file names may have, are replaced.
std::string line_of(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

/// What a view is made into, each when it is asked for. The view outlives them.
struct Forms {
  std::function<std::string()> text;
  std::function<ordered_json()> json;
  std::function<std::string()> csv;
};

class Where final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "where"; }

  void define(CLI::App& app) override {
    define_where_options(app, options_);
    mappings_ = app.get_option("--mappings");
    watch_ = app.get_option("--watch");
    system_ = app.get_option("--system");
    app.footer(
        "Shows how much of a live process's memory is on each node: heap, stacks, anonymous "
        "memory, files, shared memory and huge pages; on which node each thread last ran; and "
        "which mappings are not where their policy says, and why. Of a file, only the "
        "page-cache pages that the process has mapped and touched are seen. If the process uses "
        "homenode's malloc, a table shows the owner of each heap. It reads numa_maps, maps and "
        "each thread's files in /proc; without privileges that works only for your own "
        "processes.\n\n--system shows what each node's memory is used for, the kernel's counters "
        "of pages that came from another node than was wanted (as numastat has them), and every "
        "process: its memory by node, where its threads last ran, and how much of its memory is "
        "local to them. With --watch it is a top. --file shows which nodes hold a file's page "
        "cache; nothing is read for it. The kernel shows that to the file's owner, to who may "
        "write it "
        "and to root.\n\n--repair moves pages to where a rule places them, and --threads binds "
        "threads; both print a receipt: planned, moved, refused with reasons, and what the "
        "kernel reports afterwards. Ctrl-C stops a repair between two batches. A rule applies "
        "to each mapping separately; without nodes it uses all that the process may use.");
  }

  [[nodiscard]] std::vector<Example> examples() const override {
    return {{"sh -c 'homenode where $$ --mappings=5'",
             "A process (here the shell itself) and its five largest mappings"},
            {"sh -c 'homenode where $$ --objects'", "On which nodes its variables and stacks are"},
            {"homenode where --system 10", "The ten processes with the most memory, by nodes"},
            {"homenode where --file /etc/services --json",
             "Which nodes hold what is cached of a file (yours, or one that you may write)"},
            {"sh -c 'homenode where $$ --repair interleave --only heap,anonymous --rate 200'",
             "Spread its private memory over all its nodes, at most 200 MiB a second"},
            {"sh -c 'homenode where $$ --repair block --only files --dry-run --json'",
             "How much of its page cache a rule would move, as JSON"}};
  }

  int run(Context& context) override {
    const auto code = try_run(context);
    return code ? *code : report(context, name(), code.error());
  }

 private:
  Result<int> try_run(Context& context) {
    auto request = make_where_request(
        options_, {system_->count() > 0, mappings_->count() > 0, watch_->count() > 0});
    if (!request) return request.as_unexpected();
    request_ = std::move(*request);
    const sensing::SystemFiles files{context.os};
    if (options_.job) return show_job(context, files);
    if (system_->count() > 0) return show_system(context, files);
    if (!options_.file.empty()) {
      return show(context, sensing::read_file_cache(context.os, options_.file));
    }
    const auto pids = find(files);
    if (!pids) return pids.as_unexpected();
    if (options_.objects) {  // The companion attributes pages as it does samples.
      return run_companion(context, "profile", objects_words(pids->front(), options_.json));
    }
    if (!options_.threads.empty() && context.full_machine == nullptr) {
      return become_native(context, context.arguments);
    }
    if (!options_.repair.empty() || !options_.threads.empty()) {
      return repair(context, files, pids->front());
    }
    if (request_.watch_every) return watch_one(context, files, pids->front());
    return show_all(context, files, *pids);
  }

  Result<int> show_job(Context& context, const sensing::SystemFiles& files) const {
    const auto ranks = sensing::read_job(files, getpid());
    if (!ranks) return ranks.as_unexpected();
    context.out << (options_.json ? line_of(job_json(*ranks)) : job_text(*ranks));
    const bool bound = std::all_of(ranks->begin(), ranks->end(), [](const sensing::JobRank& one) {
      return one.binding == sensing::Binding::bound;
    });
    return bound ? int{exit_done} : int{exit_failed};
  }

  Result<int> show_system(Context& context, const sensing::SystemFiles& files) const {
    if (!request_.watch_every) return show(context, sensing::read_system(files));
    return repeat(
        context, [&] { return picture_of(sensing::read_system(files)); }, [] { return true; });
  }

  /// A picture every so often, while the process that it shows runs.
  Result<int> repeat(Context& context, const std::function<Result<std::string>()>& draw,
                     const std::function<bool()>& runs) const {
    const os::StopSignals signals;
    const bool on_screen = !options_.json && isatty(STDOUT_FILENO) == 1;
    const Watch settings{*request_.watch_every, on_screen, draw, runs};
    if (const auto done = watch(context, settings, pace_of(context)); !done) {
      return done.as_unexpected();
    }
    return int{exit_done};
  }

  [[nodiscard]] Forms forms_of(const Survey& survey) const {
    return {[&] { return where_text(survey, request_.mappings); },
            [&] { return where_json(survey); }, [&] { return where_csv(survey); }};
  }
  [[nodiscard]] Forms forms_of(const sensing::SystemView& view) const {
    return {[&] { return system_text(view, request_.processes); },
            [&] { return system_json(view, request_.processes); },
            [&] { return system_csv(view, request_.processes); }};
  }
  [[nodiscard]] static Forms forms_of(const sensing::FileCache& cache) {
    return {[&] { return file_text(cache); }, [&] { return file_json(cache); },
            [&] { return file_csv(cache); }};
  }

  [[nodiscard]] std::string rendered(const Forms& forms) const {
    return options_.json ? line_of(forms.json()) : forms.text();
  }

  template <class View>
  [[nodiscard]] Result<std::string> picture_of(const Result<View>& view) const {
    if (!view) return view.as_unexpected();
    return rendered(forms_of(*view));
  }

  /// Writes the files that are asked for; prints the view where there are none, or as JSON.
  template <class View>
  Result<int> show(Context& context, const Result<View>& view) const {
    if (!view) return view.as_unexpected();
    const Forms forms = forms_of(*view);
    if (options_.csv.wanted()) {
      if (auto done = options_.csv.write(context, forms.csv()); !done) return done.as_unexpected();
    }
    if (!options_.html.empty()) {
      const Picture page{"where", line_of(forms.json()), "html"};
      if (auto done = draw_into(context, options_.html, page); !done) return done.as_unexpected();
    }
    if (options_.json || (!options_.csv.wanted() && options_.html.empty()))
      context.out << rendered(forms);
    return int{exit_done};
  }

  /// Those that can be read; of the others one line each, unless there is none but them.
  Result<int> show_all(Context& context, const sensing::SystemFiles& files,
                       const std::vector<pid_t>& pids) const {
    if (options_.csv.wanted() || !options_.html.empty()) {  // Of one process alone.
      return show(context, read(files, pids.front()));
    }
    std::optional<Error> first;
    std::string left_out;
    std::size_t shown = 0;
    for (const pid_t pid : pids) {
      const auto picture = picture_of(read(files, pid));
      if (picture) {
        context.out << (shown++ > 0 && !options_.json ? "\n" : "") << *picture;
        continue;
      }
      if (!first) first = picture.error();
      left_out += fmt::format("homenode where: process {} is left out: {}\n", pid,
                              picture.error().message());
    }
    if (shown == 0) return Unexpected(std::move(*first));
    context.err << left_out;
    return int{exit_done};
  }

  /// The processes that are meant: one, unless --all was given.
  Result<std::vector<pid_t>> find(const sensing::SystemFiles& files) const {
    if (const auto pid = number_in<pid_t>(request_.target)) return std::vector{*pid};
    const auto found = sensing::find_processes(files, request_.target);
    if (!found) return found.as_unexpected();
    const pid_t self = getpid();
    std::vector<pid_t> pids;
    std::string list;
    for (const sensing::ProcessName& process : *found) {
      if (process.pid == self) continue;
      pids.push_back(process.pid);
      list += fmt::format("{}{} ({:.40})", list.empty() ? "" : ", ", process.pid,
                          printable(process.command_line));
    }
    if (pids.empty()) {
      return failed(fmt::format("no process has the name '{}'", request_.target),
                    "'ps -e' lists the processes that you may see");
    }
    if (pids.size() > 1 && (!options_.all || request_.watch_every)) {
      return bad_usage(
          fmt::format("{} processes have the name '{}': {}", pids.size(), request_.target, list),
          request_.watch_every ? "give one by its PID" : "give one by its PID, or all with --all");
    }
    return pids;
  }

  [[nodiscard]] Result<Survey> read(const sensing::SystemFiles& files, pid_t pid) const {
    return read_survey(files, pid,
                       {.only_numa_maps = options_.fast, .amounts = options_.huge_pages});
  }

  Result<int> watch_one(Context& context, const sensing::SystemFiles& files, pid_t pid) const {
    std::optional<std::uint64_t> started;
    return repeat(
        context,
        [&] {
          const auto survey = read(files, pid);
          if (survey && !started) started = survey->started;
          return picture_of(survey);
        },
        [&] { return started && is_running(files, pid, *started); });
  }

  /// The nodes that a rule without nodes means: those with memory that the process may use. None
  /// where it is not known which have some: then the rule has to name them.
  static NodeSet default_nodes(const Survey& survey) {
    NodeSet nodes;
    for (const sensing::NodeFacts& node : survey.nodes) {
      if (!node.memory_known) return {};
      if (node.total.value > 0) nodes.insert(node.id);
    }
    return survey.allowed_memory.empty() ? nodes : nodes & survey.allowed_memory;
  }

  /// What is left out of the survey would stay as it is, and the receipt be silent about it.
  [[nodiscard]] Result<void> check_whole(const Survey& survey) const {
    const bool no_ends = std::all_of(survey.mappings.begin(), survey.mappings.end(),
                                     [](const sensing::Mapping& mapping) { return !mapping.end; });
    const bool threads_missing = !survey.with_threads || survey.unread_threads > 0;
    if ((options_.repair.empty() || !no_ends) && (options_.threads.empty() || !threads_missing)) {
      return {};
    }
    return failed(
        fmt::format("cannot see all pages and threads of process {} to repair", survey.pid),
        survey.notes.empty() ? "check the notes of 'homenode where' about it"
                             : survey.notes.front());
  }

  Result<int> repair(Context& context, const sensing::SystemFiles& files, pid_t pid) {
    const auto survey = read_survey(files, pid, {.amounts = true});
    if (!survey) return survey.as_unexpected();
    if (const auto whole = check_whole(*survey); !whole) return whole.as_unexpected();
    RepairReport result{pid, survey->name, options_.dry_run,        "",
                        {},  {},           bytes_on_nodes(*survey), {}};
    if (!options_.repair.empty()) {
      auto pages = repair_memory(context, *survey, result.rule);
      if (!pages) return pages.as_unexpected();
      result.pages = std::move(*pages);
    }
    if (!options_.threads.empty()) {
      auto machine = context.full_machine();
      if (!machine) return machine.as_unexpected();
      // The kernel binds within the process's cpuset; what this command may use is no bound.
      const CpuSet cpuset = sensing::cpuset_of(files, pid);
      machine->allowed_cpus = cpuset.empty() ? machine->cpus() : machine->cpus() & cpuset;
      const auto map = placement::parse_thread_expression(*machine, options_.threads);
      if (!map) return map.as_unexpected();
      result.threads = actuation::repair_threads(context.os, *survey, *map, options_.dry_run);
    }
    if (!options_.dry_run) {
      const auto after = read_survey(files, pid, {.only_numa_maps = true});
      if (after && after->started == survey->started) result.after = bytes_on_nodes(*after);
    }
    context.out << (options_.json ? line_of(receipt_json(result)) : receipt_text(result));
    return is_complete(result) ? int{exit_done} : int{exit_failed};
  }

  /// A node that is not there, or has no memory, takes no page.
  static Result<void> check_nodes(const Survey& survey, const placement::MemoryRule& rule) {
    NodeSet usable;
    for (const sensing::NodeFacts& node : survey.nodes) {
      if (!node.memory_known || node.total.value > 0) usable.insert(node.id);
    }
    const NodeSet missing = nodes_named(rule) - usable;
    if (missing.empty() || usable.empty()) return {};
    return bad_usage(fmt::format("cannot move pages to node{} {}, which this machine does not have "
                                 "or which has no memory",
                                 missing.size() == 1 ? "" : "s", to_list(missing)),
                     "choose among the nodes " + to_list(usable));
  }

  Result<actuation::RepairReceipt> repair_memory(Context& context, const Survey& survey,
                                                 std::string& text) {
    const NodeSet nodes = default_nodes(survey);
    auto rule = placement::parse_memory_rule(options_.repair, nodes);
    // The rule is well formed, but it is not known which nodes it means.
    if (!rule && nodes.empty() && !survey.notes.empty() &&
        placement::parse_memory_rule(options_.repair, {NodeId(0)})) {
      return failed(rule.error().tried, survey.notes.front());
    }
    if (!rule) return rule.as_unexpected();
    if (const auto there = check_nodes(survey, *rule); !there) return there.as_unexpected();
    text = to_string(*rule);
    const os::StopSignals signals;
    const bool terminal = isatty(STDERR_FILENO) == 1;
    const actuation::SayRepair say = [&](std::uint64_t looked_at, std::uint64_t all,
                                         std::uint64_t moved) {
      if (!terminal) return;
      context.err << fmt::format("\r\033[Klooked at {} of {} MiB, moved {}", mebibytes(looked_at),
                                 mebibytes(all), mebibytes(moved))
                  << std::flush;
    };
    auto receipt = actuation::repair_pages(context.os, survey,
                                           {std::move(*rule), request_.groups, request_.at,
                                            request_.rate_mibs, options_.shared, options_.dry_run},
                                           pace_of(context), say);
    if (terminal) context.err << "\r\033[K" << std::flush;
    return receipt;
  }

  WhereOptions options_;
  WhereRequest request_;
  CLI::Option* mappings_ = nullptr;
  CLI::Option* watch_ = nullptr;
  CLI::Option* system_ = nullptr;
};

}  // namespace

std::unique_ptr<Verb> make_where() {
  return std::make_unique<Where>();
}

}  // namespace homenode::cli
