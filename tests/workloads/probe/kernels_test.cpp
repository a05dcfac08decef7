#include "workloads/probe/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace homenode::workloads::probe {
namespace {

constexpr std::size_t count = 4 * block_elements;

/// Four arrays with room around the middle one, whose edges a kernel must leave alone.
struct Arrays {
  struct alignas(512) Block {
    double elements[block_elements];
  };
  std::vector<Block> target{6}, source{4}, second{4}, third{4};

  /// An element of the array that the blocks make from `first` on.
  static double& at(std::vector<Block>& blocks, std::size_t first, std::size_t element) {
    return blocks[first + element / block_elements].elements[element % block_elements];
  }

  Arrays() {
    for (Block& block : target) std::fill_n(block.elements, block_elements, -1.0);
    for (std::size_t i = 0; i < count; ++i) {
      at(source, 0, i) = static_cast<double>(i);
      at(second, 0, i) = static_cast<double>(1000 + i);
      at(third, 0, i) = 0.5;
    }
  }
  [[nodiscard]] Slice slice() {
    return {target[1].elements, source[0].elements, second[0].elements, count, third[0].elements};
  }
};

double expected(Kernel kernel, double source, double second) {
  switch (kernel) {
    case Kernel::read:
      return -1.0;
    case Kernel::write:
    case Kernel::write_nt:
      return 3.0;
    case Kernel::copy:
      return source;
    case Kernel::scale:
      return 3.0 * source;
    case Kernel::add:
      return source + second;
    case Kernel::triad:
      return source + 3.0 * second;
    case Kernel::sum:
      return source + second + 0.5;
  }
  return 0.0;
}

TEST(Kernels, EveryFormOfEverySetComputesItsFormulaOnItsSliceAlone) {
  for (const Traffic& entry : kernels()) {
    for (const Variant& variant : variants_of(entry.kernel)) {
      SCOPED_TRACE(variant.name() + " " + std::string(entry.name));
      Arrays arrays;
      variant.form->run(arrays.slice());
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(Arrays::at(arrays.target, 1, i),
                  expected(entry.kernel, static_cast<double>(i), static_cast<double>(1000 + i)));
      }
      EXPECT_EQ(arrays.target[0].elements[block_elements - 1], -1.0);
      EXPECT_EQ(arrays.target[5].elements[0], -1.0);
    }
  }
}

TEST(Kernels, TheValueOfReadDependsOnEveryElement) {
  for (const Variant& variant : variants_of(Kernel::read)) {
    const StreamKernel read = variant.form->run;
    Arrays arrays;
    for (auto& block : arrays.source) std::fill_n(block.elements, block_elements, 0.0);
    const double nothing = read(arrays.slice());
    for (std::size_t i = 0; i < count; ++i) {
      Arrays::at(arrays.source, 0, i) = 1.0;
      EXPECT_NE(read(arrays.slice()), nothing) << variant.name() << " element " << i;
      Arrays::at(arrays.source, 0, i) = 0.0;
    }
  }
}

TEST(Kernels, CountBytesAsStreamDoesAndWithWriteAllocateTraffic) {
  const auto bytes = [](Kernel kernel) {
    return std::pair{traffic(kernel).counted_bytes(), traffic(kernel).moved_bytes()};
  };
  EXPECT_EQ(bytes(Kernel::read), (std::pair<std::size_t, std::size_t>{8, 8}));
  EXPECT_EQ(bytes(Kernel::write), (std::pair<std::size_t, std::size_t>{8, 16}));
  EXPECT_EQ(bytes(Kernel::write_nt), (std::pair<std::size_t, std::size_t>{8, 8}));
  EXPECT_EQ(bytes(Kernel::copy), (std::pair<std::size_t, std::size_t>{16, 24}));
  EXPECT_EQ(bytes(Kernel::scale), (std::pair<std::size_t, std::size_t>{16, 24}));
  EXPECT_EQ(bytes(Kernel::add), (std::pair<std::size_t, std::size_t>{24, 32}));
  EXPECT_EQ(bytes(Kernel::triad), (std::pair<std::size_t, std::size_t>{24, 32}));
  EXPECT_EQ(bytes(Kernel::sum), (std::pair<std::size_t, std::size_t>{32, 40}));
  EXPECT_EQ(traffic(Kernel::triad).moved_bytes(true), 24U) << "non-temporal stores read no line";
}

TEST(Kernels, AreFoundByName) {
  for (const Traffic& entry : kernels()) EXPECT_EQ(find_kernel(entry.name), entry.kernel);
  EXPECT_FALSE(find_kernel("writes"));
  EXPECT_FALSE(find_kernel(""));
}

TEST(KernelSets, TheWidestSupportedIsChosenAndAnyCanBeNamed) {
  const KernelSet* const chosen = find_kernel_set();
  ASSERT_NE(chosen, nullptr);
  for (const KernelSet& set : kernel_sets()) {
    if (set.supported()) {
      EXPECT_EQ(chosen, &set);
      break;
    }
  }
  for (const KernelSet& set : kernel_sets()) {
    EXPECT_EQ(find_kernel_set(set.name), set.supported() ? &set : nullptr);
  }
  EXPECT_EQ(find_kernel_set("mmx"), nullptr);
}

TEST(Variants, AreAllFormsOfTheSetsOfThisCpuWithDifferentNames) {
  for (const Traffic& entry : kernels()) {
    const auto all = variants_of(entry.kernel);
    std::set<std::string> names;
    for (const Variant& variant : all) {
      names.insert(variant.name());
      EXPECT_EQ(variant.form->kernel, entry.kernel);
      EXPECT_TRUE(variant.set->supported());
      const bool may = entry.kernel != Kernel::read && entry.kernel != Kernel::write;
      EXPECT_TRUE(may || !variant.form->past_caches) << entry.name << ' ' << variant.name();
      EXPECT_TRUE(entry.kernel != Kernel::write_nt || variant.form->past_caches);
    }
    EXPECT_EQ(names.size(), all.size()) << entry.name;
    EXPECT_TRUE(variants_of(entry.kernel, "mmx").empty());
    std::size_t of_sets = 0;
    for (const KernelSet& set : kernel_sets())
      of_sets += variants_of(entry.kernel, set.name).size();
    EXPECT_EQ(of_sets, all.size()) << entry.name;
    if (all.empty()) continue;  // Not every target has non-temporal stores.
    EXPECT_EQ(all.front().form->run,
              find_kernel_set()->streams[static_cast<std::size_t>(entry.kernel)]);
  }
}

}  // namespace
}  // namespace homenode::workloads::probe
