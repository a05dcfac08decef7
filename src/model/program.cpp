#include "model/program.h"

#include <algorithm>
#include <set>

namespace homenode::model {
namespace {

bool is_valid_object(const Object& object, std::size_t threads) {
  if (object.pages == 0 || object.pages_per_block == 0 || !(object.lines_in_flight > 0)) {
    return false;
  }
  if (!(object.in_order >= 0 && object.in_order <= 1)) return false;
  const std::size_t blocks = object.blocks();
  if (object.uses.size() != threads * blocks) return false;
  if (!object.used_before.empty() && object.used_before.size() != threads * blocks) return false;
  if (!object.homes.empty() && object.homes.size() != blocks) return false;
  if (!object.first_users.empty() && object.first_users.size() != blocks) return false;
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
  if (!program.computing_s.empty() && program.computing_s.size() != threads) return false;
  std::set<std::string> names;
  return std::all_of(program.computing_s.begin(), program.computing_s.end(),
                     [](double seconds) { return seconds >= 0; }) &&
         std::all_of(program.objects.begin(), program.objects.end(), [&](const Object& object) {
           return is_valid_object(object, threads) && names.insert(object.name).second;
         });
}

}  // namespace homenode::model
