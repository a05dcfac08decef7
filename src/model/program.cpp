#include "model/program.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace homenode::model {
namespace {

/// Nothing is known, or of each.
template <class T>
bool is_of_each(const std::vector<T>& known, std::size_t count) {
  return known.empty() || known.size() == count;
}

bool is_valid_walk(double lines) {
  return lines == 0 || (lines >= 1 && std::isfinite(lines));
}

bool is_valid_object(const Object& object, std::size_t threads) {
  if (object.pages == 0 || object.pages_per_block == 0 || !(object.lines_in_flight > 0)) {
    return false;
  }
  if (!(object.in_order >= 0 && object.in_order <= 1)) return false;
  if (!is_valid_walk(object.walk_lines)) return false;
  const std::size_t blocks = object.blocks();
  if (object.uses.size() != threads * blocks) return false;
  if (!is_of_each(object.used_before, threads * blocks) || !is_of_each(object.homes, blocks) ||
      !is_of_each(object.first_users, blocks)) {
    return false;
  }
  return std::all_of(object.first_users.begin(), object.first_users.end(),
                     [&](std::size_t thread) { return thread < threads; }) &&
         std::all_of(object.uses.begin(), object.uses.end(),
                     [](const Lines& lines) { return lines.reads >= 0 && lines.writes >= 0; }) &&
         std::all_of(object.used_before.begin(), object.used_before.end(),
                     [](double lines) { return lines >= 0; });
}

}  // namespace

bool is_valid(const Program& program) {
  const std::size_t threads = program.threads();
  if (threads == 0 || program.line_bytes == 0) return false;
  if (!is_of_each(program.computing_s, threads)) return false;
  std::set<std::string> names;
  return std::all_of(program.computing_s.begin(), program.computing_s.end(),
                     [](double seconds) { return seconds >= 0; }) &&
         std::all_of(program.objects.begin(), program.objects.end(), [&](const Object& object) {
           return is_valid_object(object, threads) && names.insert(object.name).second;
         });
}

}  // namespace homenode::model
