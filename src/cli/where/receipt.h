// The receipt of a repair as text and as JSON. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "actuation/repair.h"

namespace homenode::cli {

/// All that a repair did, and what a survey said before and after it.
struct RepairReport {
  pid_t pid = 0;
  std::string name;
  bool dry_run = false;
  std::string rule;  ///< Empty when only threads were bound.
  std::optional<actuation::RepairReceipt> pages;
  std::vector<actuation::ThreadRepair> threads;
  sensing::BytesOnNodes before;
  std::optional<sensing::BytesOnNodes> after;  ///< Nothing for a dry run or an ended process.
};

/// Nothing was refused, and nobody stopped it. Shared pages that were left alone are no refusal.
bool is_complete(const RepairReport& report);

std::string receipt_text(const RepairReport& report);
/// Schema homenode.where.repair/2.
nlohmann::ordered_json receipt_json(const RepairReport& report);

}  // namespace homenode::cli
