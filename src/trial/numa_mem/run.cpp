#include "trial/numa_mem/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/marker.h"
#include "os/lab_clock.h"
#include "trial/numa_mem/memory.h"
#include "trial/numa_mem/process.h"

namespace homenode::trial {
namespace {

namespace numa_mem = workloads::numa_mem;
using Moment = std::chrono::steady_clock::time_point;

double host_seconds_since(Moment begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The lab's clock where there is one; else the host's, labelled as such.
std::unique_ptr<os::Clock> clock_of_run() {
  auto clock = os::open_clock();
  if (clock) return *std::move(clock);
  return std::make_unique<os::SteadyClock>();
}

/// Moves the first thread to the far end of the machine, and lets it go where it may be.
void perturb_first(os::Os& os, const NumaMemPlan& plan, const LiveTasks& live) {
  const LiveTask& first = live.at(0);
  const pid_t thread = first.thread;
  CpuSet allowed;
  if (os.sched_getaffinity(thread, allowed) != 0) return;
  const auto middle = static_cast<int>((plan.first_cpu.value() + plan.last_cpu.value() + 1) / 2);
  const CpuId target = first.cpu < middle ? plan.last_cpu : plan.first_cpu;
  os.sched_setaffinity(thread, {target});
  os.sched_setaffinity(thread, allowed);
}

/// Hears the crew until all have worked, looks at them, perturbs them and ends their work in time.
class NumaMemWatch {
 public:
  NumaMemWatch(os::Os& os, const NumaMemPlan& plan, const LiveTasks& live, Crew& crew)
      : os_(os), plan_(plan), live_(live), crew_(crew) {
    for (unsigned i = 0; i < plan.options.processes; ++i) processes_.push_back(crew.process(i));
  }

  Result<void> until_worked(std::vector<NumaMemLook>& looks) {
    constexpr double never = std::numeric_limits<double>::max();
    const NumaMemOptions& options = plan_.options;
    const Moment begin = std::chrono::steady_clock::now();
    double look_s = options.looks() ? options.interval_s : never;
    double perturb_s = options.perturb_s > 0.0 ? options.perturb_s : never;
    double end_s = options.seconds > 0.0 ? options.seconds : never;
    while (!crew_.all_said(crew_worked)) {
      const double next_s = std::min({look_s, perturb_s, end_s}) - host_seconds_since(begin);
      if (auto heard = crew_.hear(std::clamp(next_s, 0.0, 3600.0)); !heard) return heard;
      const double now_s = host_seconds_since(begin);
      if (now_s >= end_s) {
        live_.stop();
        end_s = never;
      }
      if (now_s >= perturb_s) {
        perturb_first(os_, plan_, live_);
        perturb_s += options.perturb_s;
      }
      if (now_s < look_s || live_.stopped()) continue;
      add_look(now_s, looks);
      look_s += options.interval_s;
      if (options.until_converged && looks.back().converged()) live_.stop();
    }
    return {};
  }

 private:
  void add_look(double seconds, std::vector<NumaMemLook>& looks) {
    looks.push_back(take_look(os_, plan_, live_, processes_));
    looks.back().seconds = seconds;
  }

  os::Os& os_;
  const NumaMemPlan& plan_;
  const LiveTasks& live_;
  Crew& crew_;
  std::vector<pid_t> processes_;
};

/// What the processes said at their end. Errors: failed for what they found wrong.
Result<void> read_reports(const Crew& crew, NumaMemReport& report) {
  std::uint64_t wrong = 0;
  for (const std::string& line : crew.reports()) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    for (const auto& task : json["tasks"]) report.tasks.push_back(task);
    for (const auto& memory : json["memories"]) report.memories.push_back(memory);
    wrong += json["wrong_in_process"].get<std::uint64_t>();
  }
  std::size_t misled = 0;
  for (const NumaMemRecord& task : report.tasks) {
    wrong += task.wrong_in_thread;
    misled += task.right ? 0 : 1;
  }
  if (wrong == 0 && misled == 0) return {};
  return failed(fmt::format("not verified: {} words are wrong in the memory of processes and "
                            "threads, and {} threads read wrong words",
                            wrong, misled),
                "memory was changed from outside while it was moved; see the kernel's log");
}

Result<void> check_global(const NumaMemPlan& plan, const numa_mem::Words& global,
                          const NumaMemReport& report) {
  if (global.words.empty()) return {};
  const std::uint64_t wrong = numa_mem::wrong_words(
      global, course_of(plan.options), use_of(report.tasks, &NumaMemRecord::updates_global, false));
  if (wrong == 0) return {};
  return failed(fmt::format("not verified: {} words of the global memory are wrong", wrong),
                "memory was changed from outside while it was moved; see the kernel's log");
}

/// Hears the crew until `done`.
template <class Done>
Result<void> hear_until(Crew& crew, const Done& done) {
  while (!done()) {
    if (auto heard = crew.hear(-1.0); !heard) return heard;
  }
  return {};
}

/// The processes' whole life, around the region of interest.
Result<void> run_crew(const NumaMemWorld& world, NumaMemReport& report) {
  const NumaMemPlan& plan = world.plan;
  Crew crew;
  if (!plan.options.serialize) hn_marker_begin_all();
  for (unsigned number = 0; number < plan.options.processes; ++number) {
    const auto started =
        crew.start([&](CrewVoice voice) { return be_numa_mem_process(world, number, voice); });
    if (!started) return started;
  }
  if (auto ready = hear_until(crew, [&] { return crew.all_said(crew_ready); }); !ready) {
    return ready;
  }
  if (plan.options.serialize) hn_marker_begin_all();
  world.start.open();
  NumaMemWatch watch(world.os, plan, world.live, crew);
  if (auto worked = watch.until_worked(report.looks); !worked) return worked;
  hn_marker_end();
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    report.cpu_of_task.push_back(world.live.at(i).cpu);
    report.node_of_task.push_back(world.live.at(i).node);
  }
  world.finish.open();
  if (auto ended = hear_until(crew, [&] { return crew.all_reported(); }); !ended) return ended;
  return read_reports(crew, report);
}

}  // namespace

