#include "cli/bench/program_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/bench/workload.h"

namespace homenode::cli {
namespace {

using Json = nlohmann::ordered_json;

Json checks_json(const std::vector<workloads::Check>& checks) {
  Json list = Json::array();
  for (const workloads::Check& check : checks) {
    list.push_back({{"name", check.name},
                    {"value", check.value},
                    {"expected", check.expected},
                    {"tolerance", check.tolerance},
                    {"passed", check.passed()}});
  }
  return list;
}

Json figures_json(const std::vector<workloads::Figure>& figures) {
  Json list = Json::array();
  for (const workloads::Figure& figure : figures) {
    list.push_back({{"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}});
  }
  return list;
}

Json pages_json(const trial::ArrayAudit& array) {
  if (!array.audit) {
    return {{"pages_on_node", nullptr},
            {"pages_on_no_node", nullptr},
            {"astray_pages", nullptr},
            {"not_audited", array.error ? array.error->message() : "not audited"}};
  }
  Json nodes = Json::object();
  for (const auto& [node, pages] : array.audit->pages_on_node) {
    nodes[std::to_string(node.value())] = pages;
  }
  Json reasons = Json::object();
  for (const auto& [reason, pages] : array.audit->reasons) {
    reasons[actuation::to_string(reason)] = pages;
  }
  return {{"pages_on_node", std::move(nodes)},
          {"pages_on_no_node", std::move(reasons)},
          {"astray_pages", array.astray},
          {"not_audited", nullptr}};
}

std::string clock_words(const trial::ProgramRun& run) {
  return run.modelled ? modelled_words : host_clock_words();
}

Json runs_json(const trial::ProgramReport& report) {
  Json list = Json::array();
  for (const trial::ProgramRun& run : report.runs) {
    Json pages = Json::object();
    for (std::size_t i = 0; i < report.arrays.size(); ++i) {
      pages[report.arrays[i].need.name] = pages_json(run.arrays[i]);
    }
    list.push_back({{"seconds", run.outcome.seconds},
                    {"clock", clock_words(run)},
                    {"cpu_s", run.modelled ? Json(nullptr) : Json(run.cpu_seconds)},
                    {"operations", run.outcome.operations},
                    {"rate", run.outcome.rate()},
                    {"unit", run.outcome.unit},
                    {"verified", run.outcome.verified()},
                    {"checks", checks_json(run.outcome.checks)},
                    {"figures", figures_json(run.outcome.figures)},
                    {"pages", std::move(pages)}});
  }
  return list;
}

Json arrays_json(const trial::ProgramReport& report) {
  Json list = Json::array();
  for (const trial::PlacedArray& array : report.arrays) {
    Json entry{{"name", array.need.name},
               {"bytes", array.need.bytes},
               {"sharing", array.need.sharing == workloads::Sharing::parts ? "parts" : "all"},
               {"receipt", nullptr}};
    if (array.receipt) {
      entry["receipt"] = {{"pages", array.receipt->pages},
                          {"as_planned", array.receipt->as_planned},
                          {"moved", array.receipt->moved},
                          {"refused", array.receipt->refused}};
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json peers_json(const std::vector<PeerReport>& peers) {
  Json list = Json::array();
  for (const PeerReport& peer : peers) {
    Json runs = Json::array();
    for (const trial::PeerRun& run : peer.runs) {
      runs.push_back({{"wall_s", run.wall_seconds},
                      {"cpu_s", run.cpu_seconds},
                      {"rate", run.rate ? Json(*run.rate) : Json(nullptr)},
                      {"verified", run.verified ? Json(*run.verified) : Json(nullptr)}});
    }
    list.push_back(
        {{"command", peer.command}, {"clock", host_clock_words()}, {"runs", std::move(runs)}});
  }
  return list;
}

/// The kernel counts processor time by the host's clock, whatever clock the run's time is of.
std::string cpu_text(const trial::ProgramRun& run) {
  return run.modelled ? "" : fmt::format("   {:>10.3f} CPU s", run.cpu_seconds);
}

std::string run_text(const trial::ProgramRun& run, std::size_t number) {
  const workloads::ProgramOutcome& outcome = run.outcome;
  const auto passed = std::ranges::count_if(outcome.checks, &workloads::Check::passed);
  return fmt::format("run {:<3} {:>12.4f} s {:>12.2f} {}{}   {} ({} of {} checks)\n", number,
                     outcome.seconds, outcome.rate(), outcome.unit, cpu_text(run),
                     outcome.verified() ? "verified" : "NOT VERIFIED", passed,
                     outcome.checks.size());
}

/// What the runs say of themselves, by the median of each figure.
std::string figures_text(const trial::ProgramReport& report) {
  std::string text;
  const std::vector<workloads::Figure>& last = report.runs.back().outcome.figures;
  for (std::size_t i = 0; i < last.size(); ++i) {
    std::vector<double> values;
    for (const trial::ProgramRun& run : report.runs) {
      if (i < run.outcome.figures.size()) values.push_back(run.outcome.figures[i].value);
    }
    text += fmt::format("{:<32} {:>12.6g} {}\n", last[i].name, median(values), last[i].unit);
  }
  return text;
}

std::string pages_text(const trial::ArrayAudit& array) {
  if (!array.audit) return array.error ? array.error->message() : std::string("not audited");
  std::string text;
  for (const auto& [node, pages] : array.audit->pages_on_node) {
    text += fmt::format("{}node {}: {}", text.empty() ? "" : ", ", node.value(), pages);
  }
  for (const auto& [reason, pages] : array.audit->reasons) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", actuation::to_string(reason), pages);
  }
  if (array.astray > 0) text += fmt::format(" ({} not where they were placed)", array.astray);
  return text;
}

std::string arrays_text(const trial::ProgramReport& report) {
  std::string text = fmt::format("\n{:<16} {:>12}  pages after the last run\n", "array", "MiB");
  for (std::size_t i = 0; i < report.arrays.size(); ++i) {
    const trial::PlacedArray& array = report.arrays[i];
    text += fmt::format("{:<16} {:>12.2f}  {}\n", array.need.name,
                        static_cast<double>(array.need.bytes) / (1U << 20U),
                        pages_text(report.runs.back().arrays[i]));
    if (array.receipt && array.receipt->refused > 0) {
      text += fmt::format("  not placed: {} pages", array.receipt->refused);
      for (const Error& refusal : array.receipt->refusals) text += "; " + refusal.message();
      text += '\n';
    }
  }
  return text;
}

std::string threads_text(const trial::ProgramReport& report) {
  if (report.threads.empty()) return {};
  std::string text = "threads on CPU   ";
  for (const trial::ThreadPlace& thread : report.threads) {
    text += fmt::format(" {}", thread.cpu.value());
  }
  return text + '\n';
}

std::string peers_text(const trial::ProgramReport& report, const std::vector<PeerReport>& peers) {
  std::vector<double> own;
  for (const trial::ProgramRun& run : report.runs) own.push_back(run.outcome.rate());
  std::string text;
  for (const PeerReport& peer : peers) {
    if (peer.runs.empty()) continue;
    std::vector<double> rates;
    std::vector<double> walls;
    for (const trial::PeerRun& run : peer.runs) {
      walls.push_back(run.wall_seconds);
      if (run.rate) rates.push_back(*run.rate);
    }
    text += fmt::format("\npeer {}\n", peer.command);
    if (rates.empty()) {
      text += fmt::format("  median {:.4f} s for the whole command; it prints no rate\n",
                          median(walls));
      continue;
    }
    text +=
        fmt::format("  median {:.2f} {} here, {:.2f} there: {:.3f} times as fast\n", median(own),
                    report.runs.front().outcome.unit, median(rates), median(own) / median(rates));
    const auto unsure = std::ranges::count_if(
        peer.runs, [](const trial::PeerRun& run) { return !run.verified.value_or(false); });
    if (unsure > 0)
      text += fmt::format(
          "  {} of its runs do not report that they were "
          "verified\n",
          unsure);
  }
  return text;
}

}  // namespace

std::string program_json(const ProgramTitle& title, const trial::ProgramReport& report,
                         const std::vector<PeerReport>& peers) {
  Json threads = Json::array();
  for (const trial::ThreadPlace& thread : report.threads) {
    threads.push_back({{"cpu", thread.cpu.value()}, {"node", thread.node.value()}});
  }
  const Json json{{"schema", title.schema},          {"what", title.what},
                  {"threads", report.setup.threads}, {"strategy", report.setup.strategy},
                  {"arrays", arrays_json(report)},   {"thread_places", std::move(threads)},
                  {"runs", runs_json(report)},       {"peers", peers_json(peers)}};
  return json.dump() + '\n';
}

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string program_text(const ProgramTitle& title, const trial::ProgramReport& report,
                         const std::vector<PeerReport>& peers) {
  std::string text = fmt::format("{}: {} threads, strategy {}\n", title.text, report.setup.threads,
                                 report.setup.strategy);
  for (std::size_t i = 0; i < report.runs.size(); ++i) text += run_text(report.runs[i], i + 1);
  text += fmt::format("Times: {}\n", clock_words(report.runs.back()));
  return text + figures_text(report) + arrays_text(report) + threads_text(report) +
         peers_text(report, peers);
}

}  // namespace homenode::cli
