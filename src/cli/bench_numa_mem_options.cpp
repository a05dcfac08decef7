#include "cli/bench_numa_mem_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <cmath>
#include <utility>

#include "cli/atomic_file.h"
#include "cli/program_options.h"

namespace homenode::cli {
namespace {

using workloads::numa_mem::Work;

constexpr double most_mb = 1e9;
constexpr double longest_run_s = 7.0 * 24 * 3600;

/// A flag that is on unless its other name is given, or the other way round, as perf has them.
void add_switch(CLI::App& app, const std::string& letter, const std::string& name, bool& target,
                const std::string& description) {
  const std::string names = fmt::format("{},--{},!--no-{}", letter, name, name);
  app.add_flag(names, target, description + (target ? " (on unless --no-... is given)" : ""));
}

void define_tasks(CLI::App& app, NumaMemOptions& options) {
  app.add_option("-p,--nr_proc", options.processes, "processes")->capture_default_str();
  app.add_option("-t,--nr_threads", options.threads, "threads of each process")
      ->capture_default_str();
  app.add_option(
         "-C,--cpus", options.cpus,
         "CPUs of the first tasks, as CPU,...; A-B#STEP in steps, A_N for N CPUs from A on, "
         "AxN for N tasks; the others stay unbound")
      ->type_name("LIST");
  app.add_option("-M,--memnodes", options.memory_nodes,
                 "nodes that the first tasks' memory is bound to, as NODE,... with -, # and x")
      ->type_name("LIST");
  add_strategy_option(app, options.strategy);
}

void define_memory(CLI::App& app, NumaMemOptions& options) {
  app.add_option("-G,--mb_global", options.global_mb, "MiB that all processes share")
      ->capture_default_str();
  app.add_option("-P,--mb_proc", options.process_mb, "MiB of each process, for all its threads")
      ->capture_default_str();
  app.add_option("-L,--mb_proc_locked", options.locked_mb,
                 "MiB of these that are walked once more under the process's lock")
      ->capture_default_str();
  app.add_option("-T,--mb_thread", options.thread_mb, "MiB of each thread alone")
      ->capture_default_str();
  add_switch(app, "-z", "init_zero", options.init_zero, "write zeros to all memory first");
  add_switch(app, "-I", "init_random", options.init_names,
             "write to each word first which one it is");
  add_switch(app, "-0", "init_cpu0", options.init_cpu0, "do so on the node of CPU 0");
  app.add_option("-H,--thp", options.huge_pages,
                 "huge pages: below 0 never, 0 as the system has it, above 0 where possible")
      ->capture_default_str();
}

void define_work(CLI::App& app, NumaMemOptions& options) {
  add_switch(app, "-R", "data_reads", options.reads, "read the words");
  add_switch(app, "-W", "data_writes", options.writes, "write the words");
  add_switch(app, "-B", "data_backwards", options.backwards, "walk backwards every other time");
  add_switch(app, "-Z", "data_zero_memset", options.zero, "only zero the words, by memset");
  add_switch(app, "-r", "data_rand_walk", options.random,
             "walk runs of 1024 words at random places");
  app.add_option("-l,--nr_loops", options.loops, "loops of each thread, 0: no limit")
      ->capture_default_str();
  app.add_option("-s,--nr_secs", options.seconds, "seconds, 0: no limit")->capture_default_str();
  app.add_option("-u,--usleep", options.sleep_us,
                 "microseconds of sleep under the process's lock in each loop")
      ->capture_default_str();
  add_switch(app, "-S", "serialize-startup", options.serialize, "let all threads begin at once");
  app.add_option("-x,--perturb_secs", options.perturb_s,
                 "move the first thread to the other end of the machine and release it, every so "
                 "many seconds; 0: never")
      ->capture_default_str();
}

void define_report(CLI::App& app, NumaMemOptions& options) {
  add_switch(app, "-c", "show_convergence", options.convergence,
             "look where the threads and pages of each process are while they work");
  add_switch(app, "-m", "measure_convergence", options.until_converged,
             "end when the threads of each process are on one node");
  app.add_option("--interval", options.interval_s, "seconds between two looks")
      ->capture_default_str();
  add_switch(app, "-d", "show_details", options.details, "show every thread");
  add_switch(app, "-q", "quiet", options.quiet, "print the figures alone");
  app.add_option("--output", options.output, "write the JSON to this file")->type_name("FILE");
  app.add_flag("--json", options.json, "print JSON");
}

Result<void> check_memory(const NumaMemOptions& options) {
  const std::array sizes{std::pair("-G", options.global_mb), std::pair("-P", options.process_mb),
                         std::pair("-L", options.locked_mb), std::pair("-T", options.thread_mb)};
  for (const auto& [letter, mb] : sizes) {
    if (mb >= 0.0 && mb <= most_mb) continue;  // Not a number is neither.
    return bad_usage(fmt::format("{} {} is no size", letter, mb), "give MiB, such as 64");
  }
  if (options.global_mb + options.process_mb + options.thread_mb == 0.0) {
    return bad_usage("there is no memory to use", "give -G, -P or -T more than 0 MiB");
  }
  if (options.locked_mb > options.process_mb) {
    return bad_usage(fmt::format("-L {} is more than -P {}, of which it is a part",
                                 options.locked_mb, options.process_mb),
                     "give a smaller -L, or a larger -P");
  }
  return {};
}

Result<void> check_numa_mem_times(const NumaMemOptions& options) {
  const std::array times{std::pair("-s", options.seconds), std::pair("-x", options.perturb_s)};
  for (const auto& [letter, seconds] : times) {
    if (seconds >= 0.0 && seconds <= longest_run_s) continue;
    return bad_usage(fmt::format("{} {} is no usable time", letter, seconds),
                     fmt::format("give 0 to {:.0f} seconds", longest_run_s));
  }
  if (!(options.interval_s >= 0.01 && options.interval_s <= longest_run_s)) {
    return bad_usage(fmt::format("--interval {} is no usable time", options.interval_s),
                     fmt::format("give 0.01 to {:.0f} seconds", longest_run_s));
  }
  if (options.loops == 0 && options.seconds == 0.0 && !options.until_converged) {
    return bad_usage("nothing would end this run", "give -l or -s more than 0");
  }
  return {};
}

}  // namespace

workloads::numa_mem::Course course_of(const NumaMemOptions& options) {
  const Work work = options.zero     ? Work::zero
                    : !options.reads ? Work::write
                    : options.writes ? Work::update
                                     : Work::read;
  return {work, options.random, options.backwards};
}

void define_options(CLI::App& app, NumaMemOptions& options) {
  define_tasks(app, options);
  define_memory(app, options);
  define_work(app, options);
  define_report(app, options);
}

Result<void> check(const NumaMemOptions& options) {
  if (options.processes == 0 || options.threads == 0) {
    return bad_usage("there is no thread to do the work", "give -p and -t 1 or more");
  }
  if (!options.reads && !options.writes && !options.zero) {
    return bad_usage("the words are neither read nor written", "leave -R, -W or -Z on");
  }
  if (options.strategy != "none" && !(options.cpus.empty() && options.memory_nodes.empty())) {
    return bad_usage("a strategy places threads and memory itself",
                     "give --strategy, or -C and -M, not both");
  }
  if (auto sizes = check_memory(options); !sizes) return sizes;
  if (auto times = check_numa_mem_times(options); !times) return times;
  return check_output_folder(options.output);
}

}  // namespace homenode::cli
