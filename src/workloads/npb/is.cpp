// IS as a program: small whole numbers ranked (NAS-91-002), as this machine does it fastest.
#include <array>
#include <cassert>
#include <string>
#include <vector>

#include "workloads/npb/is_kernel.h"
#include "workloads/npb/table.h"
#include "workloads/probe/kernels.h"
#include "workloads/program/program.h"

namespace homenode::workloads::npb {
namespace {

constexpr int is_iterations = 10;

/// The rank that is expected of test key i in iteration `it` (from 1): `rank` and as many more or
/// fewer as there are iterations since `from`, because each iteration changes two keys.
struct TestKey {
  std::size_t index;
  std::int64_t rank;
  std::int64_t sign;
  std::int64_t from;
};

struct IsValues {
  unsigned log2_keys;
  unsigned log2_max_key;
  std::array<TestKey, 5> tests;
};

constexpr std::array<IsValues, classes.size()> is_values{{
    {16,
     11,
     {{{48427, 0, 1, 0},
       {17148, 18, 1, 0},
       {23627, 346, 1, 0},
       {62548, 64917, -1, 0},
       {4431, 65463, -1, 0}}}},
    {20,
     16,
     {{{357773, 1249, 1, 2},
       {934767, 11698, 1, 2},
       {875723, 1039987, -1, 0},
       {898999, 1043896, -1, 0},
       {404505, 1048018, -1, 0}}}},
    {23,
     19,
     {{{2112377, 104, 1, 1},
       {662041, 17523, 1, 1},
       {5336171, 123928, 1, 1},
       {3642833, 8288932, -1, 1},
       {4250760, 8388264, -1, 1}}}},
    {25,
     21,
     {{{41869, 33422937, -1, 0},
       {812306, 10244, 1, 0},
       {5102857, 59149, 1, 0},
       {18232239, 33135281, -1, 0},
       {26860214, 99, 1, 0}}}},
    {27,
     23,
     {{{44172927, 61147, 1, 0},
       {72999161, 882988, 1, 0},
       {74326391, 266290, 1, 0},
       {129606274, 133997595, -1, 0},
       {21736814, 133525895, -1, 0}}}},
    {31,
     27,
     {{{1317351170, 1, 1, 0},
       {995930646, 36538729, 1, 0},
       {1157283250, 1978098519, -1, 0},
       {1503301535, 2145192618, -1, 0},
       {1453734525, 2147425337, -1, 0}}}},
}};

/// From here on the keys are in memory rather than in caches, and the lab is not where they run.
constexpr std::size_t worth_a_trial = std::size_t{1} << 22;

/// Whether a thread's part of by_bucket has room for a table of counts.
bool has_room_for_counts(const IsJob& job) {
  return job.key_count / job.threads * sizeof(Key) >= std::size_t{1} << job.log2_max_key;
}

/// How many buckets (log2; none are 0) this machine ranks the keys with in the least time: few
/// leave their lines in the first-level cache, many the counts of each; a table of all counts wants
/// a larger cache close to each core. All give the same ranks, so a disturbed trial costs time
/// only.
unsigned fastest_buckets(const IsKernel& kernel, IsJob job) {
  std::vector<unsigned> choices{8, 9, is_most_log2_buckets};
  if (has_room_for_counts(job)) choices.insert(choices.begin(), 0);
  return choices[probe::fastest(choices.size(), [&](std::size_t i) {
    job.log2_buckets = choices[i];
    const Stopwatch watch;
    kernel.rank_keys(job);
    return watch.seconds();
  })];
}

class Is final : public Program {
 public:
  explicit Is(Class size) : values_(is_values[index_of(size)]) {}

  [[nodiscard]] std::vector<ArrayNeed> arrays() const override {
    const std::size_t key_bytes = sizeof(Key) << values_.log2_keys;
    return {{"keys", key_bytes, Sharing::parts},
            {"keys by bucket", key_bytes, Sharing::parts},
            {"ranks", sizeof(std::uint32_t) << values_.log2_max_key, Sharing::all}};
  }

  ProgramOutcome run(std::span<void* const> memory, unsigned threads) override {
    assert(memory.size() == 3);
    std::vector<std::uint64_t> places(threads * is_most_buckets);
    IsJob job{std::size_t{1} << values_.log2_keys,
              values_.log2_max_key,
              static_cast<Key*>(memory[0]),
              static_cast<Key*>(memory[1]),
              static_cast<std::uint32_t*>(memory[2]),
              places.data(),
              threads};
    const IsKernel& kernel = is_kernel_here();
    kernel.generate(job);
    change_keys(job, 1);
    kernel.rank_keys(job);  // Once untimed, as specified; and what this machine does it best with.
    if (job.key_count >= worth_a_trial) job.log2_buckets = fastest_buckets(kernel, job);

    ProgramOutcome outcome;
    TimedPart part;
    part.begin();
    for (int iteration = 1; iteration <= is_iterations; ++iteration) {
      change_keys(job, iteration);
      std::array<Key, 5> tested{};
      for (std::size_t i = 0; i < 5; ++i) tested[i] = job.keys[values_.tests[i].index];
      kernel.rank_keys(job);
      for (std::size_t i = 0; i < 5; ++i)
        outcome.checks.push_back(check(job, tested, i, iteration));
    }
    outcome.seconds = part.end();
    outcome.operations = static_cast<double>(job.key_count) * is_iterations;
    outcome.unit = "Mop/s";
    const double buckets = job.log2_buckets == 0 ? 0.0 : 1U << job.log2_buckets;
    outcome.figures = {{"buckets", buckets, "", true}};
    const auto disorder = static_cast<double>(kernel.sort_and_count_disorder(job));
    outcome.checks.push_back({"keys out of order", disorder, 0.0, 0.0});
    return outcome;
  }

 private:
  static void change_keys(const IsJob& job, int iteration) {
    const auto changed = static_cast<Key>(iteration);
    job.keys[iteration] = changed;
    job.keys[iteration + is_iterations] = (Key{1} << job.log2_max_key) - changed;
  }

  [[nodiscard]] Check check(const IsJob& job, const std::array<Key, 5>& tested, std::size_t i,
                            int iteration) const {
    const TestKey& test = values_.tests[i];
    const Key key = tested[i];
    const double smaller_keys = key == 0 ? 0.0 : job.rank[key - 1];
    const auto expected = static_cast<double>(test.rank + test.sign * (iteration - test.from));
    return {"rank of key " + std::to_string(i + 1) + ", iteration " + std::to_string(iteration),
            smaller_keys, expected, 0.0};
  }

  const IsValues& values_;
};

std::unique_ptr<Program> make_is(Class size) {
  return std::make_unique<Is>(size);
}

}  // namespace

constinit const Benchmark is_benchmark{
    "is", "small integers ranked by a bucket sort",
    "own keys read in order; written to scattered buckets, or counted in a table", make_is};

}  // namespace homenode::workloads::npb
