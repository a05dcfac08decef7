#include "sensing/sources/table.h"

#include <fmt/format.h>

namespace homenode::sensing {

const std::vector<SourceEntry>& source_table() {
  static const std::vector<SourceEntry> table{
      {make_lab_source},          {make_pmu_source},          {make_hint_faults_source},
      {make_soft_dirty_source},   {make_pkeys_source, false}, {make_sched_source},
      {make_pages_source, false},
  };
  return table;
}

namespace {

Result<ChosenSource> named_source(os::Os& os, SampleRequest request, const std::string& name) {
  request.named = true;
  std::string names;
  for (const SourceEntry& entry : source_table()) {
    auto source = entry.make();
    names += fmt::format("{}{}", names.empty() ? "" : ", ", source->facts().name);
    if (source->facts().name != name) continue;
    if (const auto works = source->check(os, request); !works) return works.as_unexpected();
    return ChosenSource{std::move(source), {}};
  }
  return bad_usage(fmt::format("there is no source of samples '{}'", name),
                   "choose among auto, " + names);
}

}  // namespace

bool tells_who_uses_what(const SourceFacts& facts) {
  return facts.number != SampleSource::sched && facts.number != SampleSource::pages;
}

ChosenSource best_source(os::Os& os, const SampleRequest& request,
                         bool (*wanted)(const SourceFacts&)) {
  ChosenSource chosen;
  for (const SourceEntry& entry : source_table()) {
    if (!entry.automatic) continue;
    auto source = entry.make();
    if (!wanted(source->facts())) continue;
    const auto works = source->check(os, request);
    if (works) {
      chosen.source = std::move(source);
      return chosen;
    }
    chosen.refused.emplace_back(source->facts().name, works.error().message());
  }
  return chosen;
}

Result<ChosenSource> choose_source(os::Os& os, const SampleRequest& request,
                                   const std::string& name) {
  if (name != "auto") return named_source(os, request, name);
  ChosenSource chosen = best_source(os, request, [](const SourceFacts&) { return true; });
  if (chosen.source != nullptr) return chosen;
  std::string reasons;
  for (const auto& [source, why] : chosen.refused) reasons += fmt::format("; {}: {}", source, why);
  return not_supported("no source of samples works here" + reasons,
                       "'homenode sample --list' says what each needs");
}

}  // namespace homenode::sensing
