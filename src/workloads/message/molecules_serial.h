// Molecular2D without messages: what the message-driven program must give, bit for bit.
#pragma once

#include <vector>

#include "workloads/message/patch.h"

namespace homenode::workloads::message {

/// The particles of each patch after all steps, in order.
std::vector<std::vector<Particle>> run_serially(const MoleculesShape& shape);

}  // namespace homenode::workloads::message
