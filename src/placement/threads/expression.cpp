#include "placement/threads/expression.h"

namespace homenode::placement {

Result<ThreadMap> parse_thread_expression(const machine::Machine& machine, std::string_view text) {
  if (looks_like_places(text)) return parse_places(machine, text);
  if (has_logical_numbers(text)) return parse_charm(machine, text);
  const bool domain = !text.empty() && text.front() >= 'A' && text.front() <= 'Z';
  if (domain || text.find('@') != std::string_view::npos) return parse_likwid(machine, text);
  if (text.find_first_of(":.+") != std::string_view::npos) return parse_charm(machine, text);
  return parse_thread_map(machine, text);
}

}  // namespace homenode::placement
