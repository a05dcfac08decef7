#include "trial/numa_mem/work.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "base/marker.h"

namespace homenode::trial {
namespace {

namespace numa_mem = workloads::numa_mem;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

void do_loop(const NumaMemWorker& worker, NumaMemRecord& record) {
  const NumaMemPlan& plan = worker.world.plan;
  const NumaMemOptions& options = plan.options;
  const numa_mem::Course course = course_of(options);
  const auto use = [&](const numa_mem::Words& words, unsigned part, unsigned parts,
                       std::uint64_t& updates) {
    if (words.words.empty()) return;
    const auto walked = numa_mem::walk(words, course, {part, parts, record.loops, options.loops});
    updates += walked.updates;
    record.right &= walked.right;
  };
  use(worker.world.global, worker.process, options.processes, record.updates_global);
  use(worker.process_memory, worker.thread, options.threads, record.updates_process);
  use(worker.thread_memory, 0, 1, record.updates_thread);
  if (options.sleep_us > 0) {
    const std::lock_guard guard(worker.lock);
    usleep(options.sleep_us);
  }
  if (plan.locked_bytes > 0) {
    const std::lock_guard guard(worker.lock);
    numa_mem::Words locked = worker.process_memory;
    locked.words = locked.words.first(plan.locked_bytes / 8);
    use(locked, worker.thread, options.threads, record.updates_process);
  }
}

}  // namespace

workloads::numa_mem::Use use_of(std::span<const NumaMemRecord> users,
                                std::uint64_t NumaMemRecord::*updates, bool with_locked_part) {
  workloads::numa_mem::Use use{static_cast<unsigned>(users.size()), users.front().loops, 0, 0, 0};
  for (const NumaMemRecord& user : users) {
    use.least_loops = std::min(use.least_loops, user.loops);
    use.most_loops = std::max(use.most_loops, user.loops);
    use.walks += user.loops * (with_locked_part ? 2 : 1);
    use.updates += user.*updates;
  }
  return use;
}

void to_json(nlohmann::json& json, const NumaMemRecord& record) {
  json = {{"loops", record.loops},
          {"start_s", record.start_s},
          {"end_s", record.end_s},
          {"user_s", record.user_s},
          {"system_s", record.system_s},
          {"right", record.right},
          {"updates_global", record.updates_global},
          {"wrong_in_thread", record.wrong_in_thread}};
}

void from_json(const nlohmann::json& json, NumaMemRecord& record) {
  record.loops = json.value("loops", record.loops);
  record.start_s = json.value("start_s", 0.0);
  record.end_s = json.value("end_s", 0.0);
  record.user_s = json.value("user_s", 0.0);
  record.system_s = json.value("system_s", 0.0);
  record.right = json.value("right", false);
  record.updates_global = json.value("updates_global", record.updates_global);
  record.wrong_in_thread = json.value("wrong_in_thread", record.wrong_in_thread);
}

NumaMemRecord do_loops(const NumaMemWorker& worker) {
  constexpr double seconds_per_ps = 1e-12;
  const NumaMemWorld& world = worker.world;
  const NumaMemOptions& options = world.plan.options;
  const std::size_t slot = std::size_t{worker.process} * options.threads + worker.thread;
  NumaMemRecord record;
  hn_marker_thread(slot);
  record.start_s = static_cast<double>(world.clock.now_ps(slot)) * seconds_per_ps;
  do {
    do_loop(worker, record);
    record.loops += 1;
    world.live.at(slot).say_where(world.os);
  } while (!world.live.stopped() && (options.loops == 0 || record.loops < options.loops));
  record.end_s = static_cast<double>(world.clock.now_ps(slot)) * seconds_per_ps;
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  record.user_s = seconds_of(usage.ru_utime);
  record.system_s = seconds_of(usage.ru_stime);
  return record;
}

}  // namespace homenode::trial
