#include "launch/allocation_names.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "launch/source_names.h"

namespace homenode::launch {
namespace {

using SymbolKind = ElfSymbol::Kind;
/// An array that a rule has already: file, address, size.
using Taken = std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>>;

bool fits(const std::string& pattern, const ElfSymbol& symbol) {
  const auto matches = [&pattern](const std::string& name) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  };
  if (matches(symbol.name) || matches(source_name(symbol.name))) return true;
  return pattern.find_first_of("<:") != std::string::npos && matches(full_name(symbol.name));
}

/// How many letters have to be changed, put in or left out.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string near_names(const std::string& name, SymbolKind kind,
                       const std::vector<ProgramObject>& objects) {
  std::set<std::pair<std::size_t, std::string>> near;
  const std::size_t most = name.size() < 3 ? 0 : (name.size() + 2) / 3;
  for (const ProgramObject& object : objects) {
    for (const ElfSymbol& symbol : object.elf.symbols) {
      if (symbol.kind != kind) continue;
      const std::set<std::string> names{source_name(symbol.name), full_name(symbol.name)};
      for (const std::string& other : names) {
        const std::size_t letters = distance(name, other);
        if (letters <= most) near.emplace(letters, other);
      }
    }
  }
  std::string text;
  std::size_t count = 0;
  for (const auto& [letters, other] : near) {
    if (++count > 3) break;
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", other);
  }
  return text;
}

Unexpected nothing_named(const std::string& name, SymbolKind kind,
                         const std::vector<ProgramObject>& objects) {
  const std::string what = kind == SymbolKind::code ? "function" : "static data";
  const std::string& program = objects.front().path;
  if (const std::string near = near_names(name, kind, objects); !near.empty()) {
    return bad_usage(fmt::format("--place finds no {} named '{}' in '{}' and its libraries", what,
                                 name, program),
                     "did you mean " + near + "?");
  }
  const std::string behind =
      "where a script or launcher starts the program, put 'homenode run' directly before the "
      "program";
  if (objects.front().elf.stripped) {
    return bad_usage(fmt::format("--place finds no {} named '{}': '{}' is stripped of its names",
                                 what, name, program),
                     "build it without -s and do not strip it; " + behind);
  }
  return bad_usage(
      fmt::format("--place finds no {} named '{}' in '{}' and its libraries", what, name, program),
      fmt::format("'nm {}' lists its names; {}", program, behind));
}

NamedPiece piece_of(const ProgramObject& object, const ElfSymbol& symbol) {
  return {source_name(symbol.name), object.path, object.device, object.inode,
          symbol.address,           symbol.bytes};
}

/// The symbols that have the name, each of its places once, in the order of the files. Of exported
/// data with one name all files use the first: mostly the copy that the linker put into the
/// program.
std::vector<NamedPiece> named(const std::string& name, SymbolKind kind,
                              const std::vector<ProgramObject>& objects) {
  std::vector<NamedPiece> found;
  std::set<std::string> exported;
  for (const ProgramObject& object : objects) {
    std::vector<std::string> here;
    const ElfSymbol* before = nullptr;
    for (const ElfSymbol& symbol : object.elf.symbols) {
      if (symbol.kind != kind || !fits(name, symbol)) continue;
      if (kind == SymbolKind::data && symbol.exported) {
        if (exported.contains(symbol.name)) continue;
        here.push_back(symbol.name);
      }
      const bool again =
          before != nullptr && before->address == symbol.address && before->bytes == symbol.bytes;
      if (!again) found.push_back(piece_of(object, symbol));
      before = &symbol;
    }
    exported.insert(here.begin(), here.end());
  }
  return found;
}

