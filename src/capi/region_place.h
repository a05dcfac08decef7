// A region, and placing it by the text of a memory rule. Serves the C interface's region functions.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "actuation/aligned_memory.h"
#include "actuation/audit.h"
#include "actuation/region.h"
#include "base/result.h"
#include "base/units.h"
#include "capi/handles.h"
#include "placement/distributions/distribution.h"
#include "placement/policies/policy.h"

/// `lock` guards `statistics` and `armed` and keeps two placements of one region apart.
struct hn_region {
  hn_region() = default;
  hn_region(const hn_region&) = delete;
  hn_region& operator=(const hn_region&) = delete;
  ~hn_region();

  void* address = nullptr;
  std::size_t bytes = 0;
  homenode::actuation::Region pages = {};  ///< Whole pages.
  /// Empty for adopted memory.
  std::optional<homenode::actuation::AlignedMemory> memory = {};
  /// The pages that move to the node that touches them next; none when that is not in force.
  homenode::actuation::Region armed = {};
  mutable std::mutex lock = {};
  hn_statistics statistics = {};
};

namespace homenode::capi {

/// Places the region and keeps account of it. Gives HN_OK, or HN_INCOMPLETE with one line in
/// `error` (may be NULL) when some pages are elsewhere. Takes the region's lock.
/// Errors: bad_usage for the rule; the kernel's refusals.
Result<int> place(hn_region& region, const char* rule, char** error);

/// The same for the rules that need the shape of the array that the region holds; others are taken
/// by place(). Errors: also bad_usage for a shape that is none or does not fit.
Result<int> place_array(hn_region& region, const hn_array* array, const char* rule, char** error);

/// The same for what is decided already: a policy, or a map with one entry for each page.
Result<int> place_by(hn_region& region,
                     const std::variant<placement::Policy, placement::PageMap>& how, char** error);

/// What placing has done so far, touches of an armed region included. Takes the region's lock.
hn_statistics statistics_of(const hn_region& region);

/// One object on one line: the pages on each node, why the others are on none, and how many bytes
/// are in huge pages; null when the kernel does not say.
std::string to_json(const actuation::Audit& audit, std::size_t page_bytes,
                    std::optional<Bytes> huge);

}  // namespace homenode::capi
