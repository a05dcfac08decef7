#include "cli/bench/table.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <bit>

#include "cli/bench/program.h"
#include "cli/options.h"
#include "workloads/gups/gups.h"

namespace homenode::cli {
namespace {

constexpr unsigned most_log2_words = 40;

class BenchGups final : public ProgramWorkload {
 public:
  BenchGups() : ProgramWorkload(workloads::gups::describe()) {}

  void define_options(CLI::App& app) override {
    add_size_option(app, "--size", size_, "", "64M");
    app.add_option("--updates", shape_.updates_per_word)->capture_default_str();
    define_program_options(app, options_);
  }

 private:
  Result<Made> make(unsigned /*threads*/) override {
    if (size_.value < 4096 || !std::has_single_bit(size_.value)) {
      return bad_usage(fmt::format("--size {} is not a power of two of at least 4096", size_.value),
                       "give --size 64m, for example");
    }
    shape_.log2_words = static_cast<unsigned>(std::countr_zero(size_.value)) - 3;
    if (shape_.log2_words > most_log2_words) {
      return bad_usage(fmt::format("--size {} is more than any machine has", size_.value),
                       "give a smaller --size");
    }
    if (shape_.updates_per_word == 0 ||
        shape_.updates_per_word > workloads::gups::most_updates_per_word) {
      return bad_usage(
          fmt::format("--updates {} is out of range", shape_.updates_per_word),
          fmt::format("give --updates 1 to {}", workloads::gups::most_updates_per_word));
    }
    ProgramTitle title{
        fmt::format("RandomAccess, 2^{} words", shape_.log2_words),
        "homenode.bench.gups/2",
        {{"log2_words", shape_.log2_words}, {"updates_per_word", shape_.updates_per_word}}};
    return Made{workloads::gups::make_gups(shape_), std::move(title)};
  }

  Bytes size_ = 64_MiB;
  workloads::gups::GupsShape shape_;
};

}  // namespace

std::unique_ptr<Verb> make_bench_gups() {
  return std::make_unique<BenchGups>();
}

}  // namespace homenode::cli
