// Where the lines lie that a thread asks for, one after another: a sample of its way through an
// object. Pure; the network of queues asks for them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/layout.h"
#include "model/traversal.h"

namespace homenode::model {

/// A thread of which nobody saw in which order it came to blocks walks through an object of which
/// it has at least this share asked for ahead, by address; else it uses all of it in no order.
constexpr double in_order_from = 0.5;

/// A walk of a few stretches, spread over all of it and over its first passes, in each of which
/// blocks follow one another as they do when the thread traverses the object: who walks through
/// pages that go round the nodes is at one of them at a time, and other threads are, too. All walks
/// of a program have their stretches at the same places. What is used in no order lies on each node
/// as often as chance has it. Chance is the same for each prediction.
class Walk {
 public:
  /// `requests` stand for all that the thread reads of the object (what it writes where it reads
  /// nothing), each for `lines` that are next to each other. pre: the thread uses the object,
  /// requests > 0; object and homes outlive it.
  Walk(const Object& object, const std::vector<NodeShares>& homes, std::size_t thread,
       std::size_t requests, double lines);

  /// Whether the requests go through all of it twice or more, or in no order: what is left of the
  /// walk is as their second half.
  [[nodiscard]] bool repeats() const { return !traversal_ || whole_passes_ >= 2; }
  struct Step {
    std::size_t node = 0;  ///< Its position.
    bool moved = false;    ///< To another block than the step before.
  };
  /// Where the next request goes.
  Step next();

 private:
  [[nodiscard]] double chance(std::uint64_t number) const;

  const Object& object_;
  const std::vector<NodeShares>& homes_;
  std::optional<Traversal> traversal_;  ///< None: the thread uses all of it in no order.
  NodeShares shares_;                   ///< Then, of all that it uses.
  double lines_ = 1;                    ///< From a request to the next.
  std::uint64_t seed_ = 0;
  std::size_t stretch_ = 1;    ///< Requests of one stretch.
  std::size_t stretches_ = 1;  ///< Of one pass.
  double whole_passes_ = 0;
  std::size_t at_ = 0;
  std::size_t block_ = 0;  ///< Of the last step.
};

}  // namespace homenode::model
