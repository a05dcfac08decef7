// numa_maps as kernels write it: every policy, every kind of mapping, names that need escapes.
#include "sensing/numa_maps.h"

#include <gtest/gtest.h>

#include "base/id_list.h"

namespace homenode::sensing {
namespace {

NumaMapping only(std::string_view line) {
  const NumaMaps maps = parse_numa_maps(line);
  EXPECT_EQ(maps.mappings.size(), 1U) << line;
  EXPECT_EQ(maps.unreadable_lines, 0U) << line;
  return maps.mappings.empty() ? NumaMapping() : maps.mappings.front();
}

TEST(NumaMaps, AMappingHasPagesOnNodes) {
  const NumaMapping mapping = only(
      "7f2a40000000 bind:0-1 anon=300 dirty=290 mapped=310 mapmax=3 swapcache=4 active=0 N0=44 "
      "N1=256 kernelpagesize_kB=4\n");
  EXPECT_EQ(mapping.first, 0x7f2a40000000U);
  EXPECT_EQ(mapping.anon, 300U);
  EXPECT_EQ(mapping.dirty, 290U);
  EXPECT_EQ(mapping.swapcache, 4U);
  EXPECT_EQ(mapping.most_sharers, 3U);
  EXPECT_EQ(mapping.page_size, 4_KiB);
  EXPECT_EQ(mapping.pages, (PagesOnNodes{{NodeId(0), 44}, {NodeId(1), 256}}));
  EXPECT_TRUE(mapping.file.empty());
}

TEST(NumaMaps, HeapStackAndHugePages) {
  EXPECT_TRUE(only("55d0 default heap anon=1 dirty=1 N0=1 kernelpagesize_kB=4").heap);
  EXPECT_TRUE(only("7ffd default stack anon=3 dirty=3 N0=3 kernelpagesize_kB=4").stack);
  const NumaMapping huge = only(
      "7f00 bind:1 file=/anon_hugepage\\040(deleted) huge anon=3 dirty=3 N1=3 "
      "kernelpagesize_kB=2048");
  EXPECT_TRUE(huge.huge);
  EXPECT_EQ(huge.file, "/anon_hugepage (deleted)");
  EXPECT_EQ(bytes_of(huge.pages.front().second, huge.page_size), 6_MiB);
}

TEST(NumaMaps, AReservationHasNoPages) {
  const NumaMapping mapping = only("7f00 default");
  EXPECT_TRUE(mapping.pages.empty());
  EXPECT_EQ(only("7f00 default file=/lib/x.so").file, "/lib/x.so");
}

TEST(NumaMaps, NodesAreSparseAndInOrder) {
  EXPECT_EQ(only("7f00 interleave:8,64,250 anon=6 N250=1 N64=2 N8=3 kernelpagesize_kB=64").pages,
            (PagesOnNodes{{NodeId(8), 3}, {NodeId(64), 2}, {NodeId(250), 1}}));
}

TEST(NumaMaps, FileNamesMayHoldAnything) {
  EXPECT_EQ(only("7f00 default file=/tmp/a\\040b\\012c\\011d\\075e mapped=1 N0=1").file,
            "/tmp/a b\nc\td=e");
  EXPECT_EQ(only("7f00 default file=heap mapped=1 N0=1").file, "heap");
  EXPECT_FALSE(only("7f00 default file=heap mapped=1 N0=1").heap);
}

struct PolicyCase {
  const char* text;
  const char* mode;
  const char* flags;
  const char* nodes;
};

TEST(NumaMaps, EveryPolicyIsRead) {
  const PolicyCase cases[] = {
      {"default", "default", "", ""},
      {"local", "local", "", ""},
      {"prefer:1", "preferred", "", "1"},
      {"prefer=static:1", "preferred", "static", "1"},
      {"prefer (many):0-1", "preferred-many", "", "0-1"},
      {"prefer (many)=static:0-1", "preferred-many", "static", "0-1"},
      {"bind:0,2", "bind", "", "0,2"},
      {"bind=balancing:0-3", "bind", "balancing", "0-3"},
      {"bind=static|balancing:0-3", "bind", "static|balancing", "0-3"},
      {"interleave=relative:0-3", "interleave", "relative", "0-3"},
      {"weighted interleave:0-1", "weighted-interleave", "", "0-1"},
      {"newer-than-this:5", "newer-than-this", "", "5"},
  };
  for (const PolicyCase& expected : cases) {
    const NumaMapping mapping =
        only(std::string("7f00 ") + expected.text + " anon=1 dirty=1 N0=1 kernelpagesize_kB=4");
    EXPECT_EQ(mapping.policy.mode, expected.mode) << expected.text;
    EXPECT_EQ(mapping.policy.flags, expected.flags) << expected.text;
    EXPECT_EQ(to_list(mapping.policy.nodes), expected.nodes) << expected.text;
    EXPECT_FALSE(mapping.policy.nodes_cut);
    EXPECT_EQ(mapping.anon, 1U) << "what follows the policy is read too: " << expected.text;
  }
}

TEST(NumaMaps, APolicyThatTheKernelCutKeepsItsWholeParts) {
  const std::string policy = "interleave:0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,";
  ASSERT_EQ(policy.size(), 63U);
  const StatedPolicy read = only("7f00 " + policy + " N0=1").policy;
  EXPECT_TRUE(read.nodes_cut);
  EXPECT_EQ(to_list(read.nodes), "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36");
  EXPECT_TRUE(to_string(read).ends_with(",34,36,…"));
}

TEST(NumaMaps, PoliciesPrintAsTheKernelNamesThem) {
  EXPECT_EQ(to_string(only("7f00 bind=static:0-1").policy), "bind=static:0-1");
  EXPECT_EQ(to_string(only("7f00 default").policy), "default");
}

TEST(NumaMaps, WhatCannotBeReadIsCounted) {
  const NumaMaps maps = parse_numa_maps("zzz default\n7f00\n\n7f00 default N0=x N99999=1 N1=2\n");
  EXPECT_EQ(maps.unreadable_lines, 2U);
  ASSERT_EQ(maps.mappings.size(), 1U);
  EXPECT_EQ(maps.mappings.front().pages, (PagesOnNodes{{NodeId(1), 2}}));
}

}  // namespace
}  // namespace homenode::sensing