Result<void> find_data(AllocationRule& rule, const std::vector<ProgramObject>& objects,
                       Taken& taken) {
  for (const std::string& name : rule.names) {
    const std::vector<NamedPiece> found = named(name, SymbolKind::data, objects);
    if (found.empty() && !named(name, SymbolKind::constant, objects).empty()) {
      return bad_usage(fmt::format("--place cannot place '{}': it is read-only, so its pages are "
                                   "the file's",
                                   name),
                       "leave it out; 'homenode where --repair' moves pages of files");
    }
    if (found.empty()) return nothing_named(name, SymbolKind::data, objects);
    bool large_enough = false;
    for (const NamedPiece& piece : found) {
      if (piece.bytes < rule.at_least_bytes) continue;
      large_enough = true;
      if (taken.emplace(piece.device, piece.inode, piece.address, piece.bytes).second) {
        rule.pieces.push_back(piece);
      }
    }
    if (large_enough) continue;
    return bad_usage(fmt::format("nothing named '{}' has {} bytes or more; the largest has {}",
                                 name, rule.at_least_bytes,
                                 std::max_element(found.begin(), found.end(),
                                                  [](const NamedPiece& a, const NamedPiece& b) {
                                                    return a.bytes < b.bytes;
                                                  })
                                     ->bytes),
                     "write a smaller size, or leave it out");
  }
  return {};
}

Result<void> find_code(AllocationRule& rule, const std::vector<ProgramObject>& objects) {
  for (const std::string& name : rule.from) {
    const std::vector<NamedPiece> found = named(name, SymbolKind::code, objects);
    if (found.empty()) return nothing_named(name, SymbolKind::code, objects);
    rule.pieces.insert(rule.pieces.end(), found.begin(), found.end());
  }
  return {};
}

/// Rounds the data to whole pages, each of one piece alone. A piece without a page of its own goes
/// with the one before it.
void divide_pages(std::vector<AllocationRule>& rules, std::uint64_t page_bytes) {
  std::vector<NamedPiece*> pieces;
  for (AllocationRule& rule : rules) {
    if (rule.names.empty()) continue;
    for (NamedPiece& piece : rule.pieces) pieces.push_back(&piece);
  }
  std::sort(pieces.begin(), pieces.end(), [](const NamedPiece* a, const NamedPiece* b) {
    return std::tie(a->device, a->inode, a->address) < std::tie(b->device, b->inode, b->address);
  });
  const NamedPiece* before = nullptr;
  std::uint64_t used_up_to = 0;
  for (NamedPiece* piece : pieces) {
    const bool same_file =
        before != nullptr && before->device == piece->device && before->inode == piece->inode;
    std::uint64_t first = piece->address / page_bytes * page_bytes;
    const std::uint64_t end =
        (piece->address + piece->bytes - 1) / page_bytes * page_bytes + page_bytes;
    if (same_file) first = std::max(first, std::min(used_up_to, end));
    piece->first_page = first;
    piece->page_bytes = end - first;
    used_up_to = same_file ? std::max(used_up_to, end) : end;
    before = piece;
  }
}

}  // namespace

Result<void> find_named_pieces(std::vector<AllocationRule>& rules,
                               const std::vector<ProgramObject>& objects,
                               std::uint64_t page_bytes) {
  Taken taken;
  for (AllocationRule& rule : rules) {
    if (const auto found = find_data(rule, objects, taken); !found) return found;
    if (const auto found = find_code(rule, objects); !found) return found;
  }
  divide_pages(rules, page_bytes);
  return {};
}

std::string target_text(const AllocationRule& rule) {
  const auto joined = [](const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
  };
  if (rule.names.empty()) {
    return fmt::format("allocations of {} bytes or more{}", rule.at_least_bytes,
                       rule.from.empty() ? "" : " by " + joined(rule.from));
  }
  if (rule.pieces.empty()) return "static data " + joined(rule.names);
  std::vector<std::string> found;
  for (const NamedPiece& piece : rule.pieces) {
    found.push_back(fmt::format("{} ({} bytes of {})", piece.name, piece.bytes,
                                std::filesystem::path(piece.file).filename().string()));
  }
  return "static data " + joined(found);
}

}  // namespace homenode::launch
