#include "cli/bench/clock.h"

#include <cstdlib>

#include "os/lab_clock.h"

namespace homenode::cli {

std::string host_clock_words() {
  const char* const lab = std::getenv(os::lab_variable);
  return lab != nullptr && *lab != '\0' ? "host clock, not the machine's" : "host clock";
}

}  // namespace homenode::cli
