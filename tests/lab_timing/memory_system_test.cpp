#include "lab/timing/memory_system.h"

#include <algorithm>

#include "small_machine.h"

namespace homenode::lab {
namespace {

using namespace timing_test;

constexpr std::uint64_t first_line_of_1 = (std::uint64_t{1} << node_shift) / line_bytes;

/// Four nodes in a row, 0 - 1 - 2 - 3, joined by shared links; node i has vCPU i.
TimingModel row_of_nodes(std::uint64_t link_mibs) {
  TimingModel model = small_machine(4, 1);
  for (unsigned node = 0; node < 3; ++node) {
    model.links.push_back({node, node + 1, link_mibs});
    model.links.push_back({node + 1, node, link_mibs});
  }
  for (unsigned from = 0; from < 4; ++from) {
    for (unsigned to = 0; to < 4; ++to) {
      auto& route = model.pairs[from * 4 + to].route;
      if (from == to) continue;
      for (unsigned at = from; at != to; at = from < to ? at + 1 : at - 1) route.push_back(at);
      route.push_back(to);
    }
  }
  return model;
}

struct Reader {
  unsigned vcpu;
  unsigned node;
  std::uint64_t asked_ps = 0;
  std::uint64_t lines = 0;
};

/// Lets each reader keep 32 lines in flight for `span_ps`; what each has got is in `lines`.
void read_for(MemorySystem& memory, std::vector<Reader>& readers, std::uint64_t span_ps) {
  std::vector<std::vector<std::uint64_t>> done(readers.size(), std::vector<std::uint64_t>(32));
  for (;;) {
    std::size_t next = 0;
    std::size_t slot = 0;
    std::uint64_t time_ps = ~std::uint64_t{0};
    for (std::size_t i = 0; i < readers.size(); ++i) {
      const auto earliest = std::ranges::min_element(done[i]);
      if (*earliest >= time_ps) continue;
      time_ps = *earliest;
      next = i;
      slot = static_cast<std::size_t>(earliest - done[i].begin());
    }
    if (time_ps >= span_ps) return;
    Reader& reader = readers[next];
    const std::uint64_t line = reader.node * first_line_of_1 + next * 1'000'000 + reader.lines++;
    const LineAnswer answer = memory.fetch({reader.vcpu, line, reader.node, false, false, time_ps});
    done[next][slot] = time_ps + answer.latency_ps;
  }
}

std::uint64_t lines_in(std::uint64_t span_ps, const TimingModel& model, std::uint64_t mibs) {
  return span_ps / model.line_ps(mibs);
}

void expect_about(std::uint64_t lines, std::uint64_t expected) {
  // The first and the last lines in flight make up the difference.
  EXPECT_NEAR(static_cast<double>(lines), static_cast<double>(expected),
              static_cast<double>(expected) * 0.02);
}

constexpr std::uint64_t measured_ps = 200'000'000;

TEST(MemorySystem, SharesAControllerAmongAllWhoReadFromIt) {
  TimingModel model = small_machine(2, 2);
  model.controllers[0] = {10'000, 10'000};
  MemorySystem memory(model, directory_of(model), node_of_line);
  std::vector<Reader> readers = {{0, 0}, {1, 0}, {2, 0}, {3, 0}};
  read_for(memory, readers, measured_ps);
  std::uint64_t sum = 0;
  for (const Reader& reader : readers) {
    sum += reader.lines;
    EXPECT_GT(reader.lines, lines_in(measured_ps, model, 10'000) / 10);
  }
  expect_about(sum, lines_in(measured_ps, model, 10'000));
  EXPECT_EQ(memory.controller(0).read_lines, sum);
  EXPECT_EQ(memory.controller(0).busy_ps, sum * model.line_ps(10'000));
  EXPECT_TRUE(memory.links().empty());
}

TEST(MemorySystem, LimitsEachPairByItself) {
  TimingModel model = small_machine(2, 2);
  model.controllers[1] = {10'000, 10'000};
  model.pairs[0 * 2 + 1].bandwidths = {3'000, 1'000};
  MemorySystem memory(model, directory_of(model), node_of_line);
  std::vector<Reader> readers = {{0, 1}, {1, 1}, {2, 1}};
  read_for(memory, readers, measured_ps);
  expect_about(readers[0].lines + readers[1].lines, lines_in(measured_ps, model, 3'000));
  expect_about(readers[2].lines, lines_in(measured_ps, model, 7'000));
  const auto links = memory.links();
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0].from, 1U);
  EXPECT_EQ(links[0].to, 0U);
  EXPECT_FALSE(links[0].shared);
  EXPECT_EQ(links[0].lines, readers[0].lines + readers[1].lines);
}

TEST(MemorySystem, SlowsAllPairsThatUseASharedLink) {
  const TimingModel model = row_of_nodes(4'000);
  MemorySystem memory(model, directory_of(model), node_of_line);
  // Both come over the link from 2 to 1; the third uses the other direction.
  std::vector<Reader> readers = {{0, 2}, {1, 2}, {3, 1}};
  read_for(memory, readers, measured_ps);
  expect_about(readers[0].lines + readers[1].lines, lines_in(measured_ps, model, 4'000));
  expect_about(readers[2].lines, lines_in(measured_ps, model, 4'000));
  EXPECT_GT(readers[0].lines, lines_in(measured_ps, model, 4'000) / 4);
  for (const auto& link : memory.links()) {
    EXPECT_TRUE(link.shared);
    if (link.from == 2 && link.to == 1) {
      EXPECT_EQ(link.lines, readers[0].lines + readers[1].lines);
    }
    EXPECT_FALSE(link.from == 0);
  }
}

TEST(MemorySystem, SendsWrittenLinesAlongTheRoute) {
  const TimingModel model = row_of_nodes(4'000);
  MemorySystem memory(model, directory_of(model), node_of_line);
  (void)memory.write_past({0, 2 * first_line_of_1, 2, true, false, 0});
  const auto links = memory.links();
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(links[0].from, 0U);
  EXPECT_EQ(links[0].to, 1U);
  EXPECT_EQ(links[1].from, 1U);
  EXPECT_EQ(links[1].to, 2U);
  EXPECT_EQ(memory.traffic(0).writes, (std::vector<std::uint64_t>{0, 0, 1, 0}));
}

TEST(MemorySystem, ChargesAWriteItsOwnTimeAtTheController) {
  TimingModel model = small_machine();
  model.controllers[0] = {10'000, 5'000};
  MemorySystem memory(model, directory_of(model), node_of_line);
  (void)memory.fetch({0, 1, 0, false, false, 0});
  (void)memory.write_past({0, 2, 0, true, false, 0});
  EXPECT_EQ(memory.controller(0).busy_ps, model.line_ps(10'000) + model.line_ps(5'000));
  EXPECT_EQ(memory.controller(0).read_lines, 1U);
  EXPECT_EQ(memory.controller(0).written_lines, 1U);
}

TEST(MemorySystem, WritesAModifiedLineThatIsLetGo) {
  const TimingModel model = small_machine();
  MemorySystem memory(model, directory_of(model), node_of_line);
  const LineAnswer got = memory.fetch({0, 5, 0, true, false, 0});
  const Tag tag(5, got.state.version());
  memory.push_out(1, tag, 0);  // Not the holder.
  memory.push_out(0, Tag(5, static_cast<std::uint16_t>(got.state.version() + 1)), 0);
  EXPECT_EQ(memory.controller(0).written_lines, 0U);
  memory.push_out(0, tag, 0);
  memory.push_out(0, tag, 0);
  EXPECT_EQ(memory.controller(0).written_lines, 1U);
  EXPECT_EQ(LineState(memory.entry(5).load()).holder(), LineState::nobody);
  (void)memory.fetch({0, 6, 0, false, false, 0});
  memory.push_out(0, Tag(6, 0), 0);  // Not modified.
  EXPECT_EQ(memory.controller(0).written_lines, 1U);
}

TEST(MemorySystem, KeepsModifiedLinesInTheLastLevelFirst) {
  TimingModel model = small_machine();
  add_last_level(model);
  MemorySystem memory(model, directory_of(model), node_of_line);
  const LineAnswer got = memory.fetch({0, 5, 0, true, false, 0});
  memory.push_out(0, Tag(5, got.state.version()), 0);
  EXPECT_EQ(memory.controller(0).written_lines, 0U);
  // Another of the same node finds it there, one of the other node does not.
  EXPECT_EQ(memory.fetch({1, 5, 0, false, false, 0}).source, Source::last_level);
  EXPECT_EQ(memory.fetch({2, 5, 0, false, false, 0}).source, Source::memory);
  for (std::uint64_t i = 1; i <= 16; ++i) (void)memory.fetch({1, 5 + 64 * i, 0, false, false, 0});
  EXPECT_EQ(memory.controller(0).written_lines, 1U);
}

TEST(MemorySystem, AddsUpToOneSourceForEachLine) {
  TimingModel model = small_machine();
  add_last_level(model);
  MemorySystem memory(model, directory_of(model), node_of_line);
  std::uint64_t from_memory = 0;
  std::uint64_t random = 17;
  for (int i = 0; i < 50'000; ++i) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const auto vcpu = static_cast<unsigned>(random >> 60U & 3U);
    const std::uint64_t line = (random >> 40U) % 4096 + (random >> 59U & 1U) * first_line_of_1;
    const bool exclusive = (random >> 58U & 1U) != 0;
    const auto answer = memory.fetch({vcpu, line, node_of_line(line), exclusive, false, 0});
    from_memory += answer.source == Source::memory ? 1 : 0;
    if (exclusive) {
      EXPECT_TRUE(answer.state.writable_by(vcpu) && answer.state.dirty());
    }
  }
  EXPECT_EQ(memory.controller(0).read_lines + memory.controller(1).read_lines, from_memory);
  memory.clear();
  EXPECT_EQ(memory.controller(0).read_lines + memory.controller(0).busy_ps, 0U);
  EXPECT_EQ(memory.fetch({0, 1, 0, false, false, 0}).source, Source::memory);
}

}  // namespace
}  // namespace homenode::lab
