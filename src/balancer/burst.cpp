#include "balancer/burst.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "sensing/sources/sample_file.h"
#include "sensing/sources/sampling.h"
#include "sensing/sources/table.h"

namespace homenode::balancer {
namespace {

/// Those of `sched` name no addresses.
bool is_of_use(const sensing::SourceFacts& facts) {
  return facts.number != SampleSource::sched;
}

std::unique_ptr<sensing::Source> best_source(os::Os& os, const sensing::SampleRequest& request,
                                             Burst& burst) {
  for (const sensing::SourceEntry& entry : sensing::source_table()) {
    auto source = entry.make();
    if (!entry.automatic || !is_of_use(source->facts())) continue;
    const auto works = source->check(os, request);
    if (works) return source;
    burst.refused.emplace_back(source->facts().name, works.error().message());
  }
  return nullptr;
}

}  // namespace

Result<std::vector<Sample>> samples_in(std::string_view file) {
  SampleFileHeader header;
  const SampleFileHeader expected;
  const bool is_long_enough = file.size() >= sizeof header;
  if (is_long_enough) std::memcpy(&header, file.data(), sizeof header);
  if (!is_long_enough || std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 ||
      header.sample_bytes != sizeof(Sample)) {
    return failed("this is no file of samples", "repeat it; something else writes to the file");
  }
  file.remove_prefix(sizeof header);
  std::vector<Sample> samples;
  while (const auto block = sensing::take_block(file)) {
    if (block->kind == "SMPL") sensing::append_samples(block->content, samples);
  }
  return samples;
}

Result<Burst> sample_burst(os::Os& os, const machine::Machine& machine, const BurstRequest& request,
                           const os::Pace& pace) {
  sensing::SampleRequest asked;
  asked.pid = request.pid;
  asked.output = request.scratch;
  asked.overhead = request.overhead;
  Burst burst;
  const auto source = best_source(os, asked, burst);
  if (source == nullptr) return burst;
  const sensing::RecordingOptions options{asked, {}, {}, {}, request.longest};
  const auto end = sensing::record(os, machine, *source, options, pace);
  std::string text;
  const int read = end ? os.read_file(request.scratch, text) : 0;
  os.remove_file(request.scratch);
  if (!end) return end.as_unexpected();
  if (end->trouble) return Unexpected(*end->trouble);
  if (read < 0) {
    return failed("cannot read the samples in " + request.scratch,
                  "check the folder of the state file", -read);
  }
  auto samples = samples_in(text);
  if (!samples) return samples.as_unexpected();
  burst.source = source->facts().name;
  burst.misses = source->facts().cannot_see;
  burst.samples = std::move(*samples);
  if (burst.samples.empty() && end->budget.refused_s() > 0) {
    burst.misses = fmt::format(
        "so much memory at so little cost: a round of it may take {:.1f} s of processor time, "
        "which a longer --burst or a larger --overhead allows",
        end->budget.refused_s());
  }
  burst.cost_share = end->budget.share();
  return burst;
}

}  // namespace homenode::balancer
