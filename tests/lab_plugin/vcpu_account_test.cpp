#include "lab/plugin/vcpu_account.h"

#include <gtest/gtest.h>

#include <random>

#include "processes.h"

namespace homenode::lab {
namespace {

constexpr std::uint64_t kernel_half = 0xffff888000000000;
constexpr std::uint64_t device = 0x7fff00000000;

/// Memory whose node is bits 30 to 31 of the address, but for a device that is on no node.
struct Memory {
  unsigned size = 8;
  [[nodiscard]] unsigned bytes() const { return size; }
  [[nodiscard]] std::optional<MemoryPlace> place_of(std::uint64_t address) const {
    if (address >= device && address < kernel_half) return std::nullopt;
    return MemoryPlace{static_cast<unsigned>(address >> 30U & 3U), address};
  }
};

class VcpuAccountTest : public ::testing::Test {
 protected:
  VcpuAccountTest() { vcpu_.set_cr3(ours); }

  void load(std::uint64_t address, unsigned size = 8) {
    vcpu_.count<Privilege::user>(address, false, Memory{size});
  }
  void store(std::uint64_t address, unsigned size = 8) {
    vcpu_.count<Privilege::user>(address, true, Memory{size});
  }
  [[nodiscard]] std::uint64_t user_misses(bool is_store, unsigned node) const {
    std::uint64_t sum = 0;
    for (const auto& thread : vcpu_.threads()) sum += thread->misses.at(is_store, node);
    return sum;
  }

