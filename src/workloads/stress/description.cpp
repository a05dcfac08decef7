#include "workloads/stress/description.h"

namespace homenode::workloads::stress {
namespace {

std::vector<Parameter> of_the_threads() {
  return {
      {.name = "pattern",
       .kind = ValueKind::choice,
       .standard = "1",
       .meaning = "1: thread i of a node uses block i of another; random: any block of that node; "
                  "2: the threads of two nodes use all memory of a third",
       .choices = {{"1", "neighbour", "Thread i of a node uses block i of another node."},
                   {"2", "shared", "The threads of two nodes use all memory of a third."},
                   {"random", "random", "Each thread uses any block of another node, by chance."}}},
      {.name = "map",
       .kind = ValueKind::text,
       .meaning = "which node's memory the threads of a node use, as NODE:TARGET,...; others as "
                  "the pattern has it: the next node, or with 2 the one after the pair"},
      {.name = "threads-per-node",
       .meaning = "threads, and blocks, of each node (default: one per allowed CPU)",
       .least = 1}};
}

std::vector<Parameter> of_the_blocks() {
  return {
      {.name = "block",
       .kind = ValueKind::size,
       .standard = "64M",
       .meaning = "memory of each thread",
       .least = 1},
      {.name = "op",
       .kind = ValueKind::choice,
       .standard = "read",
       .meaning = "what a thread does with each word that it uses",
       .choices = {{"read", "reads", "One load."}, {"write", "writes", "One store."}}},
      {.name = "stride",
       .standard = "64",
       .meaning = "bytes from one word that is used to the next",
       .least = 8},
      {.name = "first-touch",
       .kind = ValueKind::choice,
       .standard = "thread",
       .meaning = "who touches a block first: its thread, which is pinned; one thread for all; its "
                  "thread under a policy that binds the block to the start node",
       .choices =
           {{"thread", "thread", "The block's own thread, while it is pinned."},
            {"main", "main", "One thread for all blocks."},
            {"bound", "bound",
             "The block's own thread, under a policy that binds the block to the start node."}}},
      {.name = "pages",
       .kind = ValueKind::choice,
       .standard = "small",
       .meaning = "page size: never huge, as the system sets it, or huge where possible",
       .choices = {{"small", "small", "Never huge."},
                   {"system", "system", "As the system sets it."},
                   {"huge", "huge", "Huge where possible."}}}};
}

std::vector<Parameter> of_the_time() {
  return {
      {.name = "cycles",
       .meaning = "walks of each thread over its blocks, instead of --seconds",
       .least = 1},
      {.name = "seconds",
       .kind = ValueKind::real,
       .standard = "10",
       .meaning = "how long the threads work",
       .least = 0,
       .most = longest_s},
      {.name = "hold",
       .kind = ValueKind::text,
       .standard = "3",
       .meaning = "how long each thread stays pinned to its CPU once the cycles have begun"},
      {.name = "interval",
       .kind = ValueKind::real,
       .standard = "1",
       .meaning = "seconds between two looks at the pages",
       .least = 0.01,
       .most = longest_s},
      {.name = "samples", .standard = "4096", .meaning = "pages that are looked at", .least = 1}};
}

std::vector<Parameter> of_the_daemons() {
  return {
      {.name = "modes",
       .kind = ValueKind::text,
       .meaning = "run once in each of these: plain (nobody moves anything), numad, membind, "
                  "kernel (the kernel's balancing); daemons are switched for it, which takes root"},
      {.name = "membind",
       .kind = ValueKind::text,
       .meaning = "nodes that the mode membind binds all memory to"},
      {.name = "numad-interval",
       .standard = "5",
       .meaning = "seconds between numad's scans",
       .least = 1},
      {.name = "seed", .standard = "1", .meaning = "seed of the pattern random", .least = 0}};
}

/// The threads work far from home on purpose, so what would suit them is that their blocks, or they
/// themselves, come nearer: what a balancing daemon is there for.
constexpr const char* suits = "Each block on the node of the threads that use it.";

}  // namespace

Description describe() {
  Description stress{
      .name = "stress",
      .summary = "threads that work far from home, perturbed: do a daemon's moves help?",
      .memory = "--block for each thread, 64 MiB",
      .use = "threads on blocks of another node, perturbed from outside",
      .source = "De Santis' study of numad",
      .schema = "homenode.bench.stress/1"};
  for (const auto& part : {of_the_threads(), of_the_blocks(), of_the_time(), of_the_daemons()}) {
    stress.parameters.insert(stress.parameters.end(), part.begin(), part.end());
  }
  for (const Choice& each : stress.parameters.front().choices) {
    stress.patterns.push_back(
        {each.name, each.title, each.meaning, suits, std::nullopt, Goal::diagonal});
  }
  stress.metrics = {
      {.name = "seconds",
       .unit = "s",
       .meaning = "time of the whole run",
       .path = "/seconds/wall",
       .more_is_better = false},
      {.name = "local_share",
       .unit = "",
       .meaning = "share of the sampled pages that are on their user's node, look by look",
       .path = "/samples/*/local_share",
       .timed = false},
      {.name = "pages_moved",
       .unit = "pages",
       .meaning = "sampled pages that were moved from node to node",
       .path = "/moves/pages_moved",
       .more_is_better = false,
       .timed = false}};
  return stress;
}

}  // namespace homenode::workloads::stress
