#include "actuation/mappings.h"

#include <gtest/gtest.h>

namespace homenode::actuation {
namespace {

constexpr const char* smaps =
    "10000-20000 rw-p 00000000 00:00 0\n"
    "Size:                 64 kB\n"
    "AnonHugePages:        16 kB\n"
    "20000-30000 rw-p 00000000 00:00 0 [heap]\n"
    "AnonHugePages:        32 kB\n"
    "ShmemPmdMapped:        8 kB\n"
    "30000-40000 rw-p 00000000 00:00 0\n"
    "AnonHugePages:        64 kB\n";

TEST(KernelWords, FindsWhatIsClosedAroundAHole) {
  constexpr const char* maps =
      "1000-3000 ---p 00000000 00:00 0 \n"
      "3000-4000 rw-p 00000000 00:00 0 \n"
      "6000-9000 ---p 00000000 00:00 0    [anon]\n"
      "9000-a000 ---s 00000000 00:00 0    /file\n"
      "nonsense\n";
  EXPECT_FALSE(closed_remains(maps, 0x1000, 0x3000)) << "there is no hole";
  const auto parts = closed_remains(maps, 0x2000, 0x8000);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 2U);
  EXPECT_EQ(parts->front().address, reinterpret_cast<void*>(0x2000));
  EXPECT_EQ(parts->front().bytes, 0x1000U);
  EXPECT_EQ(parts->back().address, reinterpret_cast<void*>(0x6000));
  EXPECT_EQ(parts->back().bytes, 0x3000U);
  EXPECT_TRUE(closed_remains(maps, 0x4000, 0x1000)->empty());
  EXPECT_TRUE(closed_remains("", 0x4000, 0x1000)->empty());
}

TEST(HugePages, AreSummedOverTheMappingsOfTheRange) {
  EXPECT_EQ(huge_in(smaps, 0x20000, 0x10000), Bytes{32 << 10});
  EXPECT_EQ(huge_in(smaps, 0x10000, 0x20000), Bytes{48 << 10});
}

TEST(HugePages, AreCutToTheRangeAndUnknownOutside) {
  EXPECT_EQ(huge_in(smaps, 0x3f000, 0x1000), Bytes{4 << 10});
  EXPECT_FALSE(huge_in(smaps, 0x50000, 0x1000));
  EXPECT_FALSE(huge_in("", 0x10000, 0x1000));
  EXPECT_FALSE(huge_in("no mapping\n\nzz-yy\n", 0x10000, 0x1000));
}

}  // namespace
}  // namespace homenode::actuation
