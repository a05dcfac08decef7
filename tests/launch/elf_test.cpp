#include "launch/elf.h"

#include <gtest/gtest.h>

#include <random>

#include "support/small_program.h"

namespace homenode::launch {
namespace {

using Kind = ElfSymbol::Kind;

TEST(ReadElf, FindsDataConstantsAndCode) {
  const ElfFile file = read_elf(SmallProgram().text());
  EXPECT_TRUE(file.readable);
  EXPECT_FALSE(file.stripped);
  EXPECT_EQ(file.interpreter, "/lib/ld.so");
  const std::vector<ElfSymbol> wanted{{"alloc_3d", 0x1000, 99, Kind::code},
                                      {"table", 0x2000, 64, Kind::constant},
                                      {"before_main", 0x4000, 16, Kind::constant},
                                      {"u_", 0x4100, 800, Kind::data}};
  EXPECT_EQ(file.symbols, wanted);  // None is exported: the table is no SHT_DYNSYM.
}

TEST(ReadElf, SaysWhatItCannotRead) {
  EXPECT_FALSE(read_elf("").readable);
  EXPECT_FALSE(read_elf("#!/bin/sh\n").readable);
  std::string of_32_bits = SmallProgram().text();
  of_32_bits[EI_CLASS] = ELFCLASS32;
  EXPECT_FALSE(read_elf(of_32_bits).readable);
}

TEST(ReadElf, LooksAtNothingOutsideABrokenFile) {
  const std::string whole = SmallProgram().text();
  std::mt19937 random(1017);
  std::size_t with_symbols = 0;
  for (int round = 0; round < 50000; ++round) {
    std::string text = whole.substr(0, random() % 4 == 0 ? random() % whole.size() : whole.size());
    for (auto changes = random() % 4; changes > 0 && !text.empty(); --changes) {
      const auto odd = random() % 3 == 0 ? 0xffU : random() & 0xffU;
      text[random() % text.size()] = static_cast<char>(odd);
    }
    // A copy of the exact size, so that a sanitizer sees the first byte beyond it.
    const std::vector<char> exact(text.begin(), text.end());
    if (!read_elf({exact.data(), exact.size()}).symbols.empty()) ++with_symbols;
  }
  EXPECT_GT(with_symbols, 1000U);
}

}  // namespace
}  // namespace homenode::launch
