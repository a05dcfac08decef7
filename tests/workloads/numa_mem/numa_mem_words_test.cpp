#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "workloads/numa_mem/words.h"

namespace homenode::workloads::numa_mem {
namespace {

constexpr std::size_t words_of_test = 5000;  // No multiple of a random run.

struct TestMemory {
  explicit TestMemory(bool named, std::size_t words = words_of_test) : storage(words) {
    if (named) give_names(words_of(named));
  }
  Words words_of(bool named) { return {storage, named}; }
  std::vector<std::uint64_t> storage;
};

/// Walks `loops` times as the only user, and says what the check needs to know.
Use walk_alone(const Words& memory, const Course& course, std::uint64_t loops, bool& right) {
  Use use{1, loops, loops, loops, 0};
  for (std::uint64_t loop = 0; loop < loops; ++loop) {
    const Walked walked = walk(memory, course, {0, 1, loop, loops});
    use.updates += walked.updates;
    right &= walked.right;
  }
  return use;
}

std::vector<Course> all_courses() {
  std::vector<Course> courses;
  for (Work work : {Work::read, Work::write, Work::update, Work::zero}) {
    for (bool random : {false, true}) {
      for (bool backwards : {false, true}) courses.push_back({work, random, backwards});
    }
  }
  return courses;
}

TEST(NumaMemWords, AreRightAfterEveryCourseOfOneUser) {
  for (const Course& course : all_courses()) {
    for (bool named : {false, true}) {
      TestMemory memory(named);
      bool right = true;
      const Use use = walk_alone(memory.words_of(named), course, 5, right);
      EXPECT_TRUE(right);
      EXPECT_EQ(wrong_words(memory.words_of(named), course, use), 0U)
          << static_cast<int>(course.work) << course.random << course.backwards << named;
    }
  }
}

TEST(NumaMemWords, AreAllUsedOnceInOrder) {
  TestMemory memory(true);
  for (unsigned part = 0; part < 3; ++part) {
    for (std::uint64_t loop = 0; loop < 2; ++loop) {
      const Walked walked =
          walk(memory.words_of(true), {Work::update, false, true}, {part, 3, loop, 0});
      EXPECT_EQ(walked.updates, words_of_test);
    }
  }
  for (std::size_t i = 0; i < words_of_test; ++i) EXPECT_EQ(memory.storage[i] >> 40U, 6U);
}

TEST(NumaMemWords, RandomWalksUseAsManyWordsAsThereAre) {
  for (std::size_t words : {std::size_t{1}, std::size_t{1023}, words_of_test}) {
    TestMemory memory(true, words);
    EXPECT_EQ(walk(memory.words_of(true), {Work::update, true, false}, {}).updates, words);
  }
}

TEST(NumaMemWords, ReadersNoticeAWrongName) {
  for (Work work : {Work::read, Work::update}) {
    TestMemory memory(true);
    memory.storage[17] += 1;
    EXPECT_FALSE(walk(memory.words_of(true), {work, false, false}, {}).right);
  }
}

TEST(NumaMemWords, AWrongNameIsCounted) {
  for (const Course& course : all_courses()) {
    TestMemory memory(true);
    bool right = true;
    const Use use = walk_alone(memory.words_of(true), course, 2, right);
    memory.storage[40] = 12345;
    EXPECT_EQ(wrong_words(memory.words_of(true), course, use), 1U);
  }
}

TEST(NumaMemWords, ALostWriteOfOneUserIsNoticed) {
  const Course course{Work::update, true, false};
  TestMemory memory(true);
  bool right = true;
  const Use use = walk_alone(memory.words_of(true), course, 3, right);
  std::size_t written = 0;
  while (memory.storage[written] >> 40U == 0) ++written;
  memory.storage[written] -= std::uint64_t{1} << 40U;
  EXPECT_GT(wrong_words(memory.words_of(true), course, use), 0U);
}

TEST(NumaMemWords, APageThatFellBackToItsBeginningIsNoticed) {
  for (Work work : {Work::write, Work::update}) {
    TestMemory memory(true);
    bool right = true;
    const Use use = walk_alone(memory.words_of(true), {work, false, true}, 2, right);
    for (std::size_t i = 512; i < 1024; ++i) memory.storage[i] = i + 1;
    EXPECT_EQ(wrong_words(memory.words_of(true), {work, false, true}, use), 512U);
  }
}

TEST(NumaMemWords, KeepTheirNamesWhenSeveralUpdateThem) {
  constexpr unsigned users = 3;
  constexpr std::uint64_t loops = 20;
  for (const Course& course : {Course{Work::update, false, true}, Course{Work::update, true, false},
                               Course{Work::write, false, true}}) {
    TestMemory memory(true);
    std::vector<Walked> walked(users);
    std::vector<std::thread> threads;
    for (unsigned user = 0; user < users; ++user) {
      threads.emplace_back([&, user] {
        for (std::uint64_t loop = 0; loop < loops; ++loop) {
          const Walked one = walk(memory.words_of(true), course, {user, users, loop, loops});
          walked[user].updates += one.updates;
          walked[user].right &= one.right;
        }
      });
    }
    Use use{users, loops, loops, loops * users, 0};
    for (unsigned user = 0; user < users; ++user) {
      threads[user].join();
      use.updates += walked[user].updates;
      EXPECT_TRUE(walked[user].right);
    }
    EXPECT_EQ(wrong_words(memory.words_of(true), course, use), 0U);
  }
}

}  // namespace
}  // namespace homenode::workloads::numa_mem
