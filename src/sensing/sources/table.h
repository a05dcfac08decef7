// The sources of samples, best first, and the choice among them. Serves the verb `sample`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sensing/sources/source.h"

namespace homenode::sensing {

/// All of them, best first. Only those `automatic` are taken unasked.
struct SourceEntry {
  std::unique_ptr<Source> (*make)();
  bool automatic = true;
};
const std::vector<SourceEntry>& source_table();

std::unique_ptr<Source> make_lab_source();
std::unique_ptr<Source> make_pmu_source();
std::unique_ptr<Source> make_hint_faults_source();
std::unique_ptr<Source> make_soft_dirty_source();
std::unique_ptr<Source> make_pkeys_source();
std::unique_ptr<Source> make_sched_source();
std::unique_ptr<Source> make_pages_source();

/// The one that is taken, and why others, better ones or the one that was named, were not.
struct ChosenSource {
  std::unique_ptr<Source> source;
  std::vector<std::pair<std::string, std::string>> refused;  ///< Name and reason.
};

/// Whether samples of a source are of addresses and of threads.
bool tells_who_uses_what(const SourceFacts& facts);

/// The first that may be taken unasked, is `wanted` and works here; none: null, with all refusals.
ChosenSource best_source(os::Os& os, const SampleRequest& request,
                         bool (*wanted)(const SourceFacts&));

/// `name` is a source's or "auto", which takes the first that works here. Errors: bad_usage for a
/// name that stands for none; why the named one does not work; not_supported where none does.
Result<ChosenSource> choose_source(os::Os& os, const SampleRequest& request,
                                   const std::string& name);

}  // namespace homenode::sensing
