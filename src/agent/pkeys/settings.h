// What HOMENODE_SAMPLE_PKEYS says: words NAME=NUMBER separated by blanks. Serves the sampler by
// protection keys.
#pragma once

#include <cstdint>

namespace homenode::agent::pkeys {

/// The variable. Where it is unset, the sampler does nothing.
inline constexpr char settings_variable[] = "HOMENODE_SAMPLE_PKEYS";

struct Settings {
  std::uint64_t budget_ppm = 10'000;  ///< budget_ppm: millionths of the program's processor time.
  std::uint64_t window_us = 2'000;    ///< window_us: how long pages stay armed at most.
  std::uint64_t pause_us = 1'000;     ///< pause_us: between windows at least.
  std::uint64_t pages = 32;           ///< pages: armed at once, about.
  std::uint64_t watch = 0;            ///< watch: a process; when it has ended, sampling ends.
  std::uint64_t seed = 1;             ///< seed: of the choice of pages.
};

/// Its value in an environment; null where it is unset.
const char* find_settings(char* const* environment);
/// False for a text of another form, or values that make no sense.
bool read_settings(const char* text, Settings& settings);

}  // namespace homenode::agent::pkeys
