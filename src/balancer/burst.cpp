#include "balancer/burst.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <memory>

#include "balancer/inner_samples.h"
#include "base/words.h"
#include "sensing/sources/sample_file.h"
#include "sensing/sources/sampling.h"
#include "sensing/sources/table.h"

namespace homenode::balancer {
namespace {

/// The one that is named, which `asked` is told, or the best. Null where none works.
Result<std::unique_ptr<sensing::Source>> source_for(os::Os& os, const BurstRequest& request,
                                                    sensing::SampleRequest& asked, Burst& burst) {
  if (request.source == "auto" || request.inner != nullptr) {
    auto best = sensing::best_source(os, asked, sensing::tells_who_uses_what);
    burst.refused.insert(burst.refused.end(), best.refused.begin(), best.refused.end());
    return std::move(best.source);
  }
  asked.named = true;
  auto named = sensing::choose_source(os, asked, request.source);
  if (!named) return named.as_unexpected();
  return std::move(named->source);
}

/// False where the process does not sample itself any longer.
bool take_inner(const BurstRequest& request, Burst& burst) {
  InnerSamples& inner = *request.inner;
  auto samples = inner.samples_of(request.pid);
  if (const std::string why = inner.refused(request.pid); !why.empty()) {
    burst.refused.emplace_back(inner.facts().name, why);
    return false;
  }
  burst.source = inner.facts().name;
  burst.misses = inner.facts().cannot_see;
  burst.samples = std::move(samples);
  return true;
}

/// Takes the header off a sample file. False where there is none.
bool take_header(std::string_view& file) {
  SampleFileHeader header;
  const SampleFileHeader expected;
  const bool is_long_enough = file.size() >= sizeof header;
  if (is_long_enough) std::memcpy(&header, file.data(), sizeof header);
  if (!is_long_enough || std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 ||
      header.sample_bytes != sizeof(Sample)) {
    return false;
  }
  file.remove_prefix(sizeof header);
  return true;
}

}  // namespace

Result<std::vector<Sample>> samples_in(std::string_view file) {
  if (!take_header(file)) {
    return failed("this is no file of samples", "repeat it; something else writes to the file");
  }
  std::vector<Sample> samples;
  while (const auto block = sensing::take_block(file)) {
    if (block->kind == "SMPL") sensing::append_samples(block->content, samples);
  }
  return samples;
}

std::map<pid_t, std::string> refusals_in(std::string_view file) {
  std::map<pid_t, std::string> found;
  if (!take_header(file)) return found;
  while (const auto block = sensing::take_block(file)) {
    if (block->kind != "JSON" || block->content.find(R"("refused")") == std::string_view::npos) {
      continue;
    }
    // The program may write what it likes.
    const auto document = nlohmann::json::parse(block->content, nullptr, false);
    if (!document.is_object()) continue;
    const auto why = document.value("refused", nlohmann::json());
    const auto pid = document.value("pid", nlohmann::json());
    if (!why.is_string() || !pid.is_number_integer()) continue;
    found[pid.get<pid_t>()] = printable(why.get<std::string>());
  }
  return found;
}

Result<Burst> sample_burst(os::Os& os, const machine::Machine& machine, const BurstRequest& request,
                           const os::Pace& pace) {
  sensing::SampleRequest asked;
  asked.pid = request.pid;
  asked.output = request.scratch;
  asked.overhead = request.overhead;
  Burst burst;
  if (request.inner != nullptr && take_inner(request, burst)) return burst;
  auto source = source_for(os, request, asked, burst);
  if (!source) return source.as_unexpected();
  if (*source == nullptr) return burst;
  const sensing::RecordingOptions options{asked, {}, {}, {}, request.longest};
  const auto end = sensing::record(os, machine, **source, options, pace);
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
  burst.source = (*source)->facts().name;
  burst.misses = (*source)->facts().cannot_see;
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
