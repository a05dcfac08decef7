// What the agent did in this process and what the kernel refused it, told on the error stream: one
// line at the first refusal, and when the launcher asks for it one at the end. Serves both
// libraries; each has an account of its own. System calls only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/words.h"

namespace homenode::agent {

/// The digits of a number, without stdio.
class Decimal {
 public:
  explicit Decimal(std::uint64_t number) {
    do {
      *--first_ = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
  }
  Decimal(const Decimal&) = delete;
  Decimal& operator=(const Decimal&) = delete;
  [[nodiscard]] const char* text() const { return first_; }

 private:
  char digits_[24] = {};
  char* first_ = digits_ + sizeof digits_ - 1;
};

/// Reads what the launcher says; false when it says nothing, and when that cannot be read, which is
/// told. Remembers which file the error stream is: a program may close it and open another in its
/// place, and that one is not ours to write to. Before it is called nothing is told.
bool open_account(char* const* environment, Arena& arena, Words& words);

/// Takes down a refusal: `result` is what the call gave, below 0 when it was refused. Gives it
/// back.
int noted(const char* call, int result);

/// One thing that could not be done, told at once; once a process.
void note_failure(const char* what);

void count_allocation(std::size_t pages);
void count_data(std::size_t pages);
/// A mapping that a distribution does not suit, because it would bring all of it in.
void count_left(std::size_t pages);

/// One line with what was counted.
void tell_account();

}  // namespace homenode::agent
