// Arithmetic on numbers of some limbs, each result a fresh tiny block: powers of three, checked
// against the same arithmetic modulo a prime. Blocks of 8 to 80 bytes that live for a few
// operations.
#include "bench.h"

using namespace heap_bench;

namespace {

constexpr std::uint64_t operations = 40'000'000;
constexpr std::uint64_t prime = 2'147'483'647;
constexpr std::size_t most_limbs = 16;

// Limbs of 32 bits behind their count, lowest first.
struct Number {
  std::uint32_t count;
  std::uint32_t limbs[];
};

Number* make(std::size_t limbs) {
  auto* const number =
      static_cast<Number*>(std::malloc(sizeof(Number) + limbs * sizeof(std::uint32_t)));
  if (number == nullptr) fail("no memory");
  number->count = static_cast<std::uint32_t>(limbs);
  return number;
}

Number* product(const Number* number, std::uint32_t factor) {
  Number* result = make(number->count + std::size_t{1});
  std::uint64_t carry = 0;
  for (std::uint32_t i = 0; i < number->count; ++i) {
    carry += std::uint64_t{number->limbs[i]} * factor;
    result->limbs[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  result->limbs[number->count] = static_cast<std::uint32_t>(carry);
  if (carry == 0) --result->count;
  return result;
}

std::uint64_t rest(const Number* number) {
  std::uint64_t value = 0;
  for (std::uint32_t i = number->count; i > 0; --i) {
    value = ((value << 32) + number->limbs[i - 1]) % prime;
  }
  return value;
}

void raise(const Work& work, unsigned rank) {
  const std::uint64_t mine = work.share(operations) / 2;
  Number* power = make(1);
  power->limbs[0] = rank + 1;
  std::uint64_t expected = rank + 1;
  for (std::uint64_t i = 0; i < mine; ++i) {
    Number* const twice = product(power, 2);
    Number* const thrice = product(power, 3);
    std::free(power);
    std::free(twice);
    power = thrice;
    expected = expected * 3 % prime;
    if (power->count == most_limbs) {
      if (rest(power) != expected) fail("a number changed");
      power->count = 1;
      power->limbs[0] = rank + 1;
      expected = rank + 1;
    }
  }
  if (rest(power) != expected) fail("a number changed");
  std::free(power);
}

}  // namespace

int main(int argc, char** argv) {
  const Work work = arguments(argc, argv);
  team(work.threads, [&](unsigned rank) { raise(work, rank); });
}
