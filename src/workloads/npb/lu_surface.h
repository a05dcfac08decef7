// LU's last check: an integral over the faces of a box inside the cube.
#pragma once

#include "workloads/npb/cfd_field.h"

namespace homenode::workloads::npb {

/// Of the pressure, by the mean of each cell's corners. The box ends one point from the border,
/// two at the far end of y and the near end of z.
double surface_integral(const CfdField& field);

}  // namespace homenode::workloads::npb
