#include "cli/bench/numa_mem_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/bench/program_options.h"

namespace homenode::cli {
namespace {

/// A flag that is on unless its other name is given, or the other way round, as perf has them.
void add_switch(CLI::App& app, const std::string& letter, const std::string& name, bool& target,
                const std::string& description) {
  const std::string names = fmt::format("{},--{},!--no-{}", letter, name, name);
  app.add_flag(names, target, description + (target ? " (on unless --no-... is given)" : ""));
}

void define_tasks(CLI::App& app, trial::NumaMemOptions& options) {
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

void define_memory(CLI::App& app, trial::NumaMemOptions& options) {
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

void define_work(CLI::App& app, trial::NumaMemOptions& options) {
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

void define_report(CLI::App& app, trial::NumaMemOptions& options) {
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

}  // namespace

void define_options(CLI::App& app, trial::NumaMemOptions& options) {
  define_tasks(app, options);
  define_memory(app, options);
  define_work(app, options);
  define_report(app, options);
}

}  // namespace homenode::cli
