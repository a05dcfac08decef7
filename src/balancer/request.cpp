#include "balancer/request.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <optional>

#include "base/sizes.h"
#include "base/words.h"

namespace homenode::balancer {
namespace {

using RequestJson = nlohmann::json;

constexpr const char* known =
    "ask 'status', 'explain PID' or {\"request\": \"explain\", \"pid\": PID}";

Unexpected refused(const std::string& why) {
  return bad_usage(why, known);
}

Result<Request> request_of(std::string_view name, std::optional<pid_t> pid) {
  if (name == "status" && !pid) return Request{};
  if (name == "status") return refused("'status' is about all processes");
  if (name != "explain") return refused("there is no such request");
  if (!pid || *pid <= 0) return refused("'explain' needs the number of a process");
  return Request{Request::Kind::explain, *pid};
}

Result<Request> request_in_json(std::string_view line) {
  const RequestJson json = RequestJson::parse(line, nullptr, false);
  if (!json.is_object()) return refused("the request is no object in JSON");
  const auto name = json.find("request");
  if (name == json.end() || !name->is_string()) return refused("\"request\" is no text");
  const auto pid = json.find("pid");
  if (json.size() != (pid == json.end() ? 1U : 2U)) {
    return refused("the request has other members than \"request\" and \"pid\"");
  }
  if (pid == json.end()) return request_of(name->get_ref<const std::string&>(), std::nullopt);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<pid_t>::max());
  if (!pid->is_number_unsigned() || pid->get<std::uint64_t>() > most) {
    return refused("\"pid\" is no number of a process");
  }
  return request_of(name->get_ref<const std::string&>(), pid->get<pid_t>());
}

}  // namespace

Result<Request> request_in(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('{')) return request_in_json(line);
  const std::string_view name = take_word(line);
  const std::string_view number = trimmed(line);
  if (number.empty()) return request_of(name, std::nullopt);
  const auto pid = number_in<pid_t>(number);
  if (!pid) return refused("what follows the request is no number of a process");
  return request_of(name, pid);
}

std::string to_line(const Request& request) {
  if (request.kind == Request::Kind::status) return "status\n";
  return fmt::format("explain {}\n", request.pid);
}

void RequestReader::take(std::string_view bytes) {
  if (done_) {
    more_follows_ = more_follows_ || !bytes.empty();
    return;
  }
  const std::size_t end = bytes.find('\n');
  line_ += bytes.substr(0, std::min(end, longest_request));
  if (line_.size() >= longest_request) {
    line_.resize(longest_request);
    too_long_ = done_ = true;
    return;
  }
  if (end == std::string_view::npos) return;
  done_ = true;
  more_follows_ = end + 1 < bytes.size();
}

Result<Request> RequestReader::request() const {
  if (too_long_) {
    return refused(fmt::format("the request has more than {} bytes", longest_request));
  }
  if (more_follows_) return refused("one connection is for one request");
  if (trimmed(line_).empty()) return refused("the request is empty");
  return request_in(line_);
}

}  // namespace homenode::balancer
