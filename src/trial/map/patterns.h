// homenode bench map: the patterns by name, and the array that they are walked on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trial/map/options.h"
#include "workloads/map/pattern.h"

namespace homenode::trial {

/// The names of all patterns in the order of the help, without multi-patterns.
std::vector<std::string> pattern_names();

/// "2d-rows,2d-columns". Errors: bad_usage.
Result<std::vector<workloads::map::Pattern>> parse_phases(std::string_view text);
std::string to_string(const std::vector<workloads::map::Pattern>& phases);

/// "262144", "512x512", "64x64x64": elements along each axis, slowest first. Errors: bad_usage for
/// what is none of these, for an axis of 0 and for more bytes than 64 bits count.
Result<workloads::map::Shape> parse_shape(std::string_view text);
std::string to_string(const workloads::map::Shape& shape);

/// The pattern alone, or the phases of multi-patterns. Never empty.
std::vector<workloads::map::Pattern> phases_of(const MapOptions& options);

/// What was asked for, or the even shape that --size fills. pre: check_shape() found no error.
workloads::map::Shape shape_of(const MapOptions& options);

/// What was asked for; else 25 % in one dimension, where only partial uses it, and none elsewhere.
unsigned overlap_of(const MapOptions& options);

/// Whether the shape suits every phase and gives each thread a part. Errors: bad_usage.
Result<void> check_shape(const MapOptions& options);

}  // namespace homenode::trial
