#include "cli/bench/clock.h"
#include "cli/bench/program_render.h"

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
    return {{"nodes", nullptr}, {"not_audited", array.error ? array.error->message() : ""}};
  }
  Json nodes = Json::object();
  for (const auto& [node, pages] : array.audit->pages_on_node) {
    nodes[std::to_string(node.value())] = pages;
  }
  Json reasons = Json::object();
  for (const auto& [reason, pages] : array.audit->reasons) {
    reasons[actuation::to_string(reason)] = pages;
  }
  return {{"nodes", nodes}, {"reasons", reasons}, {"astray", array.astray}};
}

Json runs_json(const trial::ProgramReport& report) {
  Json list = Json::array();
  for (const trial::ProgramRun& run : report.runs) {
    Json pages = Json::object();
    for (std::size_t i = 0; i < report.arrays.size(); ++i) {
      pages[report.arrays[i].need.name] = pages_json(run.arrays[i]);
    }
    list.push_back({{"seconds", run.outcome.seconds},
                    {"clock", host_clock_words()},
                    {"cpu_seconds", run.cpu_seconds},
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
      runs.push_back({{"wall_seconds", run.wall_seconds},
                      {"cpu_seconds", run.cpu_seconds},
                      {"rate", run.rate ? Json(*run.rate) : Json(nullptr)},
                      {"verified", run.verified ? Json(*run.verified) : Json(nullptr)}});
    }
    list.push_back({{"command", peer.command}, {"runs", std::move(runs)}});
  }
  return list;
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

}  // namespace homenode::cli
