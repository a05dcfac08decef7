// Molecular2D of Charm++'s examples as a message-driven program that checks itself.
#pragma once

#include <memory>

#include "workloads/message/molecules.h"
#include "workloads/program/description.h"

namespace homenode::workloads::message {

/// Its rate is in 1e6 pairs of particles a second. Checked: all particles are there, each where the
/// serial run has it, to the last bit, whatever the number of PEs; momentum, as long as no speed
/// was clipped; energy within 1 %, but as published. Figures: ms a step, drift of the energy,
/// speeds that were clipped, particles that went to another patch. pre: three columns and rows at
/// least.
std::unique_ptr<MessageProgram> make_molecular2d(const MoleculesShape& shape);

/// What `bench molecular2d` says of itself.
Description describe_molecular2d();

/// Of `bench molecular2d`.
inline constexpr unsigned least_patches = 3;
inline constexpr unsigned most_patches = 64;
inline constexpr unsigned most_particles = 10'000'000;
inline constexpr unsigned most_steps = 1'000'000;

}  // namespace homenode::workloads::message
