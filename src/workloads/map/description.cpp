#include "workloads/map/description.h"

#include "workloads/map/patterns/pattern.h"

namespace homenode::workloads::map {
namespace {

std::vector<Choice> methods() {
  return {
      {"default", "default", "Nothing is done: the main thread fills the array before use."},
      {"command-line", "command line",
       "The program is started with its pages interleaved over all nodes."},
      {"api", "API", "The program asks the kernel, from inside, where each part should lie."},
      {"rewrite", "rewrite",
       "The data are rearranged, so that each thread's elements lie "
       "together."},
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
       "What suits each phase, applied between the phases.", std::nullopt, Goal::diagonal});
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
      free_text("phases", "2d-rows,2d-columns,2d-shared-rows",
                "the patterns of multi-patterns, one after the other on one array; before each, "
                "api places it again and rewrite rearranges it"),
      byte_size("size", "16M",
                "bytes of the array, whose elements are cache lines of 64 bytes; in 2D and 3D "
                "near a square or a cube"),
      free_text("shape", "",
                "the array's elements along each axis, the last next to each other in memory"),
      whole_number("overlap", "",
                   "percent of each neighbour's part that 'partial' uses too (default: 25), and "
                   "that patterns with parts in 2D and 3D use along each axis that they cut "
                   "(default: 0)",
                   0, 100)};
}

std::vector<Parameter> of_the_walk() {
  return {one_of("order", "sequential", "order in which a thread walks its elements",
                 {{"sequential", "sequential", "One element after the other."},
                  {"random", "random", "Each element once, in a scattered order."}}),
          one_of("op", "read", "what a thread does with each element",
                 {{"read", "reads", "One load."},
                  {"write", "writes", "One store."},
                  {"readwrite", "reads and writes", "One load, then one store."}}),
          whole_number("passes", "1", "walks over the array", 1),
          whole_number("seed", "1", "seed of the random order", 0)};
}

std::vector<Parameter> of_threads_and_memory() {
  return {one_of("method", "default",
                 "how the memory is placed: by the first touch; by 'homenode run "
                 "--interleave=all'; by policies set from inside; by rearranging the array",
                 methods()),
          whole_number("threads", "", "threads (default: one per allowed CPU)", 1, most_threads),
          one_of("team", "pthreads", "what starts the threads",
                 {{"pthreads", "pthreads", "POSIX threads."},
                  {"openmp", "OpenMP", "An OpenMP runtime."}}),
          one_of("pages", "system",
                 "page size: as the system sets it, never huge, or huge where possible",
                 {{"system", "system", "As the system sets it."},
                  {"small", "small", "Never huge."},
                  {"huge", "huge", "Huge where possible."}}),
          free_text("bind", "compact",
                    "thread i on the i-th CPU, node by node (compact); left to the system "
                    "(none); or CPUs in rank order, such as 0,4,8-11")};
}

}  // namespace

Description describe() {
  Description map = description_of(
      "map", "MAP-numa: threads share or divide an array of 1, 2 or 3 dimensions", "--size, 16 MiB",
      "shared, divided, interleaved or partly shared, as --pattern says",
      "MAP-numa: Luo et al., NPC 2012");
  map.patterns = described_patterns();
  map.placement = "method";
  map.has_matrices = true;
  map.metrics = {{.name = "seconds",
                  .unit = "s",
                  .meaning = "time of all passes",
                  .path = "/seconds/wall",
                  .more_is_better = false}};
  for (const auto& part : {of_the_array(map.patterns), of_the_walk(), of_threads_and_memory()}) {
    map.parameters.insert(map.parameters.end(), part.begin(), part.end());
  }
  return map;
}

}  // namespace homenode::workloads::map
