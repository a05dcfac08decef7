#include "cli/bench/table.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/bench/program.h"
#include "workloads/npb/table.h"

namespace homenode::cli {
namespace {

namespace npb = workloads::npb;

std::string capital(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](char c) {
    return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  });
  return text;
}

std::string kernel_names() {
  std::string names;
  for (const npb::Benchmark& entry : npb::benchmarks()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  }
  return names;
}

std::string memory_text(const npb::Benchmark& entry, npb::Class size) {
  const auto bytes = static_cast<double>(trial::footprint(*entry.make(size)).value);
  constexpr double mib = 1U << 20U;
  return bytes < 1024 * mib ? fmt::format("{:.1f} MiB", bytes / mib)
                            : fmt::format("{:.1f} GiB", bytes / mib / 1024);
}

/// What each computes, needs in memory by class, and who uses which of it.
std::string list_text() {
  std::string text = fmt::format("{:<4}", "");
  for (const npb::Class size : npb::classes) {
    text += fmt::format("{:>11}", fmt::format("class {}", npb::letter_of(size)));
  }
  text += '\n';
  for (const npb::Benchmark& entry : npb::benchmarks()) {
    text += fmt::format("{:<4}", entry.name);
    for (const npb::Class size : npb::classes) {
      text += fmt::format("{:>11}", memory_text(entry, size));
    }
    text += fmt::format("\n      {}; {}\n", entry.summary, entry.pattern);
  }
  return text +
         "Specification: NAS Parallel Benchmarks, report NAS-91-002; classes, operation counts "
         "and the\nvalues that every run is checked against: NPB 3.4.\n";
}

class BenchNpb final : public ProgramWorkload {
 public:
  BenchNpb() : ProgramWorkload(npb::describe()) {}

  void define_options(CLI::App& app) override {
    app.add_option("kernel,--kernel", kernel_, "which: " + kernel_names())->type_name("KERNEL");
    app.add_option("--class", class_)->type_name("CLASS")->capture_default_str();
    define_program_options(app, options_);
    app.add_flag("--list", list_, "list the kernels with the memory that each class needs");
  }

 private:
  Result<void> try_run(Context& context) override {
    if (list_) {
      context.out << list_text();
      return {};
    }
    return ProgramWorkload::try_run(context);
  }

  Result<Made> make(unsigned /*threads*/) override {
    if (kernel_.empty()) {
      return bad_usage("the name of a kernel is missing", "name one of: " + kernel_names());
    }
    const npb::Benchmark* const benchmark = npb::find_benchmark(kernel_);
    if (benchmark == nullptr) {
      return bad_usage(fmt::format("there is no kernel '{}'", kernel_),
                       "name one of: " + kernel_names());
    }
    const auto size = npb::class_of(class_);
    if (!size) {
      return bad_usage(fmt::format("there is no class '{}'", class_), "choose S, W, A, B, C or D");
    }
    const char letter = npb::letter_of(*size);
    ProgramTitle title{
        fmt::format("NPB {}, class {}", capital(benchmark->name), letter),
        "homenode.bench.npb/2",
        {{"kernel", std::string(benchmark->name)}, {"class", std::string(1, letter)}}};
    return Made{benchmark->make(*size), std::move(title)};
  }

  std::string kernel_;
  std::string class_ = "S";
  bool list_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_bench_npb() {
  return std::make_unique<BenchNpb>();
}

}  // namespace homenode::cli
