// A program's runs for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "trial/program/peer.h"
#include "trial/program/run.h"

namespace homenode::cli {

struct PeerReport {
  std::string command;
  std::vector<trial::PeerRun> runs;
};

struct ProgramTitle {
  std::string text;             ///< "NPB CG, class S".
  std::string schema;           ///< "homenode.bench.npb/2".
  nlohmann::ordered_json what;  ///< What was run, in the caller's words.
};

/// Rates, who was where, and the peers beside it.
std::string program_text(const ProgramTitle& title, const trial::ProgramReport& report,
                         const std::vector<PeerReport>& peers);

/// The same on one line.
std::string program_json(const ProgramTitle& title, const trial::ProgramReport& report,
                         const std::vector<PeerReport>& peers);

/// The middle one, or the mean of the two in the middle; 0 of none.
double median(std::vector<double> values);

}  // namespace homenode::cli
