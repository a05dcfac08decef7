#include "heap/policy.h"

#include <linux/mempolicy.h>

#include <cerrno>
#include <cstring>

namespace homenode::heap {
namespace {

constexpr int preferred_many = 5;       // MPOL_PREFERRED_MANY, Linux 5.15
constexpr int weighted_interleave = 6;  // MPOL_WEIGHTED_INTERLEAVE, Linux 6.9

struct Row {
  const char* name;
  int mode;
  int older_mode;  ///< What a kernel without it has.
  bool per_node;
};

constexpr Row rows[] = {
    {"bind", preferred_many, MPOL_PREFERRED, true},
    {"bind:strict", MPOL_BIND, MPOL_BIND, true},
    {"preferred", MPOL_PREFERRED, MPOL_PREFERRED, true},
    {"interleave", MPOL_INTERLEAVE, MPOL_INTERLEAVE, false},
    {"weighted", weighted_interleave, MPOL_INTERLEAVE, false},
    {"local", MPOL_DEFAULT, MPOL_DEFAULT, true},
};

const Row& row_of(Policy policy) {
  return rows[static_cast<unsigned>(policy)];
}

}  // namespace

bool read_policy(const char* text, Policy& policy) {
  unsigned i = 0;
  for (const Row& row : rows) {
    if (std::strcmp(text, row.name) == 0) {
      policy = static_cast<Policy>(i);
      return true;
    }
    ++i;
  }
  return false;
}

const char* policy_name(Policy policy) {
  return row_of(policy).name;
}

Policy policy_for(Access access) {
  return access == Access::read ? Policy::interleave : Policy::bind;
}

bool is_per_node(Policy policy) {
  return row_of(policy).per_node;
}

int apply(Policy policy, void* address, std::size_t bytes, const system::NodeMask& nodes,
          bool move) {
  const unsigned flags = move ? MPOL_MF_MOVE : 0U;
  const Row& row = row_of(policy);
  if (row.mode == MPOL_DEFAULT) {
    return move ? system::bind(address, bytes, MPOL_DEFAULT, {}, flags) : 0;
  }
  if (!row.per_node && !move) (void)system::use_small_pages(address, bytes);
  const int result = system::bind(address, bytes, row.mode, nodes, flags);
  if (result != -EINVAL || row.older_mode == row.mode) return result;
  return system::bind(address, bytes, row.older_mode, nodes, flags);
}

}  // namespace homenode::heap
