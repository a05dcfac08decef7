// Whose heaps are, from names and from bytes that anybody may have written.
#include "sensing/heap_owners.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <random>

#include "base/heap_header.h"
#include "captured.h"
#include "fake/fake.h"
#include "sensing/process_reader.h"

namespace homenode::sensing {
namespace {

constexpr std::uint64_t arena = 0x7f0000000000;  // An anonymous mapping of the example.

std::string header_bytes(const HeapHeader& header) {
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

TEST(HeapOwners, AreReadFromNames) {
  const auto in = [](std::string_view name) {
    const auto owner = owner_in_name(name);
    return owner ? to_string(*owner) : "nobody";
  };
  EXPECT_EQ(in("[anon:homenode malloc node 17]"), "malloc node 17");
  EXPECT_EQ(in("[anon:homenode malloc]"), "malloc");
  EXPECT_EQ(in("[anon:homenode heap node 0]"), "private heap node 0");
  for (const char* name : {"", "[heap]", "[anon:homenode]", "[anon:homenode malloc node 17",
                           "[anon:homenode malloc node x]", "[anon:homenode mallocs]",
                           "[anon:homenode malloc node 99999999]", "/homenode malloc node 1"}) {
    EXPECT_EQ(in(name), "nobody") << name;
  }
}

TEST(HeapOwners, AreReadFromAHeaderThatIsWholeAndStandsWhereItSays) {
  const HeapHeader good{heap_header_magic, arena, 3, 0};
  const auto owner = owner_in_header(header_bytes(good), arena);
  ASSERT_TRUE(owner);
  EXPECT_EQ(*owner, (HeapOwner{false, NodeId(3)}));
  EXPECT_FALSE(owner_in_header(header_bytes(good), arena + heap_header_step)) << "a copy";
  EXPECT_FALSE(owner_in_header(header_bytes(good).substr(1), arena)) << "too short";
  HeapHeader bad = good;
  bad.magic ^= 1U;
  EXPECT_FALSE(owner_in_header(header_bytes(bad), arena));
  bad = good;
  bad.node = 70'000;
  EXPECT_FALSE(owner_in_header(header_bytes(bad), arena));
  bad = good;
  bad.private_heap = 2;
  EXPECT_FALSE(owner_in_header(header_bytes(bad), arena));
  bad.private_heap = 1;
  bad.node = heap_header_no_node;
  EXPECT_EQ(owner_in_header(header_bytes(bad), arena), (HeapOwner{true, std::nullopt}));
}

TEST(HeapOwners, AreNotFoundInAnyOtherBytes) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 10'000; ++round) {
    std::string bytes = header_bytes({heap_header_magic, arena, 1, 0});
    bytes[random() % 16] ^= static_cast<char>(1 + random() % 255);
    EXPECT_FALSE(owner_in_header(bytes, arena)) << round;
  }
}

/// The example's anonymous mapping at `arena` as a heap of homenode's malloc.
class HeapOfAProcess : public ::testing::Test {
 protected:
  HeapOfAProcess() {
    system.write_example();
    // The stack fills its mapping, so no memory is read for it.
    system.write("proc/100/limits", "Max stack size  16384  unlimited  bytes\n");
    write_heap_header(os, system.root(), arena);
  }
  const Mapping& read() {
    auto found = read_survey({os, system.root()}, 100, {});
    EXPECT_TRUE(found);
    survey = std::move(*found);
    return survey.mappings[2];
  }

  CapturedSystem system;
  os::Fake os;
  Survey survey;
};

TEST_F(HeapOfAProcess, HasItsOwnerAndIsAHeap) {
  const Mapping& mapping = read();
  EXPECT_EQ(to_string(mapping.owners), "malloc node 1");
  EXPECT_EQ(mapping.group, Group::heap);
  EXPECT_EQ(bytes_of_owners(survey).at("malloc node 1"),
            (BytesOnNodes{{NodeId(0), 400 * 4096}, {NodeId(1), 600 * 4096}}));
  EXPECT_TRUE(survey.notes.empty());
}

TEST_F(HeapOfAProcess, MayBeOfSeveralOwnersInOneMapping) {
  std::string maps = CapturedSystem::maps;
  maps.replace(maps.find("7f0000400000"), 12, "7f0008000000");
  system.write("proc/100/maps", maps);
  write_heap_header(os, system.root(), arena + heap_header_step, true, 0);
  EXPECT_EQ(to_string(read().owners), "malloc node 0, malloc node 1");
}

TEST_F(HeapOfAProcess, IsNotTouchedWhereItsPageIsNotPresent) {
  write_heap_header(os, system.root(), arena, false);
  EXPECT_TRUE(read().owners.empty());
  EXPECT_EQ(survey.mappings[2].group, Group::anonymous);
  EXPECT_EQ(os.count("read_file_at"), 1U);
}

TEST_F(HeapOfAProcess, IsAnonymousToAStranger) {
  for (const unsigned nth : {1U, 2U}) {
    os.fail_call("read_file_at", nth, EACCES);
    EXPECT_TRUE(read().owners.empty());
    EXPECT_EQ(survey.mappings[2].group, Group::anonymous);
    EXPECT_TRUE(survey.notes.empty()) << "nothing says that it is a heap of ours";
  }
  std::string numa = CapturedSystem::numa_maps;
  numa.replace(numa.find("/lib/libc.so.6"), 14, "/lib/libhomenode-malloc.so");
  system.write("proc/100/numa_maps", numa);
  os.fail_call("read_file_at", 2, EACCES);
  EXPECT_TRUE(read().owners.empty());
  ASSERT_EQ(survey.notes.size(), 1U);
  EXPECT_NE(survey.notes[0].find("cannot read /proc/100/mem"), std::string::npos);
}

TEST_F(HeapOfAProcess, IsKnownByItsNameWhereMemoryCannotBeRead) {
  std::string maps = CapturedSystem::maps;
  maps.replace(maps.find("00:00 0 \n"), 8, "00:00 0    [anon:homenode malloc node 0]");
  system.write("proc/100/maps", maps);
  EXPECT_EQ(to_string(read().owners), "malloc node 1") << "the header is newer than the name";
  os.fail_call("read_file_at", 2, EPERM);
  EXPECT_EQ(to_string(read().owners), "malloc node 0");
}

}  // namespace
}  // namespace homenode::sensing
