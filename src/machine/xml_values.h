// Checks the memory attributes of hwloc's XML, whose own reader takes "-5" for a huge number and
// "fast" for 0. Internal to the machine room.
#pragma once

#include <map>
#include <string>

#include "machine/xml_tag.h"

namespace homenode::machine {

/// Is shown every tag in turn. Objects come before attributes, as hwloc writes them.
class ValueChecker {
 public:
  /// The problem of this tag, or nothing.
  std::string check(const Tag& tag);

 private:
  [[nodiscard]] std::string place_of(const Tag& tag) const;

  std::map<std::string, std::string, std::less<>> nodes_;  ///< Node numbers by hwloc's gp_index.
  std::string attribute_;                                  ///< The attribute that is open.
};

}  // namespace homenode::machine
