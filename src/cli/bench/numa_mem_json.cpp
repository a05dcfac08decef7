#include <nlohmann/json.hpp>

#include "cli/bench/clock.h"
#include "cli/bench/numa_mem_render.h"
#include "cli/json_numbers.h"

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
                    {"cpu", report.cpu_of_task[i]},
                    {"node", report.node_of_task[i]},
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
      NumaMemJson pages = NumaMemJson::object();
      for (const auto& [node, count] : process.pages) {
        pages[std::to_string(node.value())] = count;
      }
      processes.push_back({{"thread_nodes", numbers(process.thread_nodes)}, {"pages", pages}});
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
    NumaMemJson entry{{"name", memory.name}, {"bytes", memory.bytes}, {"pages", memory.pages}};
    if (!memory.refusal.empty()) entry["not_audited"] = memory.refusal;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

std::string numa_mem_json(const trial::NumaMemReport& report) {
  const trial::NumaMemFigures figures = trial::figures_of(report);
  const auto since = trial::converged_since(report.looks);
  const NumaMemJson json{{"schema", "homenode.bench.numa-mem/1"},
                         {"options", numa_mem_options_json(report.plan)},
                         {"clock", report.modelled ? modelled_words : host_clock_words()},
                         {"runtime_max_s", figures.slowest_s},
                         {"runtime_min_s", figures.fastest_s},
                         {"runtime_avg_s", figures.mean_s},
                         {"runtime_spread", figures.spread},
                         {"data_per_thread", figures.bytes_of_thread},
                         {"data_total", figures.bytes},
                         {"ns_per_byte_and_thread", figures.ns_per_byte_of_thread},
                         {"thread_bytes_per_s", figures.thread_speed},
                         {"total_bytes_per_s", figures.speed},
                         {"verified", true},
                         {"tasks", tasks_json(report)},
                         {"memories", memories_json(report)},
                         {"looks", looks_json(report)},
                         {"converged_s", since ? NumaMemJson(*since) : NumaMemJson(nullptr)}};
  return json.dump() + '\n';
}

}  // namespace homenode::cli
