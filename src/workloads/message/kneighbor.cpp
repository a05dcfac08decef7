#include "workloads/message/kneighbor.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "workloads/program/program.h"

namespace homenode::workloads::message {
namespace {

enum NeighbourKind : std::uint32_t { neighbour, acknowledgment, done, go };

/// So many of the fastest iterations are what the published program averages.
constexpr std::size_t best_iterations = 100;

struct Link {
  unsigned pe = 0;
  std::uint32_t element = 0;
  Pool* pool = nullptr;
};

struct alignas(line_bytes) Element {
  std::vector<Link> links;
  std::uint64_t step = 0;  ///< Of all iterations.
  unsigned answers = 0;    ///< In this step.
  std::uint64_t received = 0;
  std::uint64_t sum = 0;
};

/// Runs the iterations: a part of PE 0.
struct Conductor {
  unsigned finished = 0;  ///< Elements, in this iteration.
  std::vector<double> seconds;
  Stopwatch watch;
};

class Ring final : public Objects {
 public:
  Ring(const KNeighborShape& shape, const std::vector<Channel>& plan, void* memory)
      : shape_(shape), channels_(plan, memory), elements_(shape.elements) {}

  void build(unsigned pe) override {
    channels_.open(pe);
    for (std::uint32_t i = 0; i < shape_.elements; ++i) {
      if (home(i) == pe) elements_[i] = build_element(i);
    }
  }

  void start(Runtime& runtime, unsigned pe) override {
    if (pe == 0) conductor_.watch = Stopwatch();
    for (std::uint32_t i = 0; i < shape_.elements; ++i) {
      if (home(i) == pe) step(runtime, i);
    }
  }

  void receive(Runtime& runtime, unsigned pe, Message& message) override {
    const std::uint32_t kind = message.kind;
    const std::uint32_t element = message.object;
    if (kind == neighbour) return answer(runtime, pe, message);
    Pool::give_back(message);
    if (kind == acknowledgment) return answered(runtime, element);
    if (kind == go) return step(runtime, element);
    element_done(runtime);
  }

  [[nodiscard]] std::vector<Check> checks() const {
    std::uint64_t received = 0;
    std::uint64_t wrong = 0;
    for (std::uint32_t i = 0; i < shape_.elements; ++i) {
      received += elements_[i]->received;
      wrong += elements_[i]->sum != expected_sum(shape_, i) ? 1 : 0;
    }
    const double expected = 2.0 * shape_.reach * shape_.elements *
                            static_cast<double>(shape_.iterations) * shape_.steps;
    return {{"messages received", static_cast<double>(received), expected, 0.0},
            {"elements with a wrong sum", static_cast<double>(wrong), 0.0, 0.0},
            {"messages left over", static_cast<double>(channels_.missing()), 0.0, 0.0}};
  }
  [[nodiscard]] std::vector<double> iteration_seconds() const { return conductor_.seconds; }

 private:
  [[nodiscard]] unsigned home(std::uint32_t element) const {
    return pe_of(element, shape_.elements, shape_.layout.pes);
  }

  [[nodiscard]] std::unique_ptr<Element> build_element(std::uint32_t i) const {
    auto element = std::make_unique<Element>();
    for (std::uint32_t link = 0; link < 2 * shape_.reach; ++link) {
      const auto to = static_cast<std::uint32_t>(neighbour_of(shape_, i, link));
      element->links.push_back({home(to), to, &channels_.pool(home(i), home(to), neighbour)});
    }
    return element;
  }

  /// A message to each neighbour.
  void step(Runtime& runtime, std::uint32_t i) {
    Element& self = *elements_[i];
    self.answers = 0;
    for (std::uint32_t link = 0; link < self.links.size(); ++link) {
      const Link& to = self.links[link];
      Message* const message = to.pool->take();
      if (message == nullptr) return;  // The run falls silent, and the checks say so.
      message->kind = neighbour;
      message->object = to.element;
      message->sender = i;
      message->link = link;
      message->number = stamp_of(shape_, self.step, i, link);
      if (shape_.touch) {
        const auto words = message->items<std::uint64_t>(shape_.message_bytes / 8);
        std::iota(words.begin(), words.end(), message->number);
      }
      runtime.send(home(i), to.pe, *message);
    }
    self.step += 1;
  }

  /// What came in is added up and goes back as it is.
  void answer(Runtime& runtime, unsigned pe, Message& message) {
    Element& self = *elements_[message.object];
    self.received += 1;
    if (shape_.touch) {
      const auto words = message.items<std::uint64_t>(shape_.message_bytes / 8);
      self.sum = std::accumulate(words.begin(), words.end(), self.sum);
    } else {
      self.sum += message.number;
    }
    message.kind = acknowledgment;
    message.object = message.sender;
    runtime.send(pe, home(message.sender), message);
  }

  void answered(Runtime& runtime, std::uint32_t i) {
    Element& self = *elements_[i];
    self.answers += 1;
    if (self.answers < self.links.size()) return;
    if (self.step % shape_.steps != 0) {
      step(runtime, i);
    } else {
      tell(runtime, {home(i), 0}, done, i);
    }
  }

