#include "trial/numa_mem/process.h"

#include <fmt/format.h>
#include <pthread.h>

#include <latch>
#include <mutex>
#include <optional>
#include <vector>

#include "actuation/process.h"
#include "os/processes.h"
#include "trial/numa_mem/audit.h"
#include "trial/numa_mem/memory.h"
#include "trial/numa_mem/work.h"
#include "trial/own_place.h"

namespace homenode::trial {
namespace {

namespace numa_mem = workloads::numa_mem;

class NumaMemProcess {
 public:
  NumaMemProcess(const NumaMemWorld& world, unsigned number, CrewVoice voice)
      : world_(world),
        plan_(world.plan),
        number_(number),
        voice_(voice),
        first_task_(std::size_t{number} * plan_.options.threads),
        original_(world.os),
        records_(plan_.options.threads),
        thread_memory_(plan_.options.threads),
        ready_(plan_.options.threads),
        worked_(plan_.options.threads) {}

  int live();

 private:
  struct Member {
    NumaMemProcess* process = nullptr;
    unsigned thread = 0;
  };

  [[nodiscard]] const NumaMemTask& task(unsigned thread) const {
    return plan_.tasks[first_task_ + thread];
  }
  Result<void> take_place(unsigned thread);
  Result<void> prepare_process();
  Result<void> prepare_thread(unsigned thread);
  void be_thread(unsigned thread);
  void start_threads(std::vector<pthread_t>& threads);
  [[nodiscard]] std::string report();
  void refuse(const Error& error);

  const NumaMemWorld& world_;
  const NumaMemPlan& plan_;
  unsigned number_;
  CrewVoice voice_;
  std::size_t first_task_;
  OwnPlace original_;
  OwnMemory process_memory_;
  std::vector<NumaMemRecord> records_;
  std::vector<OwnMemory> thread_memory_;
  std::vector<Member> members_;
  std::latch ready_;
  std::latch worked_;
  std::mutex lock_;  ///< perf's lock of the process; of error_ before the work begins.
  std::optional<Error> error_;
};

void NumaMemProcess::refuse(const Error& error) {
  const std::lock_guard guard(lock_);
  if (!error_) error_ = error;
}

Result<void> NumaMemProcess::take_place(unsigned thread) {
  if (auto taken = original_.take(task(thread).cpus, task(thread).memory_node); !taken) {
    return taken;
  }
  if (!plan_.placement.process_memory) return {};
  return actuation::set_process_policy(world_.os, *plan_.placement.process_memory);
}

Result<void> NumaMemProcess::prepare_process() {
  // As in perf, the process's memory is initialised where its first thread will be.
  if (auto taken = take_place(0); !taken) return taken;
  return process_memory_.map(world_.os, plan_, plan_.process_bytes,
                             name_of_process_memory(number_));
}

Result<void> NumaMemProcess::prepare_thread(unsigned thread) {
  if (auto taken = take_place(thread); !taken) return taken;
  OwnMemory& own = thread_memory_[thread];
  const auto mapped =
      own.map(world_.os, plan_, plan_.thread_bytes, name_of_thread_memory(number_, thread));
  if (!mapped) return mapped;
  LiveTask& live = world_.live.at(first_task_ + thread);
  live.thread_memory = reinterpret_cast<std::uintptr_t>(own.words.words.data());
  live.process_memory = reinterpret_cast<std::uintptr_t>(process_memory_.words.words.data());
  live.thread = os::thread_id();
  live.say_where(world_.os);
  return {};
}

void NumaMemProcess::be_thread(unsigned thread) {
  if (const auto prepared = prepare_thread(thread); !prepared) refuse(prepared.error());
  ready_.arrive_and_wait();
  {
    const std::lock_guard guard(lock_);
    if (error_) return;
  }
  if (thread == 0) voice_.say(crew_ready);
  if (plan_.options.serialize) world_.start.wait();
  records_[thread] = do_loops(
      {world_, number_, thread, process_memory_.words, thread_memory_[thread].words, lock_});
  worked_.arrive_and_wait();
  if (thread == 0) voice_.say(crew_worked);
  world_.finish.wait();
  if (thread_memory_[thread].words.words.empty()) return;
  records_[thread].wrong_in_thread =
      numa_mem::wrong_words(thread_memory_[thread].words, course_of(plan_.options),
                            use_of({&records_[thread], 1}, &NumaMemRecord::updates_thread, false));
}

void NumaMemProcess::start_threads(std::vector<pthread_t>& threads) {
  for (unsigned thread = 0; thread < plan_.options.threads; ++thread) {
    members_.push_back({this, thread});
  }
  const auto body = [](void* argument) -> void* {
    const Member& member = *static_cast<Member*>(argument);
    member.process->be_thread(member.thread);
    return nullptr;
  };
  for (unsigned thread = 1; thread < plan_.options.threads; ++thread) {
    pthread_t started{};
    const int error = pthread_create(&started, nullptr, body, &members_[thread]);
    if (error == 0) {
      threads.push_back(started);
      continue;
    }
    refuse(failed(fmt::format("cannot start {} threads", plan_.options.threads),
                  "give fewer -t, or raise the limit (ulimit -u, pids.max)", error)
               .take());
    ready_.count_down();  // For the thread that there is not.
  }
}

std::string NumaMemProcess::report() {
  std::uint64_t wrong = 0;
  nlohmann::json memories = nlohmann::json::array();
  if (process_memory_.memory) {
    wrong = numa_mem::wrong_words(
        process_memory_.words, course_of(plan_.options),
        use_of(records_, &NumaMemRecord::updates_process, plan_.locked_bytes > 0));
    const NumaMemAudit audit =
        audit_words(world_.os, name_of_process_memory(number_), {&process_memory_.words, 1});
    memories.push_back(audit);
  }
  std::vector<numa_mem::Words> own;
  for (const OwnMemory& each : thread_memory_) {
    if (each.memory) own.push_back(each.words);
  }
  if (!own.empty()) {
    memories.push_back(audit_words(world_.os, fmt::format("threads of {}", number_), own));
  }
  return nlohmann::json{{"tasks", records_}, {"wrong_in_process", wrong}, {"memories", memories}}
      .dump();
}

int NumaMemProcess::live() {
  world_.start.only_wait();
  world_.finish.only_wait();
  if (const auto prepared = prepare_process(); !prepared) {
    voice_.say_error(prepared.error());
    return 1;
  }
  std::vector<pthread_t> threads;
  start_threads(threads);
  be_thread(0);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  if (error_) {
    voice_.say_error(*error_);
    return 1;
  }
  voice_.say(report());
  return 0;
}

}  // namespace

int be_numa_mem_process(const NumaMemWorld& world, unsigned number, CrewVoice voice) {
  return NumaMemProcess(world, number, voice).live();
}

}  // namespace homenode::trial
