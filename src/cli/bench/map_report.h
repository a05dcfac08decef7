// homenode bench map: the report for people and for programs.
#pragma once

#include <string>

#include "trial/map/run.h"

namespace homenode::cli {

/// Schema "homenode.bench.map/1", on one line.
std::string map_json(const machine::Machine& machine, const trial::MapReport& report);

/// A table of the matrix in percent, the shares and the time.
std::string map_text(const trial::MapReport& report);

}  // namespace homenode::cli
