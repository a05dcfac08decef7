#include "agent/pkeys/settings.h"

#include <cstddef>
#include <cstring>

#include "agent/wire_text.h"

namespace homenode::agent::pkeys {
namespace {

struct Word {
  const char* name;
  std::uint64_t Settings::*value;
};
constexpr Word known_words[] = {
    {"budget_ppm=", &Settings::budget_ppm}, {"window_us=", &Settings::window_us},
    {"pause_us=", &Settings::pause_us},     {"pages=", &Settings::pages},
    {"watch=", &Settings::watch},           {"seed=", &Settings::seed},
};

bool take_word(Rest& rest, Settings& settings) {
  for (const Word& word : known_words) {
    if (rest.take_word(word.name)) {
      return rest.take_number(settings.*word.value) && rest.at_end_of_field();
    }
  }
  return false;
}

}  // namespace

const char* find_settings(char* const* environment) {
  constexpr std::size_t length = sizeof settings_variable - 1;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    if (std::strncmp(*environment, settings_variable, length) != 0) continue;
    if ((*environment)[length] == '=') return *environment + length + 1;
  }
  return nullptr;
}

bool read_settings(const char* text, Settings& settings) {
  Rest rest{text};
  while (*rest.next != '\0') {
    if (rest.take(' ')) continue;
    if (!take_word(rest, settings)) return false;
  }
  constexpr std::uint64_t most_us = 1'000'000;
  return settings.window_us > 0 && settings.window_us <= most_us && settings.pause_us <= most_us &&
         settings.pages > 0 && settings.seed > 0;
}

}  // namespace homenode::agent::pkeys
