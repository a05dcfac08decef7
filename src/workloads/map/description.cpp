#include "workloads/map/description.h"

#include "workloads/map/patterns/table.h"

namespace homenode::workloads::map {
namespace {

/// PID_MAX_LIMIT, which bounds the threads of the whole system.
constexpr double most_threads = 4U << 20U;

std::vector<Choice> methods() {
  return {
      {"default", "default", "Nothing is done: the main thread fills the array before use."},
      {"command-line", "command line",
       "The program is started with its pages interleaved over all nodes."},
      {"api", "API", "The program asks the kernel, from inside, where each part should lie."},
      {"rewrite", "rewrite", "The data are laid out anew, so that each thread's lie together."},
  };
}

std::vector<AccessPattern> described_patterns() {
  std::vector<AccessPattern> found;
  for (const Pattern& pattern : all_patterns()) {
    found.push_back({std::string(pattern.name), std::string(pattern.title),
                     std::string(pattern.meaning), std::string(pattern.suits), pattern.dimensions,
                     pattern.use == Use::all ? Goal::flat : Goal::diagonal});
  }
  found.push_back(
      {"multi-patterns", "multi-patterns", "Several patterns, one after the other, on one array.",
       "What suits each phase, done anew between the phases.", std::nullopt, Goal::diagonal});
  return found;
}

std::vector<Parameter> of_the_array(const std::vector<AccessPattern>& patterns) {
  Parameter pattern{.name = "pattern",
                    .kind = ValueKind::choice,
                    .standard = "shared",
                    .meaning = "which elements each thread uses"};
  for (const AccessPattern& each : patterns) {
    pattern.choices.push_back({each.name, each.title, each.meaning});
  }
  return {
      pattern,
      {.name = "phases",
       .kind = ValueKind::text,
       .standard = "2d-rows,2d-columns,2d-shared-rows",
       .meaning = "the patterns of multi-patterns, one after the other on one array; api places "
                  "it anew before each, rewrite lays it out anew"},
      {.name = "size",
       .kind = ValueKind::size,
       .standard = "16M",
       .meaning = "size of the array, in elements of one cache line of 64 bytes; in 2D and 3D "
                  "near a square or a cube"},
      {.name = "shape",
       .kind = ValueKind::text,
       .meaning = "the array's elements along each axis, the last next to each other in memory"},
      {.name = "overlap",
       .meaning = "percent of each neighbour's part that 'partial' uses too (default: 25), and "
                  "that patterns with parts in 2D and 3D use along each axis that they cut "
                  "(default: 0)",
       .least = 0,
       .most = 100}};
}

std::vector<Parameter> of_the_walk() {
  return {{.name = "order",
           .kind = ValueKind::choice,
           .standard = "sequential",
           .meaning = "in which order it walks them",
           .choices = {{"sequential", "sequential", "One element after the other."},
                       {"random", "random", "Each element once, in a scattered order."}}},
          {.name = "op",
           .kind = ValueKind::choice,
           .standard = "read",
           .meaning = "what it does with each element",
           .choices = {{"read", "reads", "One load."},
                       {"write", "writes", "One store."},
                       {"readwrite", "reads and writes", "One load, then one store."}}},
          {.name = "passes", .standard = "1", .meaning = "walks over the array", .least = 1},
          {.name = "seed", .standard = "1", .meaning = "seed of the random order", .least = 0}};
}

std::vector<Parameter> of_threads_and_memory() {
  return {{.name = "method",
           .kind = ValueKind::choice,
           .standard = "default",
           .meaning = "how the memory is placed: by the first touch; by 'homenode run "
                      "--interleave=all'; by policies set from inside; by laying the array out "
                      "anew",
           .choices = methods()},
          {.name = "threads",
           .meaning = "threads (default: one per allowed CPU)",
           .least = 1,
           .most = most_threads},
          {.name = "team",
           .kind = ValueKind::choice,
           .standard = "pthreads",
           .meaning = "what starts the threads",
           .choices = {{"pthreads", "pthreads", "POSIX threads."},
                       {"openmp", "OpenMP", "An OpenMP runtime."}}},
          {.name = "pages",
           .kind = ValueKind::choice,
           .standard = "system",
           .meaning = "page size: as the system sets it, never huge, or huge where possible",
           .choices = {{"system", "system", "As the system sets it."},
                       {"small", "small", "Never huge."},
                       {"huge", "huge", "Huge where possible."}}},
          {.name = "bind",
           .kind = ValueKind::text,
           .standard = "compact",
           .meaning = "thread i on the i-th CPU, node by node (compact); left to the system "
                      "(none); or CPUs in rank order, such as 0,4,8-11"}};
}

}  // namespace

Description describe() {
  Description map{
      .name = "map",
      .summary = "MAP-numa: threads share or divide an array of 1, 2 or 3 dimensions",
      .memory = "--size, 16 MiB",
      .use = "shared, divided, interleaved or partly shared, as --pattern says",
      .source = "MAP-numa: Luo et al., NPC 2012",
      .schema = "homenode.bench.map/1",
      .patterns = described_patterns(),
      .placement = "method",
      .has_matrices = true,
      .metrics = {{.name = "seconds",
                   .unit = "s",
                   .meaning = "time of all passes",
                   .path = "/seconds/wall",
                   .more_is_better = false}},
  };
  for (const auto& part : {of_the_array(map.patterns), of_the_walk(), of_threads_and_memory()}) {
    map.parameters.insert(map.parameters.end(), part.begin(), part.end());
  }
  return map;
}

}  // namespace homenode::workloads::map
