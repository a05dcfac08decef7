// In which order a thread goes through the blocks of an object, as far as it was seen. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/program.h"

namespace homenode::model {

/// What a thread uses of a block: what it reads, or what it writes where it reads nothing.
[[nodiscard]] inline double asked(const Lines& lines) {
  return lines.reads > 0 ? lines.reads : lines.writes;
}

/// A pass through all that the thread uses, in legs: some blocks, of each a few lines and then of
/// the next, again and again, until the thread goes on to other blocks. Who walks through an array
/// in the order of addresses has one leg, and one round of it; who goes down its columns has a leg
/// for each page that a row has, and as many rounds as a page has columns.
class Traversal {
 public:
  /// A block, and a place in it from 0 to 1.
  struct Place {
    std::size_t block = 0;
    double within = 0;
  };

  /// By the order in which the thread first came to blocks. Empty where that is not known, or does
  /// not explain how much it uses of each, as with uses at random.
  static std::optional<Traversal> seen(const Object& object, std::size_t thread);
  /// Block after block. pre: the thread uses the object.
  static Traversal by_address(const Object& object, std::size_t thread);

  /// Of one pass.
  [[nodiscard]] double lines() const { return legs_.back().end; }
  [[nodiscard]] double passes() const { return passes_; }
  /// Where the thread is after so many lines of a pass. pre: 0 <= line < lines()
  [[nodiscard]] Place at(double line) const;

 private:
  struct Stop {
    std::size_t block = 0;
    double until = 0;  ///< In lines of a round.
  };
  struct Leg {
    std::vector<Stop> stops;
    double begin = 0;
    double end = 0;
  };

  double passes_ = 1;
  std::vector<Leg> legs_;
};

}  // namespace homenode::model