NumaMemWalk walk_of(const NumaMemPlan& plan, const NumaMemRecord& task) {
  NumaMemWalk walk;
  walk.bytes = static_cast<double>(task.loops) * static_cast<double>(plan.bytes_of_loop());
  walk.seconds = task.end_s - task.start_s;
  if (walk.seconds > 0.0) walk.speed = walk.bytes / walk.seconds;
  return walk;
}

NumaMemFigures figures_of(const NumaMemReport& report) {
  NumaMemFigures figures;
  double first_s = std::numeric_limits<double>::max();
  double last_s = 0.0;
  figures.fastest_s = std::numeric_limits<double>::max();
  const auto tasks = static_cast<double>(report.tasks.size());
  for (const NumaMemRecord& task : report.tasks) {
    const NumaMemWalk walk = walk_of(report.plan, task);
    first_s = std::min(first_s, task.start_s);
    last_s = std::max(last_s, task.end_s);
    figures.fastest_s = std::min(figures.fastest_s, walk.seconds);
    figures.mean_s += walk.seconds / tasks;
    figures.bytes += walk.bytes;
  }
  figures.slowest_s = last_s - first_s;
  figures.bytes_of_thread = figures.bytes / tasks;
  if (figures.slowest_s <= 0.0) return figures;
  figures.spread = (figures.slowest_s - figures.fastest_s) / 2 / figures.slowest_s;
  figures.ns_per_byte_of_thread = 1e9 * figures.slowest_s / figures.bytes_of_thread;
  figures.speed = figures.bytes / figures.slowest_s;
  figures.thread_speed = figures.speed / tasks;
  return figures;
}

Result<NumaMemReport> run_numa_mem(os::Os& os, const NumaMemPlan& plan) {
  NumaMemReport report;
  report.plan = plan;
  const auto clock = clock_of_run();
  report.modelled = clock->modelled();
  std::optional<SharedPages> pages;
  numa_mem::Words global;
  if (plan.global_bytes > 0) {
    auto mapped = SharedPages::map(plan.global_bytes, alignment_of(plan, plan.global_bytes));
    if (!mapped) return mapped.as_unexpected();
    pages.emplace(*std::move(mapped));
    const auto words = prepare_memory(os, plan, pages->region(), "global");
    if (!words) return words.as_unexpected();
    global = *words;
  }
  const auto live = LiveTasks::make(plan.tasks.size());
  if (!live) return live.as_unexpected();
  auto start = CrewGate::make();
  if (!start) return start.as_unexpected();
  auto finish = CrewGate::make();
  if (!finish) return finish.as_unexpected();
  const NumaMemWorld world{os, *clock, plan, global, *live, *start, *finish};
  if (auto ran = run_crew(world, report); !ran) return ran.as_unexpected();
  if (auto right = check_global(plan, global, report); !right) return right.as_unexpected();
  if (pages) {
    report.memories.insert(report.memories.begin(), audit_words(os, "global", {&global, 1}));
  }
  return report;
}

}  // namespace homenode::trial
