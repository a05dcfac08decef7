// A program as people write them, to be placed from outside: it starts threads in one of several
// ways and each says where it runs and where what it touches lies. The tests read its lines:
//   RANK cpus=LIST policy=MODE policy_nodes=LIST memory=NODE stack=NODE
// usage: thread_probe pthreads|threads|c11|openmp|fork COUNT
// RANK is the order in which this program created the thread, 0 being main.
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t touched_bytes = std::size_t{1} << 20;
constexpr std::size_t max_nodes = 1024;

std::mutex printing;

std::string list_of(const unsigned long* words, std::size_t bits) {
  std::string text;
  for (std::size_t id = 0; id < bits; ++id) {
    if ((words[id / 64] >> id % 64 & 1U) == 0) continue;
    if (!text.empty()) text += ',';
    text += std::to_string(id);
  }
  return text;
}

int node_of(void* address) {
  int status = -1;
  void* page = reinterpret_cast<void*>(reinterpret_cast<unsigned long>(address) & ~4095UL);
  syscall(SYS_move_pages, 0, 1UL, &page, nullptr, &status, 0);
  return status;
}

/// The node of all pages of a range, or their counts "NODE:PAGES+NODE:PAGES".
std::string nodes_of(char* first, std::size_t bytes) {
  std::vector<std::size_t> counts(max_nodes, 0);
  for (std::size_t at = 0; at < bytes; at += 4096) {
    const int node = node_of(first + at);
    if (node >= 0) ++counts[static_cast<std::size_t>(node)];
  }
  std::string text;
  for (std::size_t node = 0; node < max_nodes; ++node) {
    if (counts[node] == 0) continue;
    if (!text.empty()) text += '+';
    text += std::to_string(node);
    text += ':';
    text += std::to_string(counts[node]);
  }
  return text;
}

void report(int rank) {
  unsigned long cpus[max_nodes / 64] = {};
  syscall(SYS_sched_getaffinity, 0, sizeof cpus, cpus);
  int mode = -1;
  unsigned long nodes[max_nodes / 64] = {};
  syscall(SYS_get_mempolicy, &mode, nodes, max_nodes + 1, nullptr, 0);
  char* const own = static_cast<char*>(
      mmap(nullptr, touched_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::memset(own, 1, touched_bytes);
  char here[3 * 4096];
  std::memset(here, 1, sizeof here);
  const std::lock_guard lock(printing);
  std::printf("%d cpus=%s policy=%d policy_nodes=%s memory=%s stack=%s\n", rank,
              list_of(cpus, max_nodes).c_str(), mode, list_of(nodes, max_nodes).c_str(),
              nodes_of(own, touched_bytes).c_str(), nodes_of(here, sizeof here).c_str());
  munmap(own, touched_bytes);
}

void* run_pthread(void* rank) {
  report(static_cast<int>(reinterpret_cast<long>(rank)));
  pthread_exit(rank);  // Unwinds through whatever stands below this function.
}

int run_c11(void* rank) {
  report(static_cast<int>(reinterpret_cast<long>(rank)));
  return 7;
}

void with_pthreads(int count) {
  report(0);
  std::vector<pthread_t> threads(static_cast<std::size_t>(count));
  for (long rank = 1; rank < count; ++rank) {
    pthread_create(&threads[static_cast<std::size_t>(rank)], nullptr, run_pthread,
                   reinterpret_cast<void*>(rank));
  }
  for (long rank = 1; rank < count; ++rank) {
    void* result = nullptr;
    pthread_join(threads[static_cast<std::size_t>(rank)], &result);
    if (result != reinterpret_cast<void*>(rank)) std::printf("wrong result of %ld\n", rank);
  }
}

void with_c11(int count) {
  report(0);
  std::vector<thrd_t> threads(static_cast<std::size_t>(count));
  for (long rank = 1; rank < count; ++rank) {
    thrd_create(&threads[static_cast<std::size_t>(rank)], run_c11, reinterpret_cast<void*>(rank));
  }
  for (int rank = 1; rank < count; ++rank) {
    int result = 0;
    thrd_join(threads[static_cast<std::size_t>(rank)], &result);
    if (result != 7) std::printf("wrong result of %d\n", rank);
  }
}

void with_threads(int count) {
  report(0);
  std::vector<std::thread> threads;
  for (int rank = 1; rank < count; ++rank) threads.emplace_back(report, rank);
  for (std::thread& thread : threads) thread.join();
}

void with_openmp(int count) {
  std::printf("most threads=%d\n", omp_get_max_threads());
#pragma omp parallel num_threads(count)
  report(omp_get_thread_num());
}

/// The child goes on where its parent was: it has the parent's CPUs, and its own threads the next
/// numbers.
void with_fork(int count) {
  report(0);
  std::fflush(stdout);
  if (const pid_t child = fork(); child == 0) {
    report(0);
    std::thread(report, 1).join();
    std::fflush(stdout);
    _exit(0);
  } else {
    waitpid(child, nullptr, 0);
  }
  std::thread(report, count).join();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  // The memory of two threads can be neighbours, and one huge page under both is where the first of
  // them is.
  if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) return 3;
  const std::string how = argv[1];
  const int count = std::atoi(argv[2]);
  if (how == "pthreads") {
    with_pthreads(count);
  } else if (how == "threads") {
    with_threads(count);
  } else if (how == "c11") {
    with_c11(count);
  } else if (how == "openmp") {
    with_openmp(count);
  } else if (how == "fork") {
    with_fork(count);
  } else {
    return 2;
  }
}
