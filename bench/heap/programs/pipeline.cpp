// Producers that only take blocks and consumers that only give them back: every free is of another
// thread's memory. Modes: "pairs", as many consumers as producers; "fan", two consumers for each
// producer. Batches go through a bounded queue whose ends sleep, so that waiting costs little CPU
// time.
#include "bench.h"

using namespace heap_bench;

namespace {

constexpr std::uint64_t operations = 7'000'000;
constexpr std::size_t batch_size = 1024;
constexpr std::size_t queue_room = 16;

struct Batch {
  Block blocks[batch_size];
};

class Queue {
 public:
  void add(const Batch& batch) {
    pthread_mutex_lock(&mutex_);
    while (full_ == queue_room) pthread_cond_wait(&emptier_, &mutex_);
    batches_[(first_ + full_++) % queue_room] = batch;
    pthread_cond_signal(&fuller_);
    pthread_mutex_unlock(&mutex_);
  }
  // The next full batch, copied out; false after the last.
  bool next(Batch& batch) {
    pthread_mutex_lock(&mutex_);
    while (full_ == 0 && !closed_) pthread_cond_wait(&fuller_, &mutex_);
    const bool any = full_ != 0;
    if (any) {
      batch = batches_[first_];
      first_ = (first_ + 1) % queue_room;
      --full_;
    }
    pthread_cond_signal(&emptier_);
    pthread_mutex_unlock(&mutex_);
    return any;
  }
  void close() {
    pthread_mutex_lock(&mutex_);
    closed_ = true;
    pthread_cond_broadcast(&fuller_);
    pthread_mutex_unlock(&mutex_);
  }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t fuller_ = PTHREAD_COND_INITIALIZER;
  pthread_cond_t emptier_ = PTHREAD_COND_INITIALIZER;
  Batch batches_[queue_room];
  std::size_t first_ = 0;
  std::size_t full_ = 0;
  bool closed_ = false;
};

void produce(Queue& queue, std::uint64_t batches, std::uint64_t seed) {
  static thread_local Batch batch;
  Random random(seed);
  for (std::uint64_t i = 0; i < batches; ++i) {
    for (Block& block : batch.blocks) block = take(random.size(4, 9));
    queue.add(batch);
  }
  queue.close();
}

void consume(Queue& queue) {
  static thread_local Batch batch;
  while (queue.next(batch)) {
    for (Block& block : batch.blocks) give_back(block);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Work work = arguments(argc, argv);
  const bool fan = std::strcmp(work.mode, "fan") == 0;
  const unsigned members = fan ? 3 : 2;
  const std::uint64_t batches = work.share(operations) / batch_size + 1;
  auto* const queues = new Queue[work.threads];
  team(work.threads * members, [&](unsigned rank) {
    Queue& queue = queues[rank / members];
    if (rank % members == 0) {
      produce(queue, batches, rank + 1);
    } else {
      consume(queue);
    }
  });
  delete[] queues;
}
