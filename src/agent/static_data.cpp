#include "agent/static_data.h"

#include <link.h>

#include <cerrno>

#include "agent/account.h"
#include "agent/calls.h"
#include "agent/place_allocation.h"

namespace homenode::agent {
namespace {

void find_pieces_of(AllocationRule& rule, const FileIdentity& file, std::uintptr_t base) {
  for (std::size_t i = 0; i < rule.piece_count; ++i) {
    Piece& piece = rule.pieces[i];
    if (piece.device != file.device || piece.inode != file.inode) continue;
    piece.loaded = base + static_cast<std::uintptr_t>(piece.address);
  }
}

/// The list starts with the program, which has no name in it.
int find_pieces_in(dl_phdr_info* object, std::size_t /*bytes*/, void* argument) {
  auto& words = *static_cast<Words*>(argument);
  const bool is_program = object->dlpi_name == nullptr || *object->dlpi_name == '\0';
  FileIdentity file;
  const int result = identify_file(is_program ? "/proc/self/exe" : object->dlpi_name, file);
  if (result < 0) {
    // The kernel's own object has a name and no file.
    if (result != -ENOENT) (void)noted("newfstatat", result);
    return 0;
  }
  for (std::size_t i = 0; i < words.rule_count; ++i) {
    find_pieces_of(words.rules[i], file, object->dlpi_addr);
  }
  for (std::size_t i = 0; i < words.data_count; ++i) {
    find_pieces_of(words.data[i], file, object->dlpi_addr);
  }
  return 0;
}

}  // namespace

void find_pieces(Words& words) {
  std::size_t pieces = 0;
  for (std::size_t i = 0; i < words.rule_count; ++i) pieces += words.rules[i].piece_count;
  for (std::size_t i = 0; i < words.data_count; ++i) pieces += words.data[i].piece_count;
  if (pieces > 0) dl_iterate_phdr(find_pieces_in, &words);
}

void place_static_data(const Words& words, std::size_t page_bytes) {
  const std::uintptr_t within = page_bytes - 1;
  for (std::size_t i = 0; i < words.data_count; ++i) {
    const AllocationRule& rule = words.data[i];
    for (std::size_t each = 0; each < rule.piece_count; ++each) {
      const Piece& piece = rule.pieces[each];
      if (piece.loaded == 0) continue;
      const std::uintptr_t first = piece.loaded & ~within;
      const std::uintptr_t end = (piece.loaded + piece.bytes + within) & ~within;
      const std::size_t count = (end - first) / page_bytes;
      place_pages({first, count, page_bytes}, rule, Present::any);
      count_data(count);
    }
  }
}

bool is_asked_from(const AllocationRule& rule, std::uintptr_t caller) {
  if (rule.pieces == nullptr) return true;
  for (std::size_t i = 0; i < rule.piece_count; ++i) {
    const Piece& piece = rule.pieces[i];
    // A call at the very end of a function returns behind it.
    if (piece.loaded != 0 && piece.loaded < caller && caller - piece.loaded <= piece.bytes) {
      return true;
    }
  }
  return false;
}

}  // namespace homenode::agent
