#include "workloads/npb/table.h"

#include <algorithm>
#include <array>

#include "workloads/npb/bt.h"
#include "workloads/npb/cg.h"
#include "workloads/npb/ep.h"
#include "workloads/npb/ft.h"
#include "workloads/npb/is.h"
#include "workloads/npb/lu.h"
#include "workloads/npb/mg.h"
#include "workloads/npb/sp.h"

namespace homenode::workloads::npb {
namespace {

constexpr std::array table{
    Benchmark{"ep", "pairs of Gaussian deviates, counted by size",
              "each thread alone, next to no memory", make_ep},
    Benchmark{"cg", "smallest eigenvalue of a sparse random matrix",
              "rows in parts, and all threads read all of one vector", make_cg},
    Benchmark{"mg", "Poisson's equation on a periodic cube, on grids that halve",
              "planes in parts; the coarse grids have fewer planes than threads", make_mg},
    Benchmark{"ft", "diffusion in a cube by Fourier transforms in three dimensions",
              "planes in parts, and lines across all of them", make_ft},
    Benchmark{"is", "small whole numbers ranked by buckets",
              "own keys read in order, written to buckets all over", make_is},
    Benchmark{"bt", "flow in a cube by lines with 5 x 5 blocks in three diagonals",
              "own planes, and along z lines through those of all threads", make_bt},
    Benchmark{"lu", "flow in a cube by sweeps from corner to corner",
              "own planes, and in the sweeps own rows, each thread after its neighbour", make_lu},
    Benchmark{"sp", "flow in a cube by lines with five diagonals",
              "own planes, and along z lines through those of all threads", make_sp},
};

std::string in_capitals(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](char c) {
    return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  });
  return text;
}

/// What it computes and who uses which memory.
std::string sentence_of(const Benchmark& benchmark) {
  std::string text = std::string(benchmark.summary) + "; " + std::string(benchmark.pattern) + ".";
  text[0] = in_capitals(text.substr(0, 1))[0];
  return text;
}

}  // namespace

std::span<const Benchmark> benchmarks() {
  return table;
}

const Benchmark* find_benchmark(std::string_view name) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  for (const Benchmark& entry : table) {
    if (std::ranges::equal(entry.name, name, {}, {}, small)) return &entry;
  }
  return nullptr;
}

Description describe() {
  Parameter kernel{.name = "kernel", .kind = ValueKind::choice, .meaning = "which"};
  for (const Benchmark& each : table) {
    kernel.choices.push_back({std::string(each.name), in_capitals(each.name), sentence_of(each)});
  }
  Parameter size{.name = "class",
                 .kind = ValueKind::choice,
                 .standard = "S",
                 .meaning = "size of the problem: S, W, A, B, C or D"};
  for (const Class each : classes) {
    const std::string letter(1, letter_of(each));
    size.choices.push_back({letter, "class " + letter, "Class " + letter + " of NPB 3.4."});
  }
  Description described{
      .name = "npb",
      .summary =
          "the NAS Parallel Benchmarks with OpenMP, every run checked against official values",
      .memory = "0.3 MiB to hundreds of GiB by class (bench npb --list)",
      .use = "by kernel: slabs, lines in three directions, gathers, scatters",
      .source = "NAS Parallel Benchmarks: NAS-91-002, NPB 3.4",
      .schema = "homenode.bench.npb/1"};
  described.parameters = {kernel, size};
  add_program_parameters(described);
  described.metrics = program_metrics("Mop/s", "operations, as NPB counts them,");
  return described;
}

}  // namespace homenode::workloads::npb
