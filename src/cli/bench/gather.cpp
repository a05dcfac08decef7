#include "cli/bench/table.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <optional>

#include "cli/bench/program.h"
#include "trial/gather_file.h"
#include "workloads/gather/gather.h"

namespace homenode::cli {
namespace {

namespace gather = workloads::gather;

class BenchGather final : public Workload {
 public:
  BenchGather() : Workload(gather::describe()) {}

  void define_options(CLI::App& app) override {
    app.add_option("--pattern", pattern_)->capture_default_str();
    app.add_option("--kernel", kernel_)
        ->check(CLI::IsMember({"gather", "scatter"}))
        ->capture_default_str();
    app.add_option("--delta", delta_)->capture_default_str();
    app.add_option("--count", count_)->capture_default_str();
    app.add_option("--file", file_)->type_name("FILE");
    app.add_option("--entry", entry_);
    app.add_option("--passes", passes_)->capture_default_str();
    define_program_options(app, options_);
  }

 private:
  Result<void> try_run(Context& context) override {
    if (passes_ == 0 || passes_ > gather::most_passes) {
      return bad_usage(fmt::format("--passes {} is out of range", passes_),
                       fmt::format("give --passes 1 to {}", gather::most_passes));
    }
    const auto patterns = file_.empty() ? pattern_of_options() : patterns_of_file(context);
    if (!patterns) return patterns.as_unexpected();
    if (patterns->size() > 1 && !options_.output.empty()) {
      return bad_usage("--output takes one pattern, but the file has several",
                       "choose one with --entry");
    }
    const auto machine = machine_of(context);
    if (!machine) return machine.as_unexpected();
    for (const gather::IndexPattern& pattern : *patterns) {
      const bool gathers = pattern.direction == gather::Direction::gather;
      const auto program = gather::make_gather(pattern, passes_);
      const ProgramTitle title{
          fmt::format("{} {}, {} indices, delta {}, {} times", gathers ? "Gather" : "Scatter",
                      pattern.name, pattern.indices.size(), pattern.delta, pattern.count),
          "homenode.bench.gather/2",
          {{"name", pattern.name},
           {"kernel", gathers ? "gather" : "scatter"},
           {"indices", pattern.indices},
           {"delta", pattern.delta},
           {"count", pattern.count},
           {"passes", passes_}}};
      const auto done = bench_program(context, *machine, *program, title, options_);
      if (!done) return done;
    }
    return {};
  }

  [[nodiscard]] Result<std::vector<gather::IndexPattern>> pattern_of_options() const {
    gather::IndexPattern pattern;
    auto indices = gather::parse_indices(pattern_);
    if (!indices) {
      return bad_usage(fmt::format("cannot read the pattern '{}'", pattern_),
                       "write UNIFORM:LENGTH:STRIDE, MS1:LENGTH:PLACES:GAPS or indices as 0,4,8");
    }
    pattern.name = pattern_;
    pattern.direction =
        kernel_ == "scatter" ? gather::Direction::scatter : gather::Direction::gather;
    pattern.indices = *std::move(indices);
    pattern.delta = delta_;
    pattern.count = count_;
    if (!pattern.reach()) {
      return bad_usage(fmt::format("--count {} and --delta {} reach no word, or exceed any "
                                   "memory",
                                   count_, delta_),
                       "choose another --count or --delta");
    }
    return std::vector{pattern};
  }

  [[nodiscard]] Result<std::vector<gather::IndexPattern>> patterns_of_file(Context& context) const {
    std::string text;
    if (const int result = context.os.read_file(file_, text); result != 0) {
      return failed("cannot read " + file_, "name a file that exists", -result);
    }
    auto patterns = trial::read_patterns(text);
    if (!patterns || !entry_) return patterns;
    if (*entry_ >= patterns->size()) {
      return bad_usage(fmt::format("the file has no entry {}", *entry_),
                       fmt::format("give --entry 0 to {}", patterns->size() - 1));
    }
    return std::vector{(*patterns)[*entry_]};
  }

  std::string pattern_ = "UNIFORM:8:1";
  std::string kernel_ = "gather";
  std::uint64_t delta_ = 8;
  std::uint64_t count_ = 1U << 20U;
  std::string file_;
  std::optional<std::size_t> entry_;
  unsigned passes_ = 1;
  ProgramOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_bench_gather() {
  return std::make_unique<BenchGather>();
}

}  // namespace homenode::cli
