#include "cli/bench/table.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <bit>

#include "base/sizes.h"
#include "cli/bench/program.h"
#include "cli/options.h"
#include "workloads/gups/gups.h"

namespace homenode::cli {
namespace {

constexpr std::uint64_t least_bytes = 4096;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 43;  // More than any machine has.

/// What is wrong with the text as the table's size, or "". What is no size is told when it is read.
std::string fault_of_table_size(const std::string& text) {
  const auto size = parse_size(text);
  if (!size || (std::has_single_bit(size->value) && size->value >= least_bytes &&
                size->value <= most_bytes)) {
    return "";
  }
  return fmt::format("{} bytes are not a power of two of {} to {}; give 64m, for example",
                     size->value, least_bytes, most_bytes);
}

class BenchGups final : public ProgramWorkload {
 public:
  BenchGups() : ProgramWorkload(workloads::gups::describe()) {}

  void define_options(CLI::App& app) override {
    add_size_option(app, "--size", size_, "", "64M")->check(fault_of_table_size);
    app.add_option("--updates", shape_.updates_per_word)->capture_default_str();
    define_program_options(app, options_);
  }

 private:
  Result<Made> make(unsigned /*threads*/) override {
    shape_.log2_words = static_cast<unsigned>(std::countr_zero(size_.value)) - 3;
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
