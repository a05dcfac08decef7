// The checksums that FT has to give after each iteration.
#pragma once

#include <span>

#include "workloads/npb/class.h"

namespace homenode::workloads::npb {

struct FtChecksum {
  double real;
  double imaginary;
};

/// As many as the class has iterations.
std::span<const FtChecksum> ft_reference(Class size);

}  // namespace homenode::workloads::npb
