// What the times of benchmarks are called, in text and JSON: no figure is without its provenance.
#pragma once

#include <string>

namespace homenode::cli {

/// "host clock"; in the lab, whose emulated CPUs it does not know, "host clock, not the machine's".
std::string host_clock_words();

/// What a model of the lab made.
inline constexpr const char* modelled_words = "modelled";

}  // namespace homenode::cli
