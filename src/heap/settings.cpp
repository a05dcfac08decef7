#include "heap/settings.h"

#include <sys/auxv.h>

#include <cstring>

#include "heap/purge.h"
#include "heap/text.h"

extern "C" char** environ;

namespace homenode::heap {
namespace {

struct Name {
  const char* name;
  bool (*set)(Settings& settings, const char* value);
};

bool read_switch(const char* value, bool& on) {
  if (std::strcmp(value, "1") != 0 && std::strcmp(value, "0") != 0) return false;
  on = value[0] == '1';
  return true;
}

bool read_number(const char* value, std::uint64_t most, std::uint64_t& number) {
  number = 0;
  if (*value == '\0') return false;
  for (; *value != '\0'; ++value) {
    if (*value < '0' || *value > '9') return false;
    number = number * 10 + static_cast<std::uint64_t>(*value - '0');
    if (number > most) return false;
  }
  return true;
}

constexpr Name names[] = {
    {policy_variable, [](Settings& s, const char* value) { return read_policy(value, s.policy); }},
    {"HOMENODE_MALLOC_VERBOSE",
     [](Settings& s, const char* value) { return read_switch(value, s.verbose); }},
    {"HOMENODE_MALLOC_STATISTICS",
     [](Settings& s, const char* value) { return read_switch(value, s.statistics); }},
    {"HOMENODE_MALLOC_SIGNAL",
     [](Settings& s, const char* value) {
       std::uint64_t number = 0;
       if (!read_number(value, 64, number)) return false;
       s.statistics_signal = static_cast<int>(number);
       return true;
     }},
    {"HOMENODE_MALLOC_PURGE_MS",
     [](Settings& /*s*/, const char* value) {
       return read_number(value, 1000UL * 3600 * 24, purge_ms);
     }},
    {"HOMENODE_MALLOC_DEEPBIND",
     [](Settings& s, const char* value) { return read_switch(value, s.keep_deepbind); }},
};

/// The value when the variable is of that name; null otherwise.
const char* value_of(const char* variable, const char* name) {
  const std::size_t length = std::strlen(name);
  if (std::strncmp(variable, name, length) != 0 || variable[length] != '=') return nullptr;
  return variable + length + 1;
}

}  // namespace

Settings read_settings() {
  Settings settings{};
  // Before libc has set itself up there is no environment yet.
  if (environ == nullptr || getauxval(AT_SECURE) != 0) return settings;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, "HOMENODE_MALLOC_", 16) != 0) continue;
    for (const Name& name : names) {
      const char* const value = value_of(*variable, name.name);
      if (value == nullptr || name.set(settings, value)) continue;
      Text text;
      text.add("homenode-malloc: ").add(name.name).add("=").add(value);
      text.add(" is not valid and is ignored; see ENVIRONMENT in homenode(1)\n");
      text.write(2);
    }
  }
  return settings;
}

}  // namespace homenode::heap
