#include "cli/bench/kneighbor.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/bench/message.h"
#include "cli/options.h"
#include "workloads/message/kneighbor.h"

namespace homenode::cli {
namespace {

namespace message = workloads::message;

constexpr unsigned most_links = 1U << 20U;

class BenchKNeighbor final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "kneighbor"; }
  [[nodiscard]] std::string summary() const override {
    return workloads::message::describe_kneighbor().summary;
  }

  void define(CLI::App& app) override {
    app.add_option("--elements", elements_);
    app.add_option("--neighbours", shape_.reach)->capture_default_str();
    app.add_option("--iterations", shape_.iterations)->capture_default_str();
    app.add_option("--steps", shape_.steps)->capture_default_str();
    add_size_option(app, "--message-size", size_, "", "1K");
    app.add_flag("--as-published", as_published_);
    define_message_options(app, options_);
  }

  int run(Context& context) override {
    const auto done = try_run(context);
    return done ? exit_done : report(context, "bench kneighbor", done.error());
  }

 private:
  [[nodiscard]] Result<void> check() const {
    if (elements_ && (*elements_ == 0 || *elements_ > message::most_elements)) {
      return bad_usage(fmt::format("a ring cannot have {} elements", *elements_),
                       fmt::format("give --elements 1 to {}", message::most_elements));
    }
    const std::uint64_t links = std::uint64_t{elements_.value_or(1)} * 2 * shape_.reach;
    if (shape_.reach == 0 || links > most_links) {
      return bad_usage(fmt::format("cannot send to {} neighbours on either side", shape_.reach),
                       "give --neighbours 1 or more, such as the published 3");
    }
    for (const unsigned rounds : {shape_.iterations, shape_.steps}) {
      if (rounds == 0 || rounds > message::most_rounds) {
        return bad_usage(
            fmt::format("cannot go round {} times", rounds),
            fmt::format("give --iterations and --steps 1 to {}", message::most_rounds));
      }
    }
    if (size_.value == 0 || size_.value % 8 != 0 || size_.value > message::most_message_bytes) {
      return bad_usage(fmt::format("a message cannot have {} bytes", size_.value),
                       "give --message-size a multiple of 8 up to 1g");
    }
    return {};
  }

  Result<void> try_run(Context& context) {
    if (auto checked = check(); !checked) return checked;
    shape_.message_bytes = size_.value;
    shape_.touch = !as_published_;
    const auto make = [this](const message::Layout& layout) {
      shape_.layout = layout;
      shape_.elements = elements_.value_or(std::max(layout.pes, 2 * shape_.reach + 1));
      return message::make_kneighbor(shape_);
    };
    const ProgramTitle title{
        fmt::format("kNeighbor, k = {}, messages of {} bytes", shape_.reach, size_.value),
        "homenode.bench.kneighbor/1",
        {{"elements", elements_ ? nlohmann::ordered_json(*elements_) : nullptr},
         {"neighbours", shape_.reach},
         {"iterations", shape_.iterations},
         {"steps", shape_.steps},
         {"message_bytes", size_.value},
         {"as_published", as_published_}}};
    return bench_messages(context, make, title, options_);
  }

  std::optional<unsigned> elements_;
  message::KNeighborShape shape_;
  Bytes size_{1024};
  bool as_published_ = false;
  MessageOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_bench_kneighbor() {
  return std::make_unique<BenchKNeighbor>();
}

}  // namespace homenode::cli
