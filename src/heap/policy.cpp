#include "heap/policy.h"

#include <linux/mempolicy.h>

#include <cerrno>
#include <cstring>

#include "heap/policy_names.h"

namespace homenode::heap {
namespace {

constexpr int preferred_many = 5;       // MPOL_PREFERRED_MANY, Linux 5.15
constexpr int weighted_interleave = 6;  // MPOL_WEIGHTED_INTERLEAVE, Linux 6.9

struct Row {
  int mode;
  int older_mode;  ///< What a kernel without it has.
  bool per_node;
};

constexpr Row rows[] = {
    {preferred_many, MPOL_PREFERRED, true},        {MPOL_BIND, MPOL_BIND, true},
    {MPOL_PREFERRED, MPOL_PREFERRED, true},        {MPOL_INTERLEAVE, MPOL_INTERLEAVE, false},
    {weighted_interleave, MPOL_INTERLEAVE, false}, {MPOL_DEFAULT, MPOL_DEFAULT, true},
};

static_assert(sizeof(rows) / sizeof(rows[0]) == sizeof(policy_names) / sizeof(policy_names[0]));

const Row& row_of(Policy policy) {
  return rows[static_cast<unsigned>(policy)];
}

}  // namespace

bool read_policy(const char* text, Policy& policy) {
  unsigned i = 0;
  for (const char* const name : policy_names) {
    if (std::strcmp(text, name) == 0) {
      policy = static_cast<Policy>(i);
      return true;
    }
    ++i;
  }
  return false;
}

const char* policy_name(Policy policy) {
  return policy_names[static_cast<unsigned>(policy)];
}

Policy policy_for(Access access) {
  return access == Access::read ? Policy::interleave : Policy::bind;
}

bool is_per_node(Policy policy) {
  return row_of(policy).per_node;
}

Applied apply(Policy policy, void* address, std::size_t bytes, const system::NodeMask& nodes,
              bool move) {
  const unsigned flags = move ? MPOL_MF_MOVE : 0U;
  const Row& row = row_of(policy);
  if (row.mode == MPOL_DEFAULT) {
    if (!move) return {0, 0};
    return {system::bind(address, bytes, MPOL_DEFAULT, {}, flags), 1};
  }
  if (!row.per_node && !move) (void)system::use_small_pages(address, bytes);
  const int result = system::bind(address, bytes, row.mode, nodes, flags);
  if (result != -EINVAL || row.older_mode == row.mode) return {result, 1};
  return {system::bind(address, bytes, row.older_mode, nodes, flags), 2};
}

}  // namespace homenode::heap
