// The same on the kernel that runs the test, with the nodes that it happens to have.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <sstream>

#include "actuation/audit.h"
#include "os/linux.h"
#include "regions.h"

namespace homenode::actuation {
namespace {

class RealKernel : public testing::Test {
 protected:
  void SetUp() override {
    int mode = 0;
    NodeSet nodes;
    const int result = os_.get_mempolicy(mode, nodes);
    if (result == -ENOSYS || result == -EPERM) GTEST_SKIP() << "no memory policies here";
    CpuId cpu;
    ASSERT_EQ(os_.getcpu(cpu, here_), 0);
  }

  /// How many mappings a region lies in.
  std::size_t mappings(const Region& region) {
    std::string maps;
    EXPECT_EQ(os_.read_file("/proc/self/maps", maps), 0);
    const auto address = reinterpret_cast<std::uintptr_t>(region.address);
    std::size_t count = 0;
    std::istringstream lines(maps);
    for (std::string line; std::getline(lines, line);) {
      unsigned long first = 0;
      unsigned long end = 0;
      if (std::sscanf(line.c_str(), "%lx-%lx ", &first, &end) != 2) continue;
      if (first < address + region.bytes && address < end) ++count;
    }
    return count;
  }

  /// AnonHugePages of the mapping that starts at or before `address`, in KiB.
  std::size_t huge_kilobytes(const char* address) {
    std::string smaps;
    EXPECT_EQ(os_.read_file("/proc/self/smaps", smaps), 0);
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    bool inside = false;
    std::istringstream lines(smaps);
    for (std::string line; std::getline(lines, line);) {
      unsigned long first = 0;
      unsigned long end = 0;
      if (std::sscanf(line.c_str(), "%lx-%lx ", &first, &end) == 2) {
        inside = first <= wanted && wanted < end;
      } else if (inside && line.starts_with("AnonHugePages:")) {
        return std::stoul(line.substr(sizeof "AnonHugePages:" - 1));
      }
    }
    return 0;
  }

  os::Linux os_;
  NodeId here_;
};

TEST_F(RealKernel, PlacesAndAuditsWithoutAnAdditionalMapping) {
  const std::size_t pages = 20000;
  const Region region = map_region(os_, pages);
  const placement::PageMap map(pages, here_);
  EXPECT_EQ(mappings(region), 1U);
  const auto receipt = place_pages(os_, region, map);
  EXPECT_EQ(mappings(region), 1U);
  ASSERT_TRUE(receipt) << receipt.error().message();
  EXPECT_EQ(receipt->as_planned, pages);
  EXPECT_EQ(receipt->refused, 0U);
  const auto found = audit(os_, region, getpid());
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->pages_on_node.at(here_), pages);
  os_.unmap_memory(region.address, region.bytes);
}

TEST_F(RealKernel, KeepsWhatThePagesHold) {
  const Region region = map_region(os_, 3);
  char* const bytes = static_cast<char*>(region.address);
  bytes[1] = 'x';
  ASSERT_TRUE(place_pages(os_, region, placement::PageMap(3, here_)));
  EXPECT_EQ(bytes[1], 'x');
  EXPECT_EQ(bytes[2 * os_.page_bytes()], 0);
  os_.unmap_memory(region.address, region.bytes);
}

TEST_F(RealKernel, AuditTellsAbsentPagesFromZeroPagesFromUnmappedOnes) {
  const std::size_t page = os_.page_bytes();
  const Region region = map_region(os_, 4);
  volatile char* const bytes = static_cast<char*>(region.address);
  EXPECT_EQ(bytes[0], 0);  // A read alone maps the page of zeros.
  bytes[page] = 1;
  ASSERT_EQ(os_.unmap_memory(static_cast<char*>(region.address) + 3 * page, page), 0);
  const auto found = audit(os_, region);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->reasons.at(PageReason::zero_page), 1U);
  EXPECT_EQ(found->reasons.at(PageReason::not_present), 1U);
  EXPECT_EQ(found->reasons.at(PageReason::unmapped), 1U);
  EXPECT_EQ(found->node_of_page[1], here_);
  os_.unmap_memory(region.address, region.bytes);
}

// What split_huge_pages in region.cpp relies on. MADV_COLD is 20 where the headers lack it.
TEST_F(RealKernel, AdviceOnAPartSplitsAHugePage) {
  // New pages wait in a list of their CPU, which only that CPU empties, and cannot be split there.
  CpuSet allowed;
  CpuId cpu;
  NodeId node;
  ASSERT_EQ(os_.sched_getaffinity(0, allowed), 0);
  ASSERT_EQ(os_.getcpu(cpu, node), 0);
  ASSERT_EQ(os_.sched_setaffinity(0, {cpu}), 0);
  constexpr std::size_t unit = std::size_t{2} << 20;
  const Region region = map_region(os_, 4 * unit / os_.page_bytes());
  const auto address = reinterpret_cast<std::uintptr_t>(region.address);
  char* const huge = reinterpret_cast<char*>((address + unit - 1) / unit * unit);
  os_.advise_memory(huge, unit, MADV_HUGEPAGE);
  ASSERT_EQ(os_.populate_memory(huge, unit), 0);
  const std::size_t before = huge_kilobytes(huge);
  if (before == 0) GTEST_SKIP() << "no huge pages here";
  ASSERT_EQ(os_.advise_memory(huge + os_.page_bytes(), os_.page_bytes(), 20), 0);
  EXPECT_EQ(huge_kilobytes(huge), 0U);
  os_.unmap_memory(region.address, region.bytes);
  EXPECT_EQ(os_.sched_setaffinity(0, allowed), 0);
}

TEST_F(RealKernel, ANodeThatDoesNotExistIsRefusedWithItsNumber) {
  const Region region = map_region(os_, 8);
  const auto receipt = place_pages(os_, region, placement::PageMap(8, NodeId(900)));
  ASSERT_FALSE(receipt);
  EXPECT_EQ(receipt.error().code, ErrorCode::bad_usage);
  EXPECT_NE(receipt.error().message().find("900"), std::string::npos);
  const auto mixed =
      place_pages(os_, region,
                  {here_, here_, here_, here_, NodeId(900), NodeId(900), NodeId(900), NodeId(900)});
  ASSERT_TRUE(mixed) << mixed.error().message();
  EXPECT_EQ(mixed->as_planned, 4U);
  EXPECT_EQ(mixed->refused, 4U);
  os_.unmap_memory(region.address, region.bytes);
}

}  // namespace
}  // namespace homenode::actuation