  VcpuAccount vcpu_{CacheShape{64 * 64, 4, 64}, 4};
};

TEST_F(VcpuAccountTest, CountsNothingOutsideARegion) {
  load(0);
  vcpu_.open({Scope::process, ours});
  vcpu_.close();
  load(0);
  EXPECT_EQ(vcpu_.references(Privilege::user, false), 0U);
  EXPECT_TRUE(vcpu_.threads().empty());
}

TEST_F(VcpuAccountTest, CountsOneMissForEachLineOfAWalk) {
  vcpu_.open({Scope::process, ours});
  constexpr std::uint64_t bytes = 1 << 20;
  for (std::uint64_t at = 0; at < bytes; at += 8) load((std::uint64_t{2} << 30U) + at);
  EXPECT_EQ(vcpu_.references(Privilege::user, false), bytes / 8);
  EXPECT_EQ(user_misses(false, 2), bytes / 64);
  EXPECT_EQ(user_misses(false, 0), 0U);
  EXPECT_EQ(user_misses(true, 2), 0U);
}

TEST_F(VcpuAccountTest, TellsStoresFromLoads) {
  vcpu_.open({Scope::process, ours});
  store(0);
  load(0);
  load(64);
  EXPECT_EQ(vcpu_.references(Privilege::user, true), 1U);
  EXPECT_EQ(vcpu_.references(Privilege::user, false), 2U);
  EXPECT_EQ(user_misses(true, 0), 1U);
  EXPECT_EQ(user_misses(false, 0), 1U);
}

TEST_F(VcpuAccountTest, TouchesBothLinesOfAnAccessThatCrosses) {
  vcpu_.open({Scope::process, ours});
  load(60, 8);
  EXPECT_EQ(vcpu_.references(Privilege::user, false), 1U);
  EXPECT_EQ(user_misses(false, 0), 2U);
  load(128, 8);
  load(128 + 56, 8);  // Up to the last byte of the line, not over it.
  EXPECT_EQ(user_misses(false, 0), 3U);
  load(128 + 48, 16);
  EXPECT_EQ(user_misses(false, 0), 3U);
  load(128 + 49, 16);
  EXPECT_EQ(user_misses(false, 0), 4U);
}

TEST_F(VcpuAccountTest, GivesACrossedNodeBoundaryToBothNodes) {
  vcpu_.open({Scope::process, ours});
  load((std::uint64_t{1} << 30U) - 4, 8);
  EXPECT_EQ(user_misses(false, 0), 1U);
  EXPECT_EQ(user_misses(false, 1), 1U);
}

TEST_F(VcpuAccountTest, CountsTheKernelApart) {
  vcpu_.open({Scope::process, ours});
  vcpu_.count<Privilege::kernel>(kernel_half, true, Memory{});
  EXPECT_EQ(vcpu_.kernel_misses().at(true, 0), 1U);
  EXPECT_EQ(vcpu_.references(Privilege::kernel, true), 1U);
  EXPECT_EQ(vcpu_.references(Privilege::user, true), 0U);
  EXPECT_TRUE(vcpu_.threads().empty());
}

TEST_F(VcpuAccountTest, CountsOnlyTheWantedProcess) {
  vcpu_.open({Scope::process, ours});
  load(0);
  vcpu_.set_cr3(theirs);
  load(64);
  load(0);
  vcpu_.count<Privilege::kernel>(kernel_half, false, Memory{});
  vcpu_.set_cr3(ours);
  load(0);
  EXPECT_EQ(vcpu_.references(Privilege::user, false), 2U);
  EXPECT_EQ(vcpu_.references(Privilege::kernel, false), 0U);
  EXPECT_EQ(user_misses(false, 0), 1U);
}

TEST_F(VcpuAccountTest, CountsEveryProcessApartWhenAsked) {
  vcpu_.open({Scope::all, ours});
  load(0);
  vcpu_.set_cr3(theirs);
  load(0);  // The same virtual line, but another process's memory.
  vcpu_.set_cr3(ours);
  load(0);
  EXPECT_EQ(vcpu_.references(Privilege::user, false), 3U);
  EXPECT_EQ(user_misses(false, 0), 2U);
  ASSERT_EQ(vcpu_.threads().size(), 2U);
}

TEST_F(VcpuAccountTest, SharesTheKernelsLinesAmongProcesses) {
  vcpu_.open({Scope::all, ours});
  vcpu_.count<Privilege::kernel>(kernel_half, false, Memory{});
  vcpu_.set_cr3(theirs);
  vcpu_.count<Privilege::kernel>(kernel_half, false, Memory{});
  EXPECT_EQ(vcpu_.kernel_misses().at(false, 0), 1U);
}

TEST_F(VcpuAccountTest, TellsThreadsApart) {
  vcpu_.open({Scope::process, ours});
  vcpu_.set_fs_base(0x10);
  load(0);
  vcpu_.set_fs_base(0x20);
  load(64);
  load(128);
  vcpu_.set_fs_base(0x10);
  load(192);
  ASSERT_EQ(vcpu_.threads().size(), 2U);
  EXPECT_EQ(vcpu_.threads()[0]->key, (ThreadKey{ours, 0x10}));
  EXPECT_EQ(vcpu_.threads()[0]->misses.at(false, 0), 2U);
  EXPECT_EQ(vcpu_.threads()[1]->misses.at(false, 0), 2U);
}

TEST_F(VcpuAccountTest, CountsAsItsCacheAloneWould) {
  for (const std::uint64_t sets : {1UL, 12UL, 16UL, 1024UL}) {
    const CacheShape shape{sets * 4 * 64, 4, 64};
    VcpuAccount vcpu(shape, 4);
    vcpu.set_cr3(ours);
    vcpu.open({Scope::process, ours});
    PrivateCache reference(shape);
    std::mt19937_64 random(3);
    std::uint64_t misses = 0;
    for (int i = 0; i < 40'000; ++i) {
      // One line is used every other time, as a stack is.
      const std::uint64_t line = random() % (sets * 8) * (random() % 2);
      vcpu.count<Privilege::user>(line * 64, false, Memory{8});
      if (!reference.touch(line)) ++misses;
    }
    EXPECT_EQ(vcpu.threads().front()->misses.at(false, 0), misses) << sets;
  }
}

TEST_F(VcpuAccountTest, PutsWhatIsOnNoNodeOutside) {
  vcpu_.open({Scope::process, ours});
  load(device);
  load(device);
  EXPECT_EQ(vcpu_.outside(), 1U);
  EXPECT_EQ(vcpu_.references(Privilege::user, false), 2U);
}

TEST_F(VcpuAccountTest, BeginsEachRegionColdAndAtZero) {
  for (int i = 0; i < 2; ++i) {
    vcpu_.open({Scope::process, ours});
    load(0);
    load(device);
    EXPECT_EQ(user_misses(false, 0), 1U);
    EXPECT_EQ(vcpu_.outside(), 1U);
    EXPECT_EQ(vcpu_.references(Privilege::user, false), 2U);
  }
}

TEST(VcpuAccount, CountsEveryAccessWithoutACache) {
  VcpuAccount vcpu({0, 0, 64}, 1);
  vcpu.open({Scope::unknown, 0});
  for (int i = 0; i < 3; ++i) vcpu.count<Privilege::kernel>(kernel_half, false, Memory{});
  EXPECT_EQ(vcpu.kernel_misses().at(false, 0), 3U);
}

}  // namespace
}  // namespace homenode::lab
