#include "workloads/numa_mem/description.h"

namespace homenode::workloads::numa_mem {
namespace {

std::vector<Parameter> of_the_tasks() {
  return {
      {.name = "nr_proc", .standard = "1", .meaning = "processes", .least = 1},
      {.name = "nr_threads", .standard = "1", .meaning = "threads of each process", .least = 1},
      {.name = "cpus",
       .kind = ValueKind::text,
       .meaning = "CPUs of the first tasks, as CPU,...; A-B#STEP in steps, A_N for N CPUs from A "
                  "on, AxN for N tasks; the others stay unbound"},
      {.name = "memnodes",
       .kind = ValueKind::text,
       .meaning = "nodes that the first tasks' memory is bound to, as NODE,... with -, # and x"},
      {.name = "strategy",
       .kind = ValueKind::strategy,
       .standard = "none",
       .meaning = "how threads and arrays are placed"}};
}

std::vector<Parameter> of_the_memory() {
  return {{.name = "mb_global",
           .kind = ValueKind::real,
           .standard = "1",
           .meaning = "MiB that all processes share",
           .least = 0,
           .most = most_mb},
          {.name = "mb_proc",
           .kind = ValueKind::real,
           .standard = "0",
           .meaning = "MiB of each process, for all its threads",
           .least = 0,
           .most = most_mb},
          {.name = "mb_proc_locked",
           .kind = ValueKind::real,
           .standard = "0",
           .meaning = "MiB of these that are walked once more under the process's lock",
           .least = 0,
           .most = most_mb},
          {.name = "mb_thread",
           .kind = ValueKind::real,
           .standard = "0",
           .meaning = "MiB of each thread alone",
           .least = 0,
           .most = most_mb},
          {.name = "init_zero",
           .kind = ValueKind::flag,
           .standard = "false",
           .meaning = "write zeros to all memory first"},
          {.name = "init_random",
           .kind = ValueKind::flag,
           .standard = "true",
           .meaning = "write to each word first which one it is"},
          {.name = "init_cpu0",
           .kind = ValueKind::flag,
           .standard = "false",
           .meaning = "do so on the node of CPU 0"},
          {.name = "thp",
           .standard = "0",
           .meaning = "huge pages: below 0 never, 0 as the system has it, above 0 where possible"}};
}

std::vector<Parameter> of_the_work() {
  return {{.name = "data_reads",
           .kind = ValueKind::flag,
           .standard = "true",
           .meaning = "read the words"},
          {.name = "data_writes",
           .kind = ValueKind::flag,
           .standard = "true",
           .meaning = "write the words"},
          {.name = "data_backwards",
           .kind = ValueKind::flag,
           .standard = "true",
           .meaning = "walk backwards every other time"},
          {.name = "data_zero_memset",
           .kind = ValueKind::flag,
           .standard = "false",
           .meaning = "only zero the words, by memset"},
          {.name = "data_rand_walk",
           .kind = ValueKind::flag,
           .standard = "true",
           .meaning = "walk runs of 1024 words at random places"},
          {.name = "nr_loops",
           .standard = "0",
           .meaning = "loops of each thread, 0: no limit",
           .least = 0},
          {.name = "nr_secs",
           .kind = ValueKind::real,
           .standard = "5",
           .meaning = "seconds, 0: no limit",
           .least = 0,
           .most = longest_s},
          {.name = "usleep",
           .standard = "0",
           .meaning = "microseconds of sleep under the process's lock in each loop",
           .least = 0},
          {.name = "serialize-startup",
           .kind = ValueKind::flag,
           .standard = "true",
           .meaning = "let all threads begin at once"},
          {.name = "perturb_secs",
           .kind = ValueKind::real,
           .standard = "0",
           .meaning = "move the first thread to the other end of the machine and release it, every "
                      "so many seconds; 0: never",
           .least = 0,
           .most = longest_s}};
}

std::vector<Parameter> of_the_looks() {
  return {{.name = "show_convergence",
           .kind = ValueKind::flag,
           .standard = "false",
           .meaning = "look where the threads and pages of each process are while they work"},
          {.name = "measure_convergence",
           .kind = ValueKind::flag,
           .standard = "false",
           .meaning = "end when the threads of each process are on one node"},
          {.name = "interval",
           .kind = ValueKind::real,
           .standard = "1",
           .meaning = "seconds between two looks",
           .least = 0.01,
           .most = longest_s}};
}

}  // namespace

Description describe() {
  Description numa_mem{
      .name = "numa-mem",
      .summary =
          "processes and threads on memory that all, some or one of them use, as perf has it",
      .memory = "-G of all, -P of each process, -T of each thread, in MiB",
      .use = "shared by all, by a process's threads, or a thread's own",
      .source = "perf bench numa mem: Linux",
      .schema = "homenode.bench.numa-mem/1",
      .placement = "strategy"};
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
