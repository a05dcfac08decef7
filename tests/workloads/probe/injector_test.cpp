#include "workloads/probe/kernels.h"

#include <gtest/gtest.h>

#include <vector>

namespace homenode::workloads::probe {
namespace {

std::vector<std::size_t> offsets;
const double* array = nullptr;
std::atomic<bool> stop{false};

/// A kernel that notes where it was called and stops the walk after seven blocks.
double noting(const Slice& slice) {
  offsets.push_back(static_cast<std::size_t>(slice.source - array));
  EXPECT_EQ(slice.count, injected_elements);
  if (offsets.size() == 7) stop = true;
  return 0.0;
}

TEST(Injector, WalksRoundAndRoundUntilItIsStopped) {
  const std::vector<double> elements(3 * injected_elements);
  array = elements.data();
  offsets.clear();
  stop = false;
  const Injection injection{noting, array, elements.size(), injected_elements, 10};
  EXPECT_EQ(inject(injection, stop), 7 * injected_elements);
  constexpr std::size_t n = injected_elements;
  EXPECT_EQ(offsets, (std::vector<std::size_t>{n, 2 * n, 0, n, 2 * n, 0, n}));
}

TEST(Injector, ReadsNothingWhenItIsStoppedBeforeItBegins) {
  const std::vector<double> elements(injected_elements);
  array = elements.data();
  offsets.clear();
  stop = true;
  EXPECT_EQ(inject({noting, array, elements.size(), 0, 0}, stop), 0U);
  EXPECT_TRUE(offsets.empty());
}

}  // namespace
}  // namespace homenode::workloads::probe
