#include "cli/where/receipt.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/id_list.h"
#include "base/json_numbers.h"
#include "base/text_table.h"
#include "base/words.h"

namespace homenode::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string pages_text(const RepairReport& report, const actuation::RepairReceipt& pages) {
  TextTable table({"MiB", "", "what"}, 1);
  const auto line = [&](const char* name, std::uint64_t bytes, const char* what) {
    table.add({name, mebibytes(bytes), what});
  };
  line("looked at", pages.looked_at_bytes, "pages that are present");
  line("planned", pages.planned_bytes, "of these, on another node than the rule's");
  if (!report.dry_run) {
    line("moved", pages.moved_bytes, "found on their node afterwards, page by page");
    line("kept", pages.kept_shared_bytes,
         "shared with other processes; --shared moves them too (needs CAP_SYS_NICE)");
    line("vanished", pages.vanished_bytes, "freed by the program meanwhile");
    line("refused", pages.refused_bytes, "by the kernel, for the reasons below");
    line("not tried", pages.not_tried_bytes, "because the repair ended first");
  }
  std::string text = table.text();
  for (const actuation::RefusedMove& refused : pages.refusals) {
    text += fmt::format("  {} MiB: {}\n", mebibytes(refused.bytes), refused.error.message());
  }
  if (report.dry_run && !pages.plan.empty()) {
    TextTable plan({"from", "to", "MiB"});
    for (const auto& [pair, bytes] : pages.plan) {
      plan.add({fmt::format("node {}", pair.first.value()),
                fmt::format("node {}", pair.second.value()), mebibytes(bytes)});
    }
    text += fmt::format("\n{}", plan.text());
  }
  for (const std::string& note : pages.notes) text += fmt::format("Note: {}\n", note);
  if (pages.ended) text += "The process ended meanwhile.\n";
  if (pages.stopped) text += "Stopped on request; moved pages stay moved.\n";
  return text;
}

std::string balance_text(const RepairReport& report) {
  sensing::BytesOnNodes all = report.before;
  if (report.after) all.insert(report.after->begin(), report.after->end());
  std::vector<std::string> head{"MiB"};
  std::vector<std::string> before{"before"};
  std::vector<std::string> after{"after"};
  for (const auto& [node, ignored] : all) {
    head.push_back(fmt::format("node {}", node.value()));
    const auto value = [node = node](const sensing::BytesOnNodes& bytes) {
      return mebibytes(bytes.contains(node) ? bytes.at(node) : 0);
    };
    before.push_back(value(report.before));
    if (report.after) after.push_back(value(*report.after));
  }
  TextTable table(head);
  table.add(before);
  if (report.after) table.add(after);
  return table.text();
}

std::string threads_text(const RepairReport& report) {
  TextTable table({"thread", "CPUs", "bound", "name"}, 3);
  std::string refusals;
  for (const actuation::ThreadRepair& thread : report.threads) {
    const char* outcome = thread.bound ? "yes" : "no";
    if (thread.ended) outcome = "ended";
    if (report.dry_run) outcome = "planned";
    table.add(
        {fmt::format("{}", thread.id), to_list(thread.wanted), outcome, printable(thread.name)});
    if (thread.refusal) refusals += fmt::format("  {}\n", thread.refusal->message());
  }
  return table.text() + refusals;
}

Json error_json(const Error& error) {
  return {{"tried", error.tried}, {"errno", error.errno_value}, {"next", error.next}};
}

Json pages_json(const actuation::RepairReceipt& pages) {
  Json plan = Json::array();
  for (const auto& [pair, bytes] : pages.plan) {
    plan.push_back({{"from", pair.first.value()}, {"to", pair.second.value()}, {"bytes", bytes}});
  }
  Json refusals = Json::array();
  for (const actuation::RefusedMove& refused : pages.refusals) {
    Json json = error_json(refused.error);
    json["bytes"] = refused.bytes;
    refusals.push_back(std::move(json));
  }
  return {{"looked_at_bytes", pages.looked_at_bytes},
          {"planned_bytes", pages.planned_bytes},
          {"moved_bytes", pages.moved_bytes},
          {"kept_shared_bytes", pages.kept_shared_bytes},
          {"vanished_bytes", pages.vanished_bytes},
          {"refused_bytes", pages.refused_bytes},
          {"not_tried_bytes", pages.not_tried_bytes},
          {"plan", plan},
          {"refusals", refusals},
          {"notes", pages.notes},
          {"stopped", pages.stopped},
          {"ended", pages.ended},
          {"seconds", pages.seconds}};
}

Json threads_json(const std::vector<actuation::ThreadRepair>& threads) {
  Json list = Json::array();
  for (const actuation::ThreadRepair& thread : threads) {
    list.push_back({{"id", thread.id},
                    {"name", thread.name},
                    {"cpus", numbers(thread.wanted)},
                    {"bound", thread.bound},
                    {"ended", thread.ended},
                    {"refusal", thread.refusal ? error_json(*thread.refusal) : Json(nullptr)}});
  }
  return list;
}

}  // namespace

bool is_complete(const RepairReport& report) {
  const bool pages_done = !report.pages || (report.pages->refused_bytes == 0 &&
                                            !report.pages->stopped && !report.pages->ended);
  return pages_done && std::none_of(report.threads.begin(), report.threads.end(),
                                    [](const actuation::ThreadRepair& thread) {
                                      return thread.refusal.has_value();
                                    });
}

std::string receipt_text(const RepairReport& report) {
  std::string text = fmt::format(
      "{} of process {} ({}){}\n", report.dry_run ? "plan for a repair" : "repair", report.pid,
      printable(report.name), report.rule.empty() ? "" : fmt::format(": {}", report.rule));
  if (report.pages) {
    text += fmt::format("\n{}\n{}", pages_text(report, *report.pages), balance_text(report));
  }
  if (!report.threads.empty()) text += fmt::format("\n{}", threads_text(report));
  return text;
}

nlohmann::ordered_json receipt_json(const RepairReport& report) {
  return {{"schema", "homenode.where.repair/2"},
          {"pid", report.pid},
          {"name", report.name},
          {"dry_run", report.dry_run},
          {"rule", report.rule.empty() ? Json(nullptr) : Json(report.rule)},
          {"complete", is_complete(report)},
          {"pages", report.pages ? pages_json(*report.pages) : Json(nullptr)},
          {"threads", threads_json(report.threads)},
          {"before_bytes", by_node(report.before)},
          {"after_bytes", report.after ? by_node(*report.after) : Json(nullptr)}};
}

}  // namespace homenode::cli
