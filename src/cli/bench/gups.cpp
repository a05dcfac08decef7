#include "cli/bench/gups.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <bit>

#include "cli/bench/program.h"
#include "cli/options.h"
#include "machine/load.h"
#include "workloads/gups/gups.h"

namespace homenode::cli {
namespace {

constexpr unsigned most_log2_words = 40;

class BenchGups final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "gups"; }
  [[nodiscard]] std::string summary() const override { return workloads::gups::describe().summary; }

  void define(CLI::App& app) override {
    add_size_option(app, "--size", size_, "", "64M");
    app.add_option("--updates", shape_.updates_per_word)->capture_default_str();
    define_program_options(app, options_);
  }

  int run(Context& context) override {
    const auto done = try_run(context);
    return done ? exit_done : report(context, "bench gups", done.error());
  }

 private:
  Result<void> try_run(Context& context) {
    if (size_.value < 4096 || !std::has_single_bit(size_.value)) {
      return bad_usage(
          fmt::format("a table of {} bytes is no power of two of at least 4096", size_.value),
          "give --size 64m, for example");
    }
    shape_.log2_words = static_cast<unsigned>(std::countr_zero(size_.value)) - 3;
    if (shape_.log2_words > most_log2_words) {
      return bad_usage(fmt::format("no machine has a table of {} bytes", size_.value),
                       "give a smaller --size");
    }
    if (shape_.updates_per_word == 0 ||
        shape_.updates_per_word > workloads::gups::most_updates_per_word) {
      return bad_usage(
          fmt::format("cannot update each word {} times", shape_.updates_per_word),
          fmt::format("give --updates 1 to {}", workloads::gups::most_updates_per_word));
    }
    const auto machine = machine::read_live_machine();
    if (!machine) return machine.as_unexpected();
    const auto program = workloads::gups::make_gups(shape_);
    const ProgramTitle title{
        fmt::format("RandomAccess, 2^{} words", shape_.log2_words),
        "homenode.bench.gups/1",
        {{"log2_words", shape_.log2_words}, {"updates_per_word", shape_.updates_per_word}}};
    return bench_program(context, *machine, *program, title, options_);
  }

  Bytes size_ = 64_MiB;
  workloads::gups::GupsShape shape_;
  ProgramOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_bench_gups() {
  return std::make_unique<BenchGups>();
}

}  // namespace homenode::cli
