#include "workloads/npb/table.h"

#include <algorithm>
#include <array>

namespace homenode::workloads::npb {
namespace {

/// In the order of the help; a line for each.
const auto& table() {
  static const std::array all{ep_benchmark, cg_benchmark, mg_benchmark, ft_benchmark,
                              is_benchmark, bt_benchmark, lu_benchmark, sp_benchmark};
  return all;
}

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
  return table();
}

const Benchmark* find_benchmark(std::string_view name) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  for (const Benchmark& entry : table()) {
    if (std::ranges::equal(entry.name, name, {}, {}, small)) return &entry;
  }
  return nullptr;
}

Description describe() {
  Parameter kernel{.name = "kernel", .kind = ValueKind::choice, .meaning = "which"};
  for (const Benchmark& each : table()) {
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
  Description described = description_of(
      "npb", "the NAS Parallel Benchmarks with OpenMP, every run checked against official values",
      "0.3 MiB to hundreds of GiB, by class (bench npb --list)",
      "by kernel: slabs, lines in three directions, gathers, scatters",
      "NAS Parallel Benchmarks: NAS-91-002, NPB 3.4");
  described.parameters = {kernel, size};
  add_program_parameters(described);
  described.metrics = program_metrics("Mop/s", "operations, as NPB counts them,");
  return described;
}

}  // namespace homenode::workloads::npb
