// FT, Fourier transform: a diffusion equation solved in the spectrum. Lines along z cross what was
// dealt out by planes: every thread reads from every other's part.
#pragma once

#include <memory>

#include "workloads/npb/class.h"
#include "workloads/program/program.h"

namespace homenode::workloads::npb {

std::unique_ptr<Program> make_ft(Class size);

}  // namespace homenode::workloads::npb
