#include "cli/bench/facts.h"

#include <fmt/format.h>

#include <array>

namespace homenode::cli {
namespace {

constexpr std::array bench_facts = std::to_array<BenchFacts>({
    {"map", "--size, 16 MiB", "shared, divided, interleaved or partly shared, as --pattern says",
     "MAP-numa: Luo et al., NPC 2012"},
    {"npb", "0.3 MiB to hundreds of GiB by class (bench npb --list)",
     "by kernel: slabs, lines in three directions, gathers, scatters",
     "NAS Parallel Benchmarks: NAS-91-002, NPB 3.4"},
    {"seismic", "--size cells, 9 fields and the material", "slabs with neighbours' planes",
     "Ondes 3D: Dupros et al.; C-PML: Komatitsch and Martin 2007"},
    {"stress", "--block for each thread, 64 MiB",
     "threads on blocks of another node, perturbed from outside", "De Santis' study of numad"},
    {"numa-mem", "-G of all, -P of each process, -T of each thread, in MiB",
     "shared by all, by a process's threads, or a thread's own", "perf bench numa mem: Linux"},
    {"stream", "--size, 96 MiB", "equal parts; with teams also each other's",
     "STREAM: McCalpin 1995; teams: ForestGOMP"},
    {"gups", "--size, 64 MiB", "every thread all of it, at random",
     "RandomAccess of HPC Challenge"},
    {"chase", "--size, 64 MiB", "equal parts, each load after the one before",
     "pointer chase, as lmbench and pChase"},
    {"gather", "by pattern, delta and count", "by an index pattern, equal parts of the repetitions",
     "Spatter: Lavin et al., MEMSYS 2020"},
    {"kneighbor", "--message-size, 1 KiB, for each of the 2k neighbours of each element",
     "written on the sending PE, read on the receiving one", "kNeighbor of Charm++'s benchmarks"},
    {"molecular2d", "26 messages for each patch, 14 MiB",
     "copied by patches, read by computes, answered with forces",
     "Molecular2D of Charm++'s examples; Ribeiro et al. 2010"},
});

}  // namespace

const BenchFacts* find_bench_facts(std::string_view name) {
  for (const BenchFacts& facts : bench_facts) {
    if (facts.name == name) return &facts;
  }
  return nullptr;
}

std::string bench_list_text(const std::vector<std::unique_ptr<Verb>>& workloads) {
  std::string text;
  for (const auto& workload : workloads) {
    text += fmt::format("{:<11} {}\n", workload->name(), workload->summary());
    const BenchFacts* const facts = find_bench_facts(workload->name());
    if (facts == nullptr) continue;
    text += fmt::format("{:<11}   memory   {}\n", "", facts->footprint);
    text += fmt::format("{:<11}   pattern  {}\n", "", facts->pattern);
    text += fmt::format("{:<11}   source   {}\n", "", facts->source);
  }
  return text;
}

}  // namespace homenode::cli
