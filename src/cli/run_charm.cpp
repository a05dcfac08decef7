#include "cli/run_charm.h"

#include <fmt/format.h>

namespace homenode::cli {
namespace {

/// Where the value of a word goes; null for words without one and for unknown ones.
std::string* value_of(CharmRequest& request, const std::string& word) {
  if (word == "+pemap" || word == "+coremap") return &request.pemap;
  if (word == "+nodemap" || word == "+memnodemap") return &request.nodemap;
  if (word == "+mempol") return &request.mempol;
  return nullptr;
}

}  // namespace

Result<CharmRequest> take_charm_words(std::vector<std::string>& program) {
  CharmRequest request;
  std::size_t taken = 0;
  for (; taken < program.size() && program[taken].starts_with('+'); ++taken) {
    const std::string& word = program[taken];
    if (word == "+setcpuaffinity") {
      request.setcpuaffinity = true;
      continue;
    }
    if (word == "+maffinity") {
      request.maffinity = true;
      continue;
    }
    std::string* const value = value_of(request, word);
    if (value == nullptr) {
      return bad_usage(fmt::format("'{}' is none of Charm++'s words for placement", word),
                       "there are +setcpuaffinity, +pemap, +coremap, +maffinity, +nodemap, "
                       "+memnodemap and +mempol; others stand behind the program");
    }
    if (taken + 1 == program.size()) {
      return bad_usage(fmt::format("the word {} needs a value", word), "write it behind the word");
    }
    if (!value->empty()) {
      return bad_usage(fmt::format("'{}' is given twice, perhaps by its other name", word),
                       "give it once");
    }
    *value = program[++taken];
  }
  if (taken == 0) return request;
  if (taken < program.size() && program[taken] == "--") ++taken;
  if (taken < program.size() && program[taken].starts_with('-')) {
    return bad_usage(fmt::format("the option '{}' comes after Charm++'s words", program[taken]),
                     "write options before them");
  }
  program.erase(program.begin(), program.begin() + static_cast<std::ptrdiff_t>(taken));
  return request;
}

}  // namespace homenode::cli
