#include "balancer/inner_samples.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "balancer/burst.h"
#include "sensing/sources/table.h"

namespace homenode::balancer {
namespace {

std::string_view header() {
  static constexpr SampleFileHeader header;
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

Unexpected cannot_write(const std::string& path, int error) {
  return failed("cannot write samples to " + path, "check the folder of the state file", error);
}

}  // namespace

InnerSamples::~InnerSamples() {
  if (descriptor_ < 0) return;
  os_.close_file(descriptor_);
  os_.remove_file(path_);
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
  if (const int result = os_.open_appended(path_, descriptor_); result < 0) {
    return cannot_write(path_, -result);
  }
  const auto written = os_.append_file(descriptor_, {header().data(), header().size()});
  if (written == static_cast<ssize_t>(header().size())) return {};
  return cannot_write(path_, written < 0 ? static_cast<int>(-written) : 0);
}

// The program appends whole blocks, so what it writes between the two calls is lost as a whole:
// some samples of many.
void InnerSamples::collect() {
  std::string text;
  if (os_.read_file(path_, text) < 0 || text.size() <= header().size()) return;
  os_.resize_file(descriptor_, header().size());
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
  if (!tells_who_uses_what(chosen->source->facts())) {
    return bad_usage(fmt::format("samples of {} do not say which thread uses which memory", name),
                     "choose another source: 'homenode sample --list'");
  }
  std::unique_ptr<InnerSamples> inner(
      new InnerSamples(os, std::move(chosen->source), request.output));
  if (auto begun = inner->begin(request); !begun) return begun.as_unexpected();
  if (inner->environment().empty()) inner.reset();
  return inner;
}

}  // namespace homenode::balancer
