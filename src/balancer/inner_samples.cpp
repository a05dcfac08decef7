#include "balancer/inner_samples.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "balancer/burst.h"
#include "sensing/sources/table.h"

namespace homenode::balancer {
InnerSamples::~InnerSamples() {
  if (file_) os_.remove_file(file_->path());
}

Result<void> InnerSamples::begin(const sensing::SampleRequest& request) {
  auto environment = source_->environment(os_, request);
  if (!environment) return environment.as_unexpected();
  environment_ = std::move(*environment);
  if (environment_.empty()) return {};
  if (request.program.empty()) {
    return bad_usage(fmt::format("{} samples only a program that is started", facts().name),
                     "name a program: homenode balance --with ... -- PROGRAM");
  }
  auto file = sensing::SampleFile::create(os_, request.output);
  if (!file) {
    os_.remove_file(request.output);
    return failed("cannot write samples to " + request.output, "check the folder of the state file",
                  file.error().errno_value);
  }
  file_.emplace(std::move(*file));
  return {};
}

// The program appends whole blocks, so what it writes between the two calls is lost as a whole:
// some samples of many.
void InnerSamples::collect() {
  std::string text;
  if (os_.read_file(file_->path(), text) < 0 || text.size() <= sizeof(SampleFileHeader)) return;
  file_->drop_blocks();
  if (const auto samples = samples_in(text)) keep(*samples);
  for (const auto& [pid, why] : refusals_in(text)) refusals_[pid] = why;
}

void InnerSamples::keep(const std::vector<Sample>& samples) {
  for (const Sample& sample : samples) {
    samples_[static_cast<pid_t>(sample.pid)].push_back(sample);
  }
  for (auto& [pid, kept] : samples_) {
    if (kept.size() <= most_samples) continue;
    kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(most_samples));
  }
}

std::vector<Sample> InnerSamples::samples_of(pid_t pid) {
  collect();
  const auto found = samples_.find(pid);
  return found == samples_.end() ? std::vector<Sample>() : found->second;
}

void InnerSamples::forget(pid_t pid) {
  collect();
  samples_.erase(pid);
  waits_.erase(pid);
}

std::string InnerSamples::refused(pid_t pid) const {
  const auto found = refusals_.find(pid);
  return found == refusals_.end() ? "" : found->second;
}

Result<std::unique_ptr<InnerSamples>> prepare_source(os::Os& os, const std::string& name,
                                                     sensing::SampleRequest request) {
  request.named = true;
  auto chosen = sensing::choose_source(os, request, name);
  if (!chosen) return chosen.as_unexpected();
  if (!sensing::tells_who_uses_what(chosen->source->facts())) {
    return bad_usage(fmt::format("samples of {} do not say which thread uses which memory", name),
                     "choose another source: 'homenode sample --list'");
  }
  std::unique_ptr<InnerSamples> inner(new InnerSamples(os, std::move(chosen->source)));
  if (auto begun = inner->begin(request); !begun) return begun.as_unexpected();
  if (inner->environment().empty()) inner.reset();
  return inner;
}

}  // namespace homenode::balancer
