#include "balancer/journal.h"

#include <nlohmann/json.hpp>

#include <limits>

#include "base/json_numbers.h"

namespace homenode::balancer {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "homenode.balance.state/1";

Json json_of(const TaskKey& key) {
  return {{"id", key.id}, {"started", key.started}};
}

/// What is no number of the type's range, or not there, is thrown as by the parser.
template <class Number>
Number number_of(const Json& json, const char* name) {
  const auto value = json.at(name).get<std::uint64_t>();
  if (!json.at(name).is_number_unsigned() || value > std::numeric_limits<Number>::max()) {
    throw std::out_of_range(std::string(name) + " is out of range");
  }
  return static_cast<Number>(value);
}

TaskKey key_of(const Json& json) {
  return {number_of<pid_t>(json, "id"), number_of<std::uint64_t>(json, "started")};
}

CpuSet cpus_of(const Json& json) {
  constexpr unsigned most = 1U << 16U;
  CpuSet cpus;
  for (const auto& cpu : json) {
    const auto number = cpu.get<std::uint64_t>();
    if (number >= most) throw std::out_of_range("a CPU is out of range");
    cpus.insert(CpuId(static_cast<unsigned>(number)));
  }
  return cpus;
}

ThreadChange thread_of(const Json& json) {
  ThreadChange change{
      key_of(json.at("process")), key_of(json.at("thread")), cpus_of(json.at("before")), {}};
  for (const auto& cpus : json.at("after")) change.after.push_back(cpus_of(cpus));
  return change;
}

/// A balancer of before there were strides may have left the file: then it is 1.
PageChange pages_of(const Json& json) {
  return {key_of(json.at("process")),
          number_of<std::uint64_t>(json, "first"),
          Bytes{number_of<std::uint64_t>(json, "page_bytes")},
          number_of<std::uint64_t>(json, "pages"),
          NodeId(number_of<std::uint16_t>(json, "from")),
          NodeId(number_of<std::uint16_t>(json, "to")),
          json.contains("stride") ? number_of<std::uint64_t>(json, "stride") : 1};
}

Journal read(const Json& json) {
  if (json.at("schema").get<std::string>() != schema) {
    throw std::invalid_argument("the schema is not homenode.balance.state/1");
  }
  Journal journal;
  journal.boot = json.at("boot").get<std::string>();
  journal.owner = key_of(json.at("owner"));
  for (const auto& thread : json.at("threads")) journal.threads.push_back(thread_of(thread));
  for (const auto& pages : json.at("pages")) journal.pages.push_back(pages_of(pages));
  if (const Json& was = json.at("kernel_balancing"); !was.is_null()) {
    journal.kernel_balancing = was.get<std::string>();
  }
  return journal;
}

}  // namespace

std::string to_json(const Journal& journal) {
  Json threads = Json::array();
  for (const ThreadChange& change : journal.threads) {
    Json after = Json::array();
    for (const CpuSet& cpus : change.after) after.push_back(numbers(cpus));
    threads.push_back({{"process", json_of(change.process)},
                       {"thread", json_of(change.thread)},
                       {"before", numbers(change.before)},
                       {"after", std::move(after)}});
  }
  Json pages = Json::array();
  for (const PageChange& change : journal.pages) {
    pages.push_back({{"process", json_of(change.process)},
                     {"first", change.first},
                     {"pages", change.pages},
                     {"page_bytes", change.page_size.value},
                     {"from", change.from.value()},
                     {"to", change.to.value()},
                     {"stride", change.stride}});
  }
  const Json all{{"schema", schema},
                 {"boot", journal.boot},
                 {"owner", json_of(journal.owner)},
                 {"kernel_balancing",
                  journal.kernel_balancing ? Json(*journal.kernel_balancing) : Json(nullptr)},
                 {"threads", std::move(threads)},
                 {"pages", std::move(pages)}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Journal> journal_in(std::string_view text) {
  try {
    return read(Json::parse(text));
  } catch (const std::exception& error) {
    return failed(std::string("this is no state of the balancer: ") + error.what(),
                  "look at what it should put back, then remove the file");
  }
}

}  // namespace homenode::balancer
