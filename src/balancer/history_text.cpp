// What a balancer answers, as text for people.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "balancer/history.h"
#include "base/words.h"

namespace homenode::balancer {
namespace {

using AnswerJson = nlohmann::json;

std::string ago(double seconds) {
  constexpr double minute = 60;
  constexpr double hour = 3600;
  if (seconds < 2 * minute) return fmt::format("{:.0f} s", std::max(seconds, 0.0));
  if (seconds < 2 * hour) return fmt::format("{:.0f} min", seconds / minute);
  return fmt::format("{:.0f} h", seconds / hour);
}

std::string percent(const AnswerJson& share) {
  if (!share.is_number()) return "-";
  return fmt::format("{:.0f} %", share.get<double>() * 100);
}

std::string changed_text(const AnswerJson& changed) {
  const auto threads = changed.at("threads").get<std::uint64_t>();
  const auto pages = changed.at("pages").get<std::uint64_t>();
  const bool kernel = changed.at("kernel_balancing").get<bool>();
  if (threads == 0 && pages == 0 && !kernel) return "has changed nothing that is left";
  return fmt::format("has bound {} threads and moved {} pages{}", threads, pages,
                     kernel ? ", and switched the kernel's balancing off" : "");
}

std::string status_of(const AnswerJson& status) {
  const double now = status.at("time_s").get<double>();
  std::string text = fmt::format(
      "balancer {}: runs for {}, looks every {:g} s, {}\n", status.at("pid").get<int>(),
      ago(now - status.at("started_s").get<double>()), status.at("interval_s").get<double>(),
      status.at("dry_run").get<bool>() ? "only shows what it would do"
                                       : changed_text(status.at("changed")));
  if (status.at("processes").empty()) return text + "it has looked at no process yet\n";
  text += fmt::format("{:>8} {:>6} {:>6} {:<16} {}\n", "pid", "cpus", "local", "name", "decision");
  for (const AnswerJson& process : status.at("processes")) {
    text += fmt::format("{:>8} {:>6.1f} {:>6} {:<16} {}: {}\n", process.at("pid").get<int>(),
                        process.at("cpus").get<double>(), percent(process.at("local_share")),
                        printable(process.at("name").get<std::string>()),
                        process.at("action").get<std::string>(),
                        process.at("reason").get<std::string>());
  }
  return text;
}

std::string done_of(const AnswerJson& record) {
  if (!record.at("applied").get<bool>()) return {};
  return fmt::format("; bound {} threads, moved {} pages, put back {} threads and {} pages",
                     record.at("threads_bound").get<std::uint64_t>(),
                     record.at("pages_moved").get<std::uint64_t>(),
                     record.at("threads_put_back").get<std::uint64_t>(),
                     record.at("pages_put_back").get<std::uint64_t>());
}

std::string evidence_of(const AnswerJson& record) {
  const auto source = record.at("source").get<std::string>();
  if (source.empty()) return {};
  const AnswerJson& decision = record.at("decision");
  std::string text =
      fmt::format("    {:.0f} samples of {}: {} of the uses are local",
                  record.at("samples").get<double>(), source, percent(decision.at("local_share")));
  if (decision.at("predicted_benefit_s").get<double>() > 0) {
    text += fmt::format(", {} predicted; benefit {:.3g} s, cost {:.3g} s",
                        percent(decision.at("predicted_local_share")),
                        decision.at("predicted_benefit_s").get<double>(),
                        decision.at("predicted_cost_s").get<double>());
  }
  return text + '\n';
}

std::string explanation_of(const AnswerJson& explanation) {
  const double now = explanation.at("time_s").get<double>();
  std::string text = fmt::format("{} ({})\n", explanation.at("pid").get<int>(),
                                 printable(explanation.at("name").get<std::string>()));
  for (const AnswerJson& entry : explanation.at("decisions")) {
    const AnswerJson& record = entry.at("latest");
    const AnswerJson& decision = record.at("decision");
    const auto times = entry.at("times").get<std::uint64_t>();
    text += fmt::format("  {} ago{}: {}: {}{}\n", ago(now - record.at("time_s").get<double>()),
                        times > 1 ? fmt::format(" (the last of {} times in {})", times,
                                                ago(now - entry.at("first_s").get<double>()))
                                  : "",
                        decision.at("action").get<std::string>(),
                        decision.at("reason").get<std::string>(), done_of(record));
    text += evidence_of(record);
    for (const AnswerJson& error : record.at("errors")) {
      text += fmt::format("    {}\n", error.get<std::string>());
    }
  }
  return text;
}

Result<std::string> text_of(std::string_view document, std::string (*text)(const AnswerJson&)) {
  try {
    return text(AnswerJson::parse(document));
  } catch (const AnswerJson::exception&) {
    return failed("the balancer's answer has another form", "use the homenode that it is of");
  }
}

}  // namespace

Result<std::string> status_text(std::string_view status) {
  return text_of(status, status_of);
}

Result<std::string> explain_text(std::string_view explanation) {
  return text_of(explanation, explanation_of);
}

}  // namespace homenode::balancer
