// The rules for allocations and static data in the wire text.
#include "agent/wire_text.h"

namespace homenode::agent {
namespace {

/// A run of `pages` for each node of a list.
bool take_nodes(Rest& rest, Arena& arena, AllocationRule& rule, std::uint64_t pages) {
  Mask nodes;
  if (!take_mask(rest, arena, nodes)) return false;
  rule.run_count = nodes.below(nodes.count * word_bits);
  auto* const runs = static_cast<PageRun*>(arena.take(rule.run_count * sizeof(PageRun)));
  if (runs == nullptr) return false;
  std::size_t next = 0;
  for (unsigned node = 0; node < nodes.count * word_bits; ++node) {
    if (nodes.contains(node)) runs[next++] = {pages, node};
  }
  rule.runs = runs;
  return true;
}

bool take_node(Rest& rest, unsigned& node) {
  std::uint64_t number = 0;
  if (!rest.take_number(number) || number > max_id) return false;
  node = static_cast<unsigned>(number);
  return true;
}

bool take_runs(Rest& rest, Arena& arena, AllocationRule& rule) {
  rule.run_count = count_items(rest, ',');
  auto* const runs = static_cast<PageRun*>(arena.take(rule.run_count * sizeof(PageRun)));
  if (runs == nullptr) return false;
  rule.runs = runs;
  for (std::size_t i = 0; i < rule.run_count; ++i) {
    if (i > 0 && !rest.take(',')) return false;
    if (!rest.take_number(runs[i].pages) || runs[i].pages == 0 || !rest.take('x')) return false;
    if (!take_node(rest, runs[i].node)) return false;
  }
  return true;
}

bool take_piece(Rest& rest, Piece& piece) {
  return rest.take_number(piece.device) && rest.take('.') && rest.take_number(piece.inode) &&
         rest.take('.') && rest.take_number(piece.address) && rest.take('.') &&
         rest.take_number(piece.bytes) && piece.bytes > 0 &&
         piece.address <= UINT64_MAX - piece.bytes;
}

bool take_pieces(Rest& rest, Arena& arena, AllocationRule& rule) {
  std::size_t count = 1;
  for (Rest ahead = rest; !ahead.at_end_of_field() && *ahead.next != ':'; ++ahead.next) {
    if (*ahead.next == ',') ++count;
  }
  auto* const pieces = static_cast<Piece*>(arena.take(count * sizeof(Piece)));
  if (pieces == nullptr) return false;
  rule.pieces = pieces;
  rule.piece_count = count;
  for (std::size_t i = 0; i < count; ++i) {
    if ((i > 0 && !rest.take(',')) || !take_piece(rest, pieces[i])) return false;
  }
  return true;
}

bool take_placed_policy(Rest& rest, Arena& arena, AllocationRule& rule) {
  if (!take_policy(rest, arena, rule.policy)) return false;
  rule.has_home = rest.take('^');
  return !rule.has_home || take_node(rest, rule.home);
}

bool take_random(Rest& rest, Arena& arena, AllocationRule& rule) {
  std::uint64_t pages = 0;
  return rest.take_number(rule.seed) && rest.take(',') && rest.take_number(pages) && pages > 0 &&
         rest.take(':') && take_nodes(rest, arena, rule, pages);
}

/// After the ':' before it.
bool take_rule(Rest& rest, Arena& arena, AllocationRule& rule) {
  using Kind = AllocationRule::Kind;
  struct Form {
    const char* word;
    Kind kind;
  };
  constexpr Form forms[] = {{"policy:", Kind::policy},
                            {"block:", Kind::block},
                            {"pattern:", Kind::pattern},
                            {"map:", Kind::map},
                            {"random:", Kind::random}};
  for (const Form& form : forms) {
    if (!rest.take_word(form.word)) continue;
    rule.kind = form.kind;
    if (form.kind == Kind::policy) return take_placed_policy(rest, arena, rule);
    if (form.kind == Kind::block) return take_nodes(rest, arena, rule, 0);
    if (form.kind == Kind::random) return take_random(rest, arena, rule);
    return take_runs(rest, arena, rule);
  }
  return false;
}

}  // namespace

bool take_place(Rest& rest, Arena& arena, AllocationRule& rule) {
  if (!rest.take_number(rule.at_least_bytes)) return false;
  if (rest.take('@') && !take_pieces(rest, arena, rule)) return false;
  return rest.take(':') && take_rule(rest, arena, rule);
}

bool take_data(Rest& rest, Arena& arena, AllocationRule& rule) {
  return take_pieces(rest, arena, rule) && rest.take(':') && take_rule(rest, arena, rule);
}

}  // namespace homenode::agent
