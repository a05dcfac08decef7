#include "workloads/map/kernels.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <csignal>
#include <cstdlib>
#include <vector>

#include "workloads/map/layout.h"
#include "workloads/map/patterns/line.h"

namespace homenode::workloads::map {
namespace {

using Array = std::vector<Element>;

/// The elements that a pass of `operation` has changed to `value`.
std::vector<bool> touched(const Array& array, std::uint64_t value) {
  std::vector<bool> bitmap;
  for (const Element& element : array) bitmap.push_back(element.value == value);
  return bitmap;
}

std::vector<bool> expected_bitmap(const std::vector<Span>& spans, std::size_t elements) {
  std::vector<bool> bitmap(elements, false);
  for (const Span& span : spans) {
    for (std::size_t i = 0; i < span.count; ++i) bitmap.at(span.first + i * span.stride) = true;
  }
  return bitmap;
}

TEST(Kernels, WriteTouchesExactlyWhatTheSpansSay) {
  for (Pattern pattern :
       {patterns::shared, patterns::divided, patterns::interleaved, patterns::partial}) {
    for (Order order : {Order::sequential, Order::random}) {
      const Problem problem{pattern, 1003, 7, 20};
      for (unsigned rank = 0; rank < problem.threads; ++rank) {
        Array array(problem.elements(), Element{});
        run_pass({array.data(), spans(problem, rank), order, Operation::write, rank, 42});
        EXPECT_EQ(touched(array, 42), expected_bitmap(spans(problem, rank), problem.elements()));
      }
    }
  }
}

TEST(Kernels, WriteTouchesExactlyTheOwnersPartsOfTheRewrittenLayout) {
  const Layout layout = owner_layout({patterns::interleaved, 1003, 7, 0}, 64);
  for (unsigned rank = 0; rank < 7; ++rank) {
    Array array(layout.positions, Element{});
    run_pass({array.data(), spans_in_memory(layout, rank), Order::random, Operation::write, 1, 42});
    EXPECT_EQ(touched(array, 42), expected_bitmap(spans_in_memory(layout, rank), layout.positions));
  }
}

TEST(Kernels, ReadAndReadwriteLeaveTheValuesAsTheyAre) {
  for (Operation operation : {Operation::read, Operation::readwrite}) {
    Array array(100, Element{});
    for (std::size_t i = 0; i < array.size(); ++i) array[i].value = i * i;
    run_pass({array.data(), {{0, 100, 1}}, Order::sequential, operation, 1, 7});
    for (std::size_t i = 0; i < array.size(); ++i) EXPECT_EQ(array[i].value, i * i);
  }
}

TEST(Kernels, InitialiseWritesEveryElementAndNothingElse) {
  Array array(101, Element{});
  for (Element& element : array) element.value = 5;
  initialise(array.data(), 100);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(array[i].value, 0U);
  EXPECT_EQ(array[100].value, 5U);
}

/// Elements on a page of the given protection; faults show which accesses are really made.
class ProtectedPage : public testing::Test {
 protected:
  static void run_on(int protection, Operation operation) {
    void* const memory = mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::signal(SIGSEGV, [](int) { std::_Exit(99); });
    run_pass({static_cast<Element*>(memory), {{0, 64, 1}}, Order::sequential, operation, 1, 1});
    std::_Exit(0);
  }
};
using ProtectedPageDeathTest = ProtectedPage;

TEST_F(ProtectedPageDeathTest, ReadLoadsAndNeverStores) {
  EXPECT_EXIT(run_on(PROT_NONE, Operation::read), testing::ExitedWithCode(99), "");
  EXPECT_EXIT(run_on(PROT_READ, Operation::read), testing::ExitedWithCode(0), "");
}

TEST_F(ProtectedPageDeathTest, WriteAndReadwriteStore) {
  EXPECT_EXIT(run_on(PROT_READ, Operation::write), testing::ExitedWithCode(99), "");
  EXPECT_EXIT(run_on(PROT_READ, Operation::readwrite), testing::ExitedWithCode(99), "");
}

}  // namespace
}  // namespace homenode::workloads::map
