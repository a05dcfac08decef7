#include <homenode/homenode.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "text.h"

namespace homenode::capi_tests {
namespace {

using Region = std::unique_ptr<hn_region, decltype(&hn_region_free)>;

Region allocate(std::size_t bytes, const char* rule) {
  hn_region* region = nullptr;
  char* error = nullptr;
  EXPECT_EQ(hn_region_allocate(bytes, rule, &region, &error), HN_OK) << take(error);
  return {region, &hn_region_free};
}

Region adopt(void* address, std::size_t bytes) {
  hn_region* region = nullptr;
  EXPECT_EQ(hn_region_adopt(address, bytes, &region, nullptr), HN_OK);
  return {region, &hn_region_free};
}

std::vector<int> audit(const Region& region) {
  std::vector<int> nodes(hn_region_pages(region.get()), -7);
  char* error = nullptr;
  EXPECT_EQ(hn_region_audit(region.get(), nodes.data(), nodes.size(), nullptr, &error), HN_OK)
      << take(error);
  return nodes;
}

/// A node that this process may use, as a rule's end.
int some_node() {
  int node = HN_NO_NODE;
  const Region region = allocate(1, "local");
  *static_cast<char*>(hn_region_address(region.get())) = 1;
  node = audit(region).front();
  EXPECT_GE(node, 0);
  return node;
}

TEST(RegionAllocate, WithoutARuleBringsNoPageIn) {
  const std::size_t page = hn_page_bytes();
  const Region region = allocate(5 * page + 1, nullptr);
  EXPECT_EQ(hn_region_bytes(region.get()), 5 * page + 1);
  EXPECT_EQ(hn_region_pages(region.get()), 6U);
  EXPECT_EQ(audit(region), std::vector<int>(6, HN_NO_NODE));
  auto* const bytes = static_cast<char*>(hn_region_address(region.get()));
  EXPECT_TRUE(std::all_of(bytes, bytes + 5 * page + 1, [](char byte) { return byte == 0; }));
}

TEST(RegionAllocate, WithADistributionBringsEveryPageIn) {
  const Region region = allocate(64 * hn_page_bytes(), "cyclic");
  const std::vector<int> nodes = audit(region);
  EXPECT_EQ(std::count(nodes.begin(), nodes.end(), HN_NO_NODE), 0);
  hn_statistics statistics;
  hn_region_statistics(region.get(), &statistics);
  EXPECT_EQ(statistics.placements, 1U);
  EXPECT_EQ(statistics.pages_as_planned, 64U);
  EXPECT_EQ(statistics.pages_moved + statistics.pages_refused, 0U);
  EXPECT_GT(statistics.seconds, 0.0);
}

TEST(RegionAllocate, BeginsWhereHugePagesDoWhenItIsLarge) {
  const Region region = allocate(std::size_t{5} << 20U, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(hn_region_address(region.get())) % (2U << 20U), 0U);
}

TEST(RegionPlace, KeepsTheContent) {
  const Region region = allocate(16 * hn_page_bytes(), nullptr);
  auto* const numbers = static_cast<std::uint32_t*>(hn_region_address(region.get()));
  const std::size_t count = hn_region_bytes(region.get()) / sizeof(std::uint32_t);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint32_t>(i * 7);
  const std::string bind = "bind@" + std::to_string(some_node());
  for (const char* rule : {"block", "random:3", "default", bind.c_str()}) {
    char* error = nullptr;
    EXPECT_EQ(hn_region_place(region.get(), rule, &error), HN_OK) << rule << take(error);
  }
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(numbers[i], i * 7);
  hn_statistics statistics;
  hn_region_statistics(region.get(), &statistics);
  EXPECT_EQ(statistics.placements, 4U);
}

hn_array shape(std::vector<std::size_t> extents, std::size_t element_bytes, int order) {
  hn_array array{{1, 1, 1, 1}, element_bytes, static_cast<int>(extents.size()), order};
  std::copy(extents.begin(), extents.end(), array.extents);
  return array;
}

TEST(RegionPlaceArray, CutsArraysByTheirShape) {
  const Region region = allocate(100 * 100 * 8, nullptr);
  for (const int order : {HN_ORDER_C, HN_ORDER_FORTRAN}) {
    const hn_array array = shape({100, 100}, 8, order);
    for (const char* rule : {"rows", "columns", "columns:7", "blocks", "block", "cyclic"}) {
      char* error = nullptr;
      EXPECT_EQ(hn_region_place_array(region.get(), &array, rule, &error), HN_OK) << take(error);
    }
  }
  const std::vector<int> nodes = audit(region);
  EXPECT_EQ(std::count(nodes.begin(), nodes.end(), HN_NO_NODE), 0);
}

TEST(RegionPlaceArray, TakesAPartOfTheRegionToo) {
  const Region region = allocate(10 * hn_page_bytes(), nullptr);
  const hn_array array = shape({2, hn_page_bytes()}, 1, HN_ORDER_C);
  EXPECT_EQ(hn_region_place_array(region.get(), &array, "rows", nullptr), HN_OK);
}

TEST(RegionPlaceArray, SaysInOneLineWhatIsWrong) {
  const Region region = allocate(4096, nullptr);
  const auto refused = [&](const hn_array* array, const char* rule) {
    char* error = nullptr;
    EXPECT_EQ(hn_region_place_array(region.get(), array, rule, &error), HN_BAD_USAGE) << rule;
    EXPECT_TRUE(is_one_line(take(error)));
  };
  const hn_array good = shape({8, 8}, 8, HN_ORDER_C);
  for (const char* rule :
       {"rows:", "rows:0", "rows:x", "rows@", "rows@65000", "rows@x", "rows:1:2"}) {
    refused(&good, rule);
  }
  refused(nullptr, "rows");
  refused(&good, nullptr);
  const hn_array flat = shape({8}, 8, HN_ORDER_C);
  refused(&flat, "columns");
  const hn_array strange = shape({8, 8}, 8, 7);
  refused(&strange, "rows");
  const hn_array large = shape({8192, 8192}, 8, HN_ORDER_C);
  refused(&large, "rows");
  const hn_array huge = shape({SIZE_MAX, SIZE_MAX}, 8, HN_ORDER_C);
  refused(&huge, "rows");
  const hn_array nothing = shape({0, 8}, 8, HN_ORDER_C);
  refused(&nothing, "rows");
  hn_array many = good;
  many.dimensions = 5;
  refused(&many, "rows");
  char* error = nullptr;
  EXPECT_EQ(hn_region_place(region.get(), "rows", &error), HN_BAD_USAGE);
  EXPECT_NE(take(error).find("hn_region_place_array"), std::string::npos);
}

TEST(RegionAdopt, TakesThePagesThatItTouchesAndLeavesTheMemory) {
  const std::size_t page = hn_page_bytes();
  std::vector<char> memory(4 * page, 'x');
  char* const inside =
      memory.data() + page - reinterpret_cast<std::uintptr_t>(memory.data()) % page;
  {
    const Region region = adopt(inside + 10, page);
    EXPECT_EQ(hn_region_pages(region.get()), 2U);
    EXPECT_EQ(hn_region_address(region.get()), inside + 10);
    EXPECT_EQ(hn_region_place(region.get(), "block", nullptr), HN_OK);
  }
  EXPECT_EQ(std::count(memory.begin(), memory.end(), 'x'),
            static_cast<std::ptrdiff_t>(memory.size()));
}

TEST(RegionAudit, TellsCountsAndReasonsAsJson) {
  const Region region = allocate(4 * hn_page_bytes(), nullptr);
  static_cast<char*>(hn_region_address(region.get()))[0] = 1;
  char* json = nullptr;
  ASSERT_EQ(hn_region_audit(region.get(), nullptr, 0, &json, nullptr), HN_OK);
  const std::string text = take(json);
  EXPECT_NE(text.find(R"("schema":"homenode.audit/1")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("pages_on_no_node":{"not present":3})"), std::string::npos) << text;
  EXPECT_NE(text.find(":1}"), std::string::npos) << text;
}

TEST(RegionAudit, WritesNoMoreThanThereIsRoomFor) {
  const Region region = allocate(4 * hn_page_bytes(), "block");
  std::vector<int> nodes(4, -7);
  ASSERT_EQ(hn_region_audit(region.get(), nodes.data(), 2, nullptr, nullptr), HN_OK);
  EXPECT_GE(nodes[1], 0);
  EXPECT_EQ(nodes[2], -7);
}

TEST(RegionPlace, NextTouchMovesWhatIsTouchedAndKeepsTheContent) {
  const std::size_t pages = 8;
  const std::size_t page = hn_page_bytes();
  const Region region = allocate(pages * page, "block");
  auto* const bytes = static_cast<volatile char*>(hn_region_address(region.get()));
  for (std::size_t i = 0; i < pages; ++i) bytes[i * page] = static_cast<char>(i);
  char* error = nullptr;
  ASSERT_EQ(hn_region_place(region.get(), "next-touch", &error), HN_OK) << take(error);
  const auto moved = [&] {
    hn_statistics statistics;
    hn_region_statistics(region.get(), &statistics);
    return statistics.pages_moved;
  };
  EXPECT_EQ(moved(), 0U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(bytes[i * page], static_cast<char>(i));
  EXPECT_EQ(moved(), 3U);
  ASSERT_EQ(hn_region_place(region.get(), "default", &error), HN_OK) << take(error);
  EXPECT_EQ(moved(), 3U);
  for (std::size_t i = 0; i < pages; ++i) EXPECT_EQ(bytes[i * page], static_cast<char>(i));
}

TEST(RegionFree, EndsNextTouch) {
  std::vector<char> memory(8 * hn_page_bytes(), 'x');
  {
    const Region region = adopt(memory.data(), memory.size());
    ASSERT_EQ(hn_region_place(region.get(), "next-touch:4", nullptr), HN_OK);
  }
  EXPECT_EQ(std::count(memory.begin(), memory.end(), 'x'),
            static_cast<std::ptrdiff_t>(memory.size()));
}

TEST(RegionUseHugePages, IsTakenOrSaidToBeImpossible) {
  const Region region = allocate(std::size_t{4} << 20U, nullptr);
  char* error = nullptr;
  const int status = hn_region_use_huge_pages(region.get(), 1, &error);
  if (status == HN_NOT_SUPPORTED) {
    EXPECT_TRUE(is_one_line(take(error)));
    return;
  }
  ASSERT_EQ(status, HN_OK) << take(error);
  EXPECT_EQ(hn_region_use_huge_pages(region.get(), 0, nullptr), HN_OK);
  static_cast<char*>(hn_region_address(region.get()))[0] = 1;
  const std::vector<int> nodes = audit(region);
  EXPECT_EQ(std::count(nodes.begin(), nodes.end(), HN_NO_NODE),
            static_cast<std::ptrdiff_t>(nodes.size()) - 1);
}

TEST(Regions, SayInOneLineWhatIsWrong) {
  char* error = nullptr;
  hn_region* region = nullptr;
  const auto refused = [&](int status, int expected) {
    EXPECT_EQ(status, expected);
    EXPECT_EQ(region, nullptr);
    EXPECT_TRUE(is_one_line(take(error)));
  };
  refused(hn_region_allocate(0, nullptr, &region, &error), HN_BAD_USAGE);
  refused(hn_region_allocate(SIZE_MAX, nullptr, &region, &error), HN_BAD_USAGE);
  refused(hn_region_allocate(SIZE_MAX / 8, nullptr, &region, &error), HN_FAILED);
  refused(hn_region_allocate(4096, "nonsense", &region, &error), HN_BAD_USAGE);
  refused(hn_region_allocate(4096, "bind@65000", &region, &error), HN_BAD_USAGE);
  refused(hn_region_allocate(4096, nullptr, nullptr, &error), HN_BAD_USAGE);
  refused(hn_region_adopt(nullptr, 4096, &region, &error), HN_BAD_USAGE);
  refused(hn_region_adopt(&error, 0, &region, &error), HN_BAD_USAGE);
  refused(hn_region_place(nullptr, "block", &error), HN_BAD_USAGE);
  refused(hn_region_use_huge_pages(nullptr, 1, &error), HN_BAD_USAGE);
  refused(hn_region_audit(nullptr, nullptr, 0, nullptr, &error), HN_BAD_USAGE);
  const Region good = allocate(4096, nullptr);
  refused(hn_region_place(good.get(), nullptr, &error), HN_BAD_USAGE);
}

TEST(Regions, AllowNullWhereThereIsNothingToSay) {
  hn_region_free(nullptr);
  EXPECT_EQ(hn_region_address(nullptr), nullptr);
  EXPECT_EQ(hn_region_bytes(nullptr) + hn_region_pages(nullptr), 0U);
  hn_statistics statistics;
  hn_region_statistics(nullptr, &statistics);
  EXPECT_EQ(statistics.placements, 0U);
  hn_region_statistics(nullptr, nullptr);
}

TEST(Regions, MayBePlacedFromManyThreadsAtOnce) {
  const Region region = allocate(32 * hn_page_bytes(), "block");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (const char* rule : {"cyclic", "block", "skew"}) {
        EXPECT_EQ(hn_region_place(region.get(), rule, nullptr), HN_OK);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  hn_statistics statistics;
  hn_region_statistics(region.get(), &statistics);
  EXPECT_EQ(statistics.placements, 13U);
}

}  // namespace
}  // namespace homenode::capi_tests
