#include "sensing/sources/sample_documents.h"

#include <nlohmann/json.hpp>

namespace homenode::sensing {
namespace {

using Json = nlohmann::ordered_json;

/// One line; bytes that are no UTF-8, as names of files may have, are replaced.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string begin_document(const SampleBegin& begin, const SourceFacts& source,
                           const Refusals& refused) {
  Json why = Json::object();
  for (const auto& [name, reason] : refused) why[name] = reason;
  return text_of({{"kind", "begin"},
                  {"schema", "homenode.samples/1"},
                  {"pid", begin.pid},
                  {"command", begin.command},
                  {"time_ns", begin.time_ns},
                  {"realtime_ns", begin.realtime_ns},
                  {"hostname", begin.hostname},
                  {"source",
                   {{"name", source.name},
                    {"sees", source.sees},
                    {"cannot_see", source.cannot_see},
                    {"cost", source.cost},
                    {"needs", source.needs}}},
                  {"refused", why},
                  {"machine", begin.machine.empty() ? Json(nullptr) : Json::parse(begin.machine)},
                  {"page_bytes", begin.page_bytes}});
}

std::string mappings_document(pid_t pid, std::uint64_t time_ns,
                              const std::vector<SampledMapping>& mappings) {
  Json list = Json::array();
  for (const SampledMapping& mapping : mappings) {
    list.push_back({{"begin", mapping.begin},
                    {"end", mapping.end},
                    {"permissions", mapping.permissions},
                    {"offset", mapping.offset},
                    {"path", mapping.path}});
  }
  return text_of({{"kind", "mappings"}, {"time_ns", time_ns}, {"pid", pid}, {"mappings", list}});
}

std::string threads_document(pid_t pid, std::uint64_t time_ns,
                             const std::map<pid_t, std::string>& threads) {
  Json list = Json::array();
  for (const auto& [tid, name] : threads) list.push_back({{"tid", tid}, {"name", name}});
  return text_of({{"kind", "threads"}, {"time_ns", time_ns}, {"pid", pid}, {"threads", list}});
}

std::string round_document(const SampleRound& round) {
  return text_of({{"kind", "round"},
                  {"round", round.number},
                  {"pid", round.pid},
                  {"armed_ns", round.armed_ns},
                  {"ended_ns", round.ended_ns},
                  {"ranges", nullptr},
                  {"pages", round.pages}});
}

void add_page(std::vector<PageRun>& runs, const PageRun& page) {
  const bool goes_on = !runs.empty() && runs.back().end == page.begin &&
                       runs.back().node == page.node && runs.back().thread == page.thread;
  if (goes_on) {
    runs.back().end = page.end;
  } else {
    runs.push_back(page);
  }
}

std::string pages_document(pid_t pid, std::uint64_t time_ns, const std::vector<PageRun>& runs) {
  Json list = Json::array();
  for (const PageRun& run : runs) list.push_back({run.begin, run.end, run.node, run.thread});
  return text_of({{"kind", "pages"}, {"time_ns", time_ns}, {"pid", pid}, {"pages", list}});
}

std::string matrix_document(const SampleMatrix& matrix) {
  return text_of({{"kind", "matrix"},
                  {"time_ns", matrix.time_ns},
                  {"pid", matrix.pid},
                  {"nodes", matrix.nodes},
                  {"threads", matrix.threads},
                  {"cells", matrix.cells},
                  {"what", matrix.what}});
}

std::string end_document(std::uint64_t time_ns, std::uint64_t samples, const Budget& budget,
                         std::optional<int> exit_code, const std::string& why) {
  return text_of({{"kind", "end"},
                  {"time_ns", time_ns},
                  {"samples", samples},
                  {"lost", budget.lost()},
                  {"overhead",
                   {{"cpu_ns", budget.sampler_ns()},
                    {"faults_ns", budget.faults_ns()},
                    {"program_cpu_ns", budget.program_ns()},
                    {"share", budget.share()}}},
                  {"exit_code", exit_code ? Json(*exit_code) : Json(nullptr)},
                  {"why", why}});
}

}  // namespace homenode::sensing
