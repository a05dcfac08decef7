// maps and smaps as kernels write them.
#include "sensing/memory_maps.h"

#include <gtest/gtest.h>

namespace homenode::sensing {
namespace {

constexpr const char* maps =
    "55d0a0000000-55d0a0021000 rw-p 00000000 00:00 0                          [heap]\n"
    "7f0000000000-7f0000400000 rw-s 00000000 00:01 1025       /dev/shm/a b (deleted)\n"
    "7f0010000000-7f0010001000 r-xp 00001000 fe:00 17                         /tmp/x\\012y\\040z\n"
    "7f0020000000-7f0020001000 rw-p 00000000 00:00 0 \n"
    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

TEST(MemoryMaps, EachLineIsAMapping) {
  const auto entries = parse_maps(maps);
  ASSERT_EQ(entries.size(), 5U);
  EXPECT_EQ(entries[0].name, "[heap]");
  EXPECT_EQ(entries[0].end - entries[0].first, 0x21000U);
  EXPECT_TRUE(entries[0].writable);
  EXPECT_FALSE(entries[0].shared);
  EXPECT_EQ(entries[1].name, "/dev/shm/a b (deleted)");
  EXPECT_TRUE(entries[1].shared);
  EXPECT_EQ(entries[2].name, "/tmp/x\ny\\040z") << "only the end of a line is escaped in maps";
  EXPECT_FALSE(entries[2].writable);
  EXPECT_EQ(entries[3].name, "");
  EXPECT_EQ(entries[4].end, 0xffffffffff601000U);
}

TEST(MemoryMaps, SmapsAddsAmounts) {
  const auto entries = parse_maps(
      "7f0000000000-7f0000800000 rw-p 00000000 00:00 0 \n"
      "Size:               8192 kB\n"
      "Rss:                6144 kB\n"
      "AnonHugePages:      4096 kB\n"
      "ShmemPmdMapped:     2048 kB\n"
      "Swap:                 12 kB\n"
      "Locked:               16 kB\n"
      "THPeligible:           1\n"
      "VmFlags: rd wr mr mw me ac sd \n"
      "7f0000800000-7f0000801000 r--p 00000000 fe:00 9   /lib/x.so\n"
      "Rss:                   4 kB\n");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].resident, 6_MiB);
  EXPECT_EQ(entries[0].transparent_huge, 6_MiB);
  EXPECT_EQ(entries[0].swapped, 12_KiB);
  EXPECT_EQ(entries[0].locked, 16_KiB);
  EXPECT_EQ(entries[1].resident, 4_KiB);
  EXPECT_EQ(entries[1].transparent_huge, Bytes());
}

TEST(MemoryMaps, WhatIsNoMappingIsSkipped) {
  EXPECT_TRUE(parse_maps("").empty());
  EXPECT_TRUE(
      parse_maps("Rss: 4 kB\n7f00-7e00 rw-p 0 0 0\n7f00 rw-p 0\n-\n7f00-7f01 rw 0\n").empty());
}

}  // namespace
}  // namespace homenode::sensing
