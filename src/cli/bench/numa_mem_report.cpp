#include "cli/bench/numa_mem_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_numbers.h"
#include "cli/bench/workload.h"

namespace homenode::cli {
namespace {

using NumaMemJson = nlohmann::ordered_json;

const char* name_of(workloads::numa_mem::Work work) {
  using workloads::numa_mem::Work;
  switch (work) {
    case Work::read:
      return "read";
    case Work::write:
      return "write";
    case Work::update:
      return "read and write";
    case Work::zero:
      return "zero";
  }
  return "";
}

NumaMemJson numa_mem_options_json(const trial::NumaMemPlan& plan) {
  const trial::NumaMemOptions& options = plan.options;
  const auto course = trial::course_of(options);
  return {{"processes", options.processes},
          {"threads", options.threads},
          {"global_bytes", plan.global_bytes},
          {"process_bytes", plan.process_bytes},
          {"locked_bytes", plan.locked_bytes},
          {"thread_bytes", plan.thread_bytes},
          {"loops", options.loops},
          {"seconds", options.seconds},
          {"sleep_us", options.sleep_us},
          {"work", name_of(course.work)},
          {"random", course.random},
          {"backwards", course.backwards},
          {"init", options.init_zero    ? "zeros"
                   : options.init_names ? "names"
                                        : "none"},
          {"init_cpu0", options.init_cpu0},
          {"thp", options.huge_pages},
          {"perturb_s", options.perturb_s},
          {"serialize", options.serialize},
          {"strategy", options.strategy}};
}

NumaMemJson known(int id) {
  return id < 0 ? NumaMemJson() : NumaMemJson(id);
}

NumaMemJson tasks_json(const trial::NumaMemReport& report) {
  NumaMemJson list = NumaMemJson::array();
  for (std::size_t i = 0; i < report.tasks.size(); ++i) {
    const trial::NumaMemTask& task = report.plan.tasks[i];
    const trial::NumaMemRecord& record = report.tasks[i];
    const trial::NumaMemWalk walk = trial::walk_of(report.plan, record);
    list.push_back({{"process", task.process},
                    {"thread", task.thread},
                    {"bound_to_cpus", task.cpus ? numbers(*task.cpus) : NumaMemJson(nullptr)},
                    {"memory_node", task.memory_node ? NumaMemJson(task.memory_node->value())
                                                     : NumaMemJson(nullptr)},
                    {"cpu", known(report.cpu_of_task[i])},
                    {"node", known(report.node_of_task[i])},
                    {"loops", record.loops},
                    {"bytes", walk.bytes},
                    {"seconds", walk.seconds},
                    {"bytes_per_s", walk.speed},
                    {"user_s", record.user_s},
                    {"system_s", record.system_s}});
  }
  return list;
}

NumaMemJson looks_json(const trial::NumaMemReport& report) {
  NumaMemJson list = NumaMemJson::array();
  for (const trial::NumaMemLook& look : report.looks) {
    NumaMemJson processes = NumaMemJson::array();
    for (const trial::ProcessLook& process : look.processes) {
      processes.push_back({{"thread_nodes", numbers(process.thread_nodes)},
                           {"pages_on_node", by_node(process.pages)}});
    }
    list.push_back({{"seconds", look.seconds},
                    {"converged", look.converged()},
                    {"processes", std::move(processes)}});
  }
  return list;
}

NumaMemJson memories_json(const trial::NumaMemReport& report) {
  NumaMemJson list = NumaMemJson::array();
  for (const trial::NumaMemAudit& memory : report.memories) {
    const bool audited = memory.refusal.empty();
    list.push_back({{"name", memory.name},
                    {"bytes", memory.bytes},
                    {"pages_on_node", by_node(memory.pages_on_node)},
                    {"pages_on_no_node", memory.reasons},
                    {"not_audited", audited ? NumaMemJson() : NumaMemJson(memory.refusal)}});
  }
  return list;
}

constexpr double giga = 1e9;

std::string numa_mem_headline(const trial::NumaMemReport& report) {
  const trial::NumaMemPlan& plan = report.plan;
  const auto mib = [](std::size_t bytes) { return static_cast<double>(bytes) / (1U << 20U); };
  return fmt::format(
      "numa-mem: {} processes of {} threads, strategy {}\n"
      "MiB walked in a loop: global {:g}, process {:g}, of it again under a lock {:g}, thread "
      "{:g}\n\n",
      plan.options.processes, plan.options.threads, plan.options.strategy, mib(plan.global_bytes),
      mib(plan.process_bytes), mib(plan.locked_bytes), mib(plan.thread_bytes));
}

std::string figures_text(const trial::NumaMemReport& report) {
  const trial::NumaMemFigures figures = trial::figures_of(report);
  const auto row = [](const char* name, double value, const char* unit) {
    return fmt::format("{:<26} {:>14.3f} {}\n", name, value, unit);
  };
  std::string text;
  text += row("runtime-max/thread", figures.slowest_s, "s");
  text += row("runtime-min/thread", figures.fastest_s, "s");
  text += row("runtime-avg/thread", figures.mean_s, "s");
  text += row("spread-runtime/thread", 100.0 * figures.spread, "%");
  text += row("data/thread", figures.bytes_of_thread / giga, "GB");
  text += row("data-total", figures.bytes / giga, "GB");
  text += row("runtime/byte/thread", figures.ns_per_byte_of_thread, "ns");
  text += row("thread-speed", figures.thread_speed / giga, "GB/s");
  text += row("total-speed", figures.speed / giga, "GB/s");
  return text + fmt::format("Times: {}; contents verified\n",
                            report.modelled ? modelled_words : host_clock_words());
}

std::string numa_mem_pages_text(const trial::NumaMemReport& report) {
  std::string text = fmt::format("\n{:<16} {:>10}  pages at the end\n", "memory", "MiB");
  for (const trial::NumaMemAudit& memory : report.memories) {
    std::string pages = memory.refusal;
    const auto comma = [&] { return pages.empty() ? "" : ", "; };
    for (const auto& [node, count] : memory.pages_on_node) {
      pages += fmt::format("{}node {}: {}", comma(), node.value(), count);
    }
    for (const auto& [reason, count] : memory.reasons) {
      pages += fmt::format("{}{}: {}", comma(), reason, count);
    }
    text += fmt::format("{:<16} {:>10.2f}  {}\n", memory.name,
                        static_cast<double>(memory.bytes) / (1U << 20U), pages);
  }
  return text;
}

std::string tasks_text(const trial::NumaMemReport& report) {
  std::string text = fmt::format("\n{:<14} {:>5} {:>5} {:>9} {:>10} {:>9} {:>9}\n", "thread", "CPU",
                                 "node", "loops", "GB/s", "user s", "system s");
  for (std::size_t i = 0; i < report.tasks.size(); ++i) {
    const trial::NumaMemTask& task = report.plan.tasks[i];
    const trial::NumaMemRecord& record = report.tasks[i];
    text += fmt::format("{:<14} {:>5} {:>5} {:>9} {:>10.3f} {:>9.3f} {:>9.3f}\n",
                        fmt::format("{}/{}", task.process, task.thread), report.cpu_of_task[i],
                        report.node_of_task[i], record.loops,
                        trial::walk_of(report.plan, record).speed / giga, record.user_s,
                        record.system_s);
  }
  return text;
}

/// How many nodes the threads of a process are on, least and most, and how many pages with them.
std::string look_text(const trial::NumaMemLook& look) {
  std::size_t least = look.processes.front().thread_nodes.size();
  std::size_t most = 0;
  std::string pages;
  for (std::size_t i = 0; i < look.processes.size(); ++i) {
    const trial::ProcessLook& process = look.processes[i];
    least = std::min(least, process.thread_nodes.size());
    most = std::max(most, process.thread_nodes.size());
    std::size_t all = 0;
    std::size_t near = 0;
    for (const auto& [node, count] : process.pages) {
      all += count;
      near += process.thread_nodes.contains(node) ? count : 0;
    }
    if (all > 0) pages += fmt::format(" {}/{}", near, all);
  }
  return fmt::format("{:>8.2f}  {:>6}  {:<12} {}\n", look.seconds,
                     fmt::format("{}-{}", least, most), look.converged() ? "yes" : "no", pages);
}

std::string looks_text(const trial::NumaMemReport& report) {
  std::string text = fmt::format("\n{:>8}  {:>6}  {:<12} {}\n", "s (host)", "nodes", "converged",
                                 "sampled pages on a node of the process's threads, by process");
  for (const trial::NumaMemLook& look : report.looks) text += look_text(look);
  const auto since = trial::converged_since(report.looks);
  if (!since) return text + "not converged: a process has threads on several nodes\n";
  return text + fmt::format("converged since {:.2f} s (host clock)\n", *since);
}

}  // namespace

std::string numa_mem_json(const trial::NumaMemReport& report) {
  const trial::NumaMemFigures figures = trial::figures_of(report);
  const auto since = trial::converged_since(report.looks);
  const NumaMemJson json{{"schema", "homenode.bench.numa-mem/2"},
                         {"options", numa_mem_options_json(report.plan)},
                         {"clock", report.modelled ? modelled_words : host_clock_words()},
                         {"runtime_max_s", figures.slowest_s},
                         {"runtime_min_s", figures.fastest_s},
                         {"runtime_avg_s", figures.mean_s},
                         {"runtime_spread", figures.spread},
                         {"data_per_thread_bytes", figures.bytes_of_thread},
                         {"data_total_bytes", figures.bytes},
                         {"per_byte_and_thread_ns", figures.ns_per_byte_of_thread},
                         {"thread_bytes_per_s", figures.thread_speed},
                         {"total_bytes_per_s", figures.speed},
                         {"verified", true},
                         {"tasks", tasks_json(report)},
                         {"memories", memories_json(report)},
                         {"looks", looks_json(report)},
                         {"converged_s", since ? NumaMemJson(*since) : NumaMemJson(nullptr)}};
  return json.dump() + '\n';
}

std::string numa_mem_text(const trial::NumaMemReport& report) {
  const trial::NumaMemOptions& options = report.plan.options;
  if (options.quiet) return figures_text(report);
  std::string text = numa_mem_headline(report) + figures_text(report) + numa_mem_pages_text(report);
  if (options.details) text += tasks_text(report);
  if (options.looks()) text += looks_text(report);
  return text;
}

}  // namespace homenode::cli
