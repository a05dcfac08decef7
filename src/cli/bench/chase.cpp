#include "cli/bench/table.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/bench/program.h"
#include "cli/options.h"
#include "workloads/chase/chase.h"

namespace homenode::cli {
namespace {

constexpr std::uint64_t line_of_chase_bytes = 64;

class BenchChase final : public ProgramWorkload {
 public:
  BenchChase() : ProgramWorkload(workloads::chase::describe()) {}

  void define_options(CLI::App& app) override {
    add_size_option(app, "--size", size_, "", "64M");
    app.add_option("--passes", shape_.passes)->capture_default_str();
    app.add_option("--seed", shape_.seed)->capture_default_str();
    define_program_options(app, options_);
  }

 private:
  Result<Made> make(unsigned threads) override {
    if (shape_.passes == 0 || shape_.passes > workloads::chase::most_passes) {
      return bad_usage(fmt::format("--passes {} is out of range", shape_.passes),
                       fmt::format("give --passes 1 to {}", workloads::chase::most_passes));
    }
    shape_.lines = size_.value / line_of_chase_bytes;
    if (shape_.lines < threads) {
      return bad_usage(fmt::format("{} bytes hold {} lines, fewer than {} threads", size_.value,
                                   shape_.lines, threads),
                       fmt::format("give --size {} or more", line_of_chase_bytes * threads));
    }
    ProgramTitle title{fmt::format("Chase, {} lines", shape_.lines),
                       "homenode.bench.chase/2",
                       {{"lines", shape_.lines}, {"passes", shape_.passes}, {"seed", shape_.seed}}};
    return Made{workloads::chase::make_chase(shape_), std::move(title)};
  }

  Bytes size_ = 64_MiB;
  workloads::chase::ChaseShape shape_;
};

}  // namespace

std::unique_ptr<Verb> make_bench_chase() {
  return std::make_unique<BenchChase>();
}

}  // namespace homenode::cli