  struct Way {
    unsigned from;
    unsigned to;
  };
  void tell(Runtime& runtime, Way way, NeighbourKind kind, std::uint32_t element) {
    Message* const message = channels_.pool(way.from, way.to, kind).take();
    if (message == nullptr) return;
    message->kind = kind;
    message->object = element;
    runtime.send(way.from, way.to, *message);
  }

  void element_done(Runtime& runtime) {
    if (++conductor_.finished < shape_.elements) return;
    conductor_.finished = 0;
    conductor_.seconds.push_back(conductor_.watch.seconds());
    if (conductor_.seconds.size() == shape_.iterations) return;
    conductor_.watch = Stopwatch();
    for (std::uint32_t i = 0; i < shape_.elements; ++i) tell(runtime, {0, home(i)}, go, i);
  }

  const KNeighborShape& shape_;
  Channels channels_;
  std::vector<std::unique_ptr<Element>> elements_;
  Conductor conductor_;
};

std::vector<Channel> plan_ring(const KNeighborShape& shape) {
  ChannelPlan plan;
  for (std::uint64_t i = 0; i < shape.elements; ++i) {
    const unsigned from = pe_of(i, shape.elements, shape.layout.pes);
    for (std::uint64_t link = 0; link < 2 * std::uint64_t{shape.reach}; ++link) {
      const std::uint64_t to = neighbour_of(shape, i, link);
      plan.add(from, pe_of(to, shape.elements, shape.layout.pes), neighbour, shape.message_bytes);
    }
    plan.add(from, 0, done, 0);
    plan.add(0, from, go, 0);
  }
  return plan.lay_out(shape.layout.page_bytes);
}

class KNeighbor final : public MessageProgram {
 public:
  explicit KNeighbor(const KNeighborShape& shape) : shape_(shape), channels_(plan_ring(shape)) {}

  [[nodiscard]] const std::vector<Channel>& channels() const override { return channels_; }

  [[nodiscard]] std::vector<ArrayNeed> arrays() const override {
    return arrays_of(shape_.layout, channels_);
  }

  ProgramOutcome run(std::span<void* const> memory, unsigned threads) override {
    assert(threads == shape_.layout.pes);
    static_cast<void>(threads);
    Ring ring(shape_, channels_, memory.size() > 1 ? memory[1] : nullptr);
    const auto pes = pe_memory(memory[0], shape_.layout);
    last_run = run_objects(ring, pes, team);
    ProgramOutcome outcome;
    if (!last_run.prepared) return outcome;
    outcome.seconds = last_run.seconds;
    outcome.operations = static_cast<double>(last_run.messages);
    outcome.unit = "Mmsg/s";
    outcome.checks = ring.checks();
    add_figures(ring.iteration_seconds(), outcome);
    return outcome;
  }

 private:
  void add_figures(std::vector<double> seconds, ProgramOutcome& outcome) const {
    if (seconds.empty()) return;
    std::ranges::sort(seconds);
    const std::size_t best =
        std::min(best_iterations, std::max<std::size_t>(1, seconds.size() - 1));
    const double sum =
        std::accumulate(seconds.begin(), seconds.begin() + static_cast<long>(best), 0.0);
    const double us = 1e6 / shape_.steps;
    outcome.figures.push_back({"mean of the fastest iterations",
                               us * sum / static_cast<double>(best), "us a step", true});
    outcome.figures.push_back({"median", us * seconds[seconds.size() / 2], "us a step", true});
  }

  KNeighborShape shape_;
  std::vector<Channel> channels_;
};

}  // namespace

std::unique_ptr<MessageProgram> make_kneighbor(const KNeighborShape& shape) {
  return std::make_unique<KNeighbor>(shape);
}

Description describe_kneighbor() {
  Description described = description_of(
      "kneighbor", "kNeighbor of Charm++: messages to neighbours in a ring and back",
      "--message-size, 1 KiB, for each of the 2k neighbours of each element",
      "written on the sending PE, read on the receiving one", "kNeighbor of Charm++'s benchmarks");
  described.parameters = {
      whole_number(
          "elements", "",
          "elements of the ring, in blocks over the PEs (default: one per PE, but at least 2k + "
          "1)",
          1, most_elements),
      whole_number("neighbours", "3", "k: neighbours on either side", 1),
      whole_number("iterations", "100", "how often all elements wait for each other", 1,
                   most_rounds),
      whole_number("steps", "100",
                   "steps in an iteration: each sends to all neighbours and waits for all "
                   "answers",
                   1, most_rounds),
      byte_size("message-size", "1K", "payload of a message", 8, most_message_bytes),
      on_or_off("as-published", "false",
                "neither write nor read payloads, as the published "
                "benchmark")};
  add_message_parameters(described);
  add_program_parameters(described);
  described.metrics = program_metrics("Mmsg/s", "messages");
  return described;
}

}  // namespace homenode::workloads::message
