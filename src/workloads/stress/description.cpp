#include "workloads/stress/description.h"

namespace homenode::workloads::stress {
namespace {

std::vector<Parameter> of_the_threads() {
  return {one_of("pattern", "1",
                 "1: thread i of a node uses block i of another; random: any block of that node; "
                 "2: the threads of two nodes use all memory of a third",
                 {{"1", "neighbour", "Thread i of a node uses block i of another node."},
                  {"2", "shared", "The threads of two nodes use all memory of a third."},
                  {"random", "random", "Each thread uses any block of another node, at random."}}),
          free_text("map", "",
                    "which node's memory the threads of a node use, as NODE:TARGET,...; other "
                    "nodes as the pattern sets it: the next node, or with 2 the one after the "
                    "pair"),
          whole_number("threads-per-node", "",
                       "threads, and blocks, of each node (default: one per allowed CPU)", 1)};
}

std::vector<Parameter> of_the_blocks() {
  return {
      byte_size("block", "64M", "memory of each thread", 1),
      one_of("op", "read", "what a thread does with each word it uses",
             {{"read", "reads", "One load."}, {"write", "writes", "One store."}}),
      whole_number("stride", "64", "bytes from one used word to the next", 8),
      one_of("first-touch", "thread",
             "who touches a block first: its thread, which is pinned; one thread for all; its "
             "thread under a policy that binds the block to the start node",
             {{"thread", "thread", "The block's own thread, while it is pinned."},
              {"main", "main", "One thread for all blocks."},
              {"bound", "bound",
               "The block's own thread, under a policy that binds the block to the start node."}}),
      one_of("pages", "small",
             "page size: never huge, as the system sets it, or huge where possible",
             {{"small", "small", "Never huge."},
              {"system", "system", "As the system sets it."},
              {"huge", "huge", "Huge where possible."}})};
}

std::vector<Parameter> of_the_time() {
  return {
      whole_number("cycles", "", "walks of each thread over its blocks, instead of --seconds", 1),
      real_number("seconds", "10", "how long the threads work", 0, longest_s),
      free_text("hold", "3", "how long each thread stays pinned to its CPU after the cycles begin"),
      real_number("interval", "1", "seconds between two samples of the pages", 0.01, longest_s),
      whole_number("samples", "4096", "number of pages to sample", 1)};
}

std::vector<Parameter> of_the_daemons() {
  return {one_of("mode", "system",
                 "who may move pages and threads while the test runs; all but system need root",
                 {{"system", "system", "Whoever does so already."},
                  {"plain", "plain", "Nobody."},
                  {"numad", "numad", "numad."},
                  {"membind", "membind", "Nobody, and all memory is bound to --membind."},
                  {"kernel", "kernel", "The kernel's NUMA balancing."},
                  {"balance", "homenode balance", "homenode balance, for this program alone."}}),
          free_text("modes", "", "run once in each of these modes, instead of --mode"),
          free_text("membind", "", "nodes to which the mode membind binds all memory"),
          whole_number("numad-interval", "5", "seconds between two looks of the daemon", 1),
          whole_number("seed", "1", "seed of the pattern random", 0)};
}

/// Of the report's "moves".
Metric count_of(const std::string& name, const char* unit, const char* meaning) {
  return {.name = name,
          .unit = unit,
          .meaning = meaning,
          .path = "/moves/" + name,
          .more_is_better = false,
          .timed = false};
}

/// The threads work far from home on purpose, so what would suit them is that their blocks, or they
/// themselves, come nearer: what a balancing daemon is there for.
constexpr const char* suits = "Each block on the node of the threads that use it.";

}  // namespace

Description describe() {
  Description stress = description_of(
      "stress", "threads on remote memory, perturbed: do a daemon's moves help?",
      "--block for each thread, 64 MiB",
      "threads on blocks of another node, perturbed from outside", "De Santis' study of numad");
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
       .meaning = "share of the sampled pages on their user's node, at each sample",
       .path = "/samples/*/local_share",
       .timed = false},
      count_of("pages_moved", "pages", "sampled pages that were moved from node to node"),
      count_of("moves", "moves", "moves of sampled pages from node to node"),
      count_of("useless", "moves", "moves that brought a sampled page no nearer to its users")};
  return stress;
}

}  // namespace homenode::workloads::stress
