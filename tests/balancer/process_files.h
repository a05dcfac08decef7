// The kernel's files of a made-up process, as the fake has them. Serves the tests of the balancer.
#pragma once

#include <fmt/format.h>

#include <string>

#include "fake/fake.h"

namespace homenode::balancer {

struct FakeTask {
  pid_t pid = 0;
  pid_t tid = 0;
  unsigned long started = 100;
  unsigned long cpu_ticks = 0;
  unsigned scheduling = 0;
  std::string cpus = "0-3";
  pid_t tracer = 0;
  unsigned flags = 0;
  char state = 'R';
};

/// A line of /proc/PID/stat.
inline std::string stat_line(const FakeTask& task) {
  const std::string zeros = " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0";  // Words 23 to 37.
  return fmt::format("{} (prog) {} 1 1 1 0 -1 {} 0 0 0 0 {} 0 0 0 20 0 1 0 {}{} 17 0 0 {} 0\n",
                     task.tid, task.state, task.flags, task.cpu_ticks, task.started, zeros,
                     task.scheduling);
}

inline std::string status_text(const FakeTask& task) {
  return fmt::format(
      "Name:\tprog\nTracerPid:\t{}\nUid:\t1000\t1000\t1000\t1000\nVmLck:\t       8 kB\n"
      "VmRSS:\t  204800 kB\nCpus_allowed_list:\t{}\nMems_allowed_list:\t0-1\n",
      task.tracer, task.cpus);
}

/// Sets the files of a thread, and of its process where it is the first.
inline void set_task(os::Fake& os, const FakeTask& task) {
  const std::string thread = fmt::format("/proc/{}/task/{}/", task.pid, task.tid);
  os.set_file(thread + "stat", stat_line(task));
  os.set_file(thread + "status", status_text(task));
  if (task.pid != task.tid) return;
  const std::string process = fmt::format("/proc/{}/", task.pid);
  os.set_file(process + "stat", stat_line(task));
  os.set_file(process + "status", status_text(task));
  os.set_file(process + "cgroup", "0::/user/one\n");
}

}  // namespace homenode::balancer
