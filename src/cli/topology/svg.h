// A machine as a picture.
#pragma once

#include <string>

#include "machine/machine.h"

namespace homenode::cli {

/// A self-contained SVG: packages, nodes with their memory and CPUs, and the distances as a tinted
/// matrix. It scales to any width, follows the reader's light or dark mode, and keeps its style to
/// itself when put into a page.
std::string topology_svg(const machine::Machine& machine);

}  // namespace homenode::cli
