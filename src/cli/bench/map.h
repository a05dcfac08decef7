// homenode bench map: its command line, and its report for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/options.h"
#include "trial/map/options.h"
#include "trial/map/run.h"

namespace homenode::cli {

/// Adds every option to the parser; they are read into `options`, which must outlive it.
void define_map_options(CLI::App& app, trial::MapOptions& options);

/// Schema "homenode.bench.map/2", on one line.
std::string map_json(const machine::Machine& machine, const trial::MapReport& report);

/// A table of the matrix in percent, the shares and the time.
std::string map_text(const trial::MapReport& report);

// Who used what: the matrices of a run or of one phase, their shares and the leakage;
// map_access.cpp.

/// {"provenance", "nodes": [...], "reads": [[...]], "writes": [[...]]}; rows are threads by rank.
nlohmann::ordered_json thread_matrix_json(const access::ThreadMatrix& matrix);

/// Adds the observed and the expected matrix, the penalty and the shares to the object: null where
/// there was no audit.
void add_access_json(nlohmann::ordered_json& json,
                     const std::optional<trial::AccessReport>& access);

/// The matrix in percent of all accesses.
std::string matrix_text(const access::NodeMatrix& matrix);

/// Local share, largest column, leakage, each on a line of its own.
std::string shares_text(const trial::AccessReport& access);

/// A leakage with four decimals; what is 0 but for rounding has no sign.
std::string leakage_text(const access::Penalty& penalty);

}  // namespace homenode::cli
