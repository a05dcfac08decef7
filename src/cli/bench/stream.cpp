#include "cli/bench/table.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/bench/program.h"
#include "cli/options.h"
#include "workloads/stream/stream.h"

namespace homenode::cli {
namespace {

namespace stream = workloads::stream;

class BenchStream final : public ProgramWorkload {
 public:
  BenchStream() : ProgramWorkload(stream::describe()) {}

  void define_options(CLI::App& app) override {
    add_size_option(app, "--size", size_, "", "96M");
    app.add_option("--passes", shape_.passes)->capture_default_str();
    app.add_option("--kernel", kernel_)
        ->check(CLI::IsMember({"copy", "scale", "add", "triad", "all"}))
        ->capture_default_str();
    app.add_option("--teams", shape_.teams)->capture_default_str();
    app.add_option("--team-shape", team_shape_)
        ->check(CLI::IsMember({"nested", "twisted", "imbalanced"}))
        ->capture_default_str();
    define_program_options(app, options_);
  }

 private:
  Result<Made> make(unsigned threads) override {
    if (auto shaped = take_shape(threads); !shaped) return shaped.as_unexpected();
    ProgramTitle title{fmt::format("STREAM {}, {} {}", kernel_, shape_.teams, team_shape_),
                       "homenode.bench.stream/2",
                       {{"kernel", kernel_},
                        {"elements", shape_.elements},
                        {"passes", shape_.passes},
                        {"teams", shape_.teams},
                        {"team_shape", team_shape_}}};
    return Made{stream::make_stream(shape_), std::move(title)};
  }

  Result<void> take_shape(unsigned threads) {
    if (shape_.passes == 0 || shape_.passes > stream::most_passes) {
      return bad_usage(fmt::format("--passes {} is out of range", shape_.passes),
                       fmt::format("give --passes 1 to {}", stream::most_passes));
    }
    if (shape_.teams == 0) return bad_usage("--teams must be at least 1", "give --teams 1 or more");
    if (shape_.teams > threads) {
      return bad_usage(fmt::format("{} threads are too few for {} teams", threads, shape_.teams),
                       "give fewer --teams, or more --threads");
    }
    // Whole blocks, as the kernels want them.
    constexpr std::uint64_t unit = 3 * sizeof(double) * workloads::probe::block_elements;
    shape_.elements = size_.value / unit * workloads::probe::block_elements;
    if (shape_.elements < workloads::probe::block_elements * std::uint64_t{threads}) {
      return bad_usage(fmt::format("{} bytes are too few for {} threads", size_.value, threads),
                       fmt::format("give --size {} or more", unit * threads));
    }
    if (kernel_ != "all") shape_.kernel = workloads::probe::find_kernel(kernel_);
    if (team_shape_ == "twisted") shape_.shape = stream::TeamShape::twisted;
    if (team_shape_ == "imbalanced") shape_.shape = stream::TeamShape::imbalanced;
    return {};
  }

  Bytes size_ = 96_MiB;
  stream::StreamShape shape_;
  std::string kernel_ = "all";
  std::string team_shape_ = "nested";
};

}  // namespace

std::unique_ptr<Verb> make_bench_stream() {
  return std::make_unique<BenchStream>();
}

}  // namespace homenode::cli
