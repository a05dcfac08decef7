// A server whose threads die and are born again: each works on a set of sessions, replaces blocks
// in it, puts the set down and ends; whoever comes next takes another's set and frees its blocks.
// So many blocks are freed by a thread that did not take them, often after the one that did has
// ended.
#include "bench.h"

using namespace heap_bench;

namespace {

constexpr std::uint64_t operations = 20'000'000;
constexpr std::uint64_t operations_of_a_life = 50'000;
constexpr std::size_t sessions = 1000;

struct Set {
  Block live[sessions];
};

// The sets that nobody works on, oldest first; there is one more than threads.
class Shelf {
 public:
  explicit Shelf(std::size_t sets) : sets_(new Set*[sets]), room_(sets), count_(sets) {
    for (std::size_t i = 0; i < sets; ++i) sets_[i] = new Set;
  }
  ~Shelf() {
    for (std::size_t i = 0; i < room_; ++i) {
      for (Block& block : sets_[i]->live) give_back(block);
      delete sets_[i];
    }
    delete[] sets_;
  }
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;

  Set* pick_up() {
    pthread_mutex_lock(&mutex_);
    Set* const set = sets_[first_];
    first_ = (first_ + 1) % room_;
    --count_;
    pthread_mutex_unlock(&mutex_);
    return set;
  }
  void put_down(Set* set) {
    pthread_mutex_lock(&mutex_);
    sets_[(first_ + count_++) % room_] = set;
    pthread_mutex_unlock(&mutex_);
  }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  Set** sets_;
  std::size_t room_;
  std::size_t count_;
  std::size_t first_ = 0;
};

struct Life {
  Shelf* shelf;
  std::uint64_t seed;
};

void* live(void* given) {
  const auto* const life = static_cast<const Life*>(given);
  Random random(life->seed);
  Set* const set = life->shelf->pick_up();
  for (std::uint64_t i = 0; i < operations_of_a_life; ++i) {
    Block& block = set->live[random.below(sessions)];
    give_back(block);
    block = take(random.size(3, 10));
  }
  life->shelf->put_down(set);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const Work work = arguments(argc, argv);
  Shelf shelf(work.threads + 1);
  const std::uint64_t lives = work.share(operations) / operations_of_a_life + 1;
  team(work.threads, [&](unsigned rank) {
    for (std::uint64_t i = 0; i < lives; ++i) {
      Life life{&shelf, rank * lives + i + 1};
      pthread_t thread;
      if (pthread_create(&thread, nullptr, live, &life) != 0) fail("cannot start a thread");
      pthread_join(thread, nullptr);
    }
  });
}
