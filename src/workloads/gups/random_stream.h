// The numbers of HPCC's RandomAccess: x^k modulo x^64 + x^2 + x + 1 over the field of two elements,
// as the bits of a word, for k = 0, 1, 2, ... Any place in the sequence can be computed at once, so
// that each thread has a part of it.
#pragma once

#include <cstdint>

namespace homenode::workloads::gups {

/// The number after `value`: times x.
constexpr std::uint64_t next(std::uint64_t value) {
  return (value << 1U) ^ ((value >> 63U) != 0 ? 7U : 0U);
}

/// The product of two of them.
constexpr std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  for (unsigned bit = 64; bit-- > 0;) {
    product = next(product);
    if ((b >> bit & 1U) != 0) product ^= a;
  }
  return product;
}

/// The k-th number.
constexpr std::uint64_t at(std::uint64_t k) {
  std::uint64_t power = 2;  // x
  std::uint64_t result = 1;
  for (; k != 0; k >>= 1U) {
    if ((k & 1U) != 0) result = multiply(result, power);
    power = multiply(power, power);
  }
  return result;
}

}  // namespace homenode::workloads::gups
