#include "cli/run/charm.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

namespace homenode::cli {
namespace {

/// Where the value of a word goes; null for words without one and for unknown ones.
std::string* value_of(launch::CharmRequest& request, const std::string& word) {
  if (word == "+pemap" || word == "+coremap") return &request.pemap;
  if (word == "+nodemap" || word == "+memnodemap") return &request.nodemap;
  if (word == "+mempol") return &request.mempol;
  return nullptr;
}

/// How many words one of Charm++'s takes with its value; 0 for a word that is none of them.
std::size_t length_of(const std::string& word) {
  launch::CharmRequest request;
  if (word == "+setcpuaffinity" || word == "+maffinity") return 1;
  return value_of(request, word) != nullptr ? 2 : 0;
}

/// How many words at the front are Charm++'s, with their values.
std::size_t count_charm_words(const std::vector<std::string>& program) {
  std::size_t count = 0;
  while (count < program.size() && length_of(program[count]) > 0) {
    count += length_of(program[count]);
  }
  return std::min(count, program.size());
}

}  // namespace

Result<launch::CharmRequest> take_charm_words(std::vector<std::string>& program) {
  launch::CharmRequest request;
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
    return bad_usage(
        fmt::format("the option '{}' comes after Charm++'s words and '--'", program[taken]),
        "write options before '--'");
  }
  program.erase(program.begin(), program.begin() + static_cast<std::ptrdiff_t>(taken));
  return request;
}

Result<std::optional<std::vector<std::string>>> options_before_charm_words(
    const CLI::App& app, const std::vector<std::string>& words,
    const std::vector<std::string>& program) {
  using Words = std::vector<std::string>;
  const auto charm_end = program.begin() + static_cast<std::ptrdiff_t>(count_charm_words(program));
  const std::size_t before = words.size() - program.size();
  const bool ended = before > 0 && words[before - 1] == "--";
  if (charm_end == program.begin() || charm_end == program.end() || ended ||
      !charm_end->starts_with('-') || *charm_end == "-" || *charm_end == "--") {
    return std::optional<Words>{};
  }
  const auto line = split_program_line(app, Words(charm_end, program.end()));
  if (!line) return line.as_unexpected();
  Words arranged(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(before));
  arranged.insert(arranged.end(), line->options.begin(), line->options.end());
  arranged.insert(arranged.end(), program.begin(), charm_end);
  if (!line->program.empty() && line->program.front().starts_with('-')) arranged.push_back("--");
  arranged.insert(arranged.end(), line->program.begin(), line->program.end());
  return std::optional(std::move(arranged));
}

Result<launch::CharmRequest> find_charm_words(const std::vector<std::string>& program) {
  std::vector<std::string> words;
  for (std::size_t i = 1; i < program.size(); ++i) {
    const std::size_t length = length_of(program[i]);
    if (length == 0) continue;
    words.push_back(program[i]);
    if (length == 2 && i + 1 < program.size()) words.push_back(program[++i]);
  }
  auto request = take_charm_words(words);
  if (request && !request->pemap.empty()) request->setcpuaffinity = true;
  return request;
}

}  // namespace homenode::cli
