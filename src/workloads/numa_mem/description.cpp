#include "workloads/numa_mem/description.h"

namespace homenode::workloads::numa_mem {
namespace {

std::vector<Parameter> of_the_tasks() {
  return {whole_number("nr_proc", "1", "processes", 1),
          whole_number("nr_threads", "1", "threads of each process", 1),
          free_text("cpus", "",
                    "CPUs of the first tasks, as CPU,...; A-B#STEP in steps, A_N for N CPUs from A "
                    "on, AxN for N tasks; the others stay unbound"),
          free_text("memnodes", "",
                    "nodes that the first tasks' memory is bound to, as NODE,... with -, # and x"),
          {.name = "strategy",
           .kind = ValueKind::strategy,
           .standard = "none",
           .meaning = "how threads and arrays are placed"}};
}

std::vector<Parameter> of_the_memory() {
  return {
      real_number("mb_global", "1", "MiB that all processes share", 0, most_mb),
      real_number("mb_proc", "0", "MiB of each process, for all its threads", 0, most_mb),
      real_number("mb_proc_locked", "0",
                  "MiB of these that are walked again under the process's lock", 0, most_mb),
      real_number("mb_thread", "0", "MiB private to each thread", 0, most_mb),
      on_or_off("init_zero", "false", "write zeros to all memory first"),
      on_or_off("init_random", "true", "first write to each word its own number"),
      on_or_off("init_cpu0", "false", "initialise the memory on the node of CPU 0"),
      whole_number("thp", "0",
                   "huge pages: below 0 never, 0 as the system sets it, above 0 where possible")};
}

std::vector<Parameter> of_the_work() {
  return {
      on_or_off("data_reads", "true", "read the words"),
      on_or_off("data_writes", "true", "write the words"),
      on_or_off("data_backwards", "true", "walk backwards every other time"),
      on_or_off("data_zero_memset", "false", "only zero the words, by memset"),
      on_or_off("data_rand_walk", "true", "walk runs of 1024 words at random places"),
      whole_number("nr_loops", "0", "loops of each thread, 0: no limit", 0),
      real_number("nr_secs", "5", "seconds, 0: no limit", 0, longest_s),
      whole_number("usleep", "0", "microseconds of sleep under the process's lock in each loop", 0),
      on_or_off("serialize-startup", "true", "let all threads begin at once"),
      real_number("perturb_secs", "0",
                  "every this many seconds, move the first thread to the other end of the "
                  "machine and release it; 0: never",
                  0, longest_s)};
}

std::vector<Parameter> of_the_looks() {
  return {on_or_off("show_convergence", "false",
                    "sample where the threads and pages of each process are while they work"),
          on_or_off("measure_convergence", "false",
                    "end when the threads of each process are on one node"),
          real_number("interval", "1", "seconds between two samples", 0.01, longest_s)};
}

}  // namespace

Description describe() {
  Description numa_mem = description_of(
      "numa-mem", "processes and threads on memory that all, some or one of them use, as in perf",
      "-G for all, -P per process, -T per thread, in MiB",
      "shared by all, by a process's threads, or a thread's own", "perf bench numa mem: Linux");
  numa_mem.placement = "strategy";
  for (const auto& part : {of_the_tasks(), of_the_memory(), of_the_work(), of_the_looks()}) {
    numa_mem.parameters.insert(numa_mem.parameters.end(), part.begin(), part.end());
  }
  numa_mem.metrics = {{.name = "speed",
                       .unit = "B/s",
                       .meaning = "bytes per second of all threads together",
                       .path = "/total_bytes_per_s"},
                      {.name = "slowest",
                       .unit = "s",
                       .meaning = "time of the slowest thread",
                       .path = "/runtime_max_s",
                       .more_is_better = false}};
  return numa_mem;
}

}  // namespace homenode::workloads::numa_mem
