#include "launch/charm.h"

#include <fmt/format.h>

#include <utility>

#include "placement/threads/expression.h"

namespace homenode::launch {
namespace {

/// Where the value of an argument goes; null for those without one and for unknown ones.
std::string* value_of(CharmRequest& request, const std::string& argument) {
  if (argument == "+pemap" || argument == "+coremap") return &request.pemap;
  if (argument == "+nodemap" || argument == "+memnodemap") return &request.nodemap;
  if (argument == "+mempol") return &request.mempol;
  return nullptr;
}

/// The policy of each PE; one without nodes is for all nodes.
Result<std::vector<placement::Policy>> thread_policies_of(const CharmRequest& charm) {
  using placement::Policy;
  using placement::PolicyKind;
  if (charm.mempol != "bind" && charm.mempol != "preferred" && charm.mempol != "interleave") {
    return bad_usage(fmt::format("cannot read +mempol '{}' beside +maffinity", charm.mempol),
                     "write +mempol bind, preferred or interleave");
  }
  const bool interleave = charm.mempol == "interleave";
  if (charm.nodemap.empty()) {
    if (interleave) return std::vector{Policy{PolicyKind::interleave, {}}};
    return bad_usage(fmt::format("+mempol {} needs the node of each PE", charm.mempol),
                     "add +nodemap, such as +nodemap 0,0,1,1");
  }
  const auto numbers = placement::parse_charm_numbers(charm.nodemap);
  if (!numbers) return numbers.as_unexpected();
  NodeSet nodes;
  std::vector<Policy> policies;
  const PolicyKind kind = charm.mempol == "bind" ? PolicyKind::bind : PolicyKind::preferred;
  for (unsigned number : *numbers) {
    nodes.insert(NodeId(number));
    policies.push_back({kind, {NodeId(number)}});
  }
  if (interleave) return std::vector{Policy{PolicyKind::interleave, nodes}};
  return policies;
}

}  // namespace

std::size_t charm_length(const std::string& argument) {
  CharmRequest request;
  if (argument == "+setcpuaffinity" || argument == "+maffinity") return 1;
  return value_of(request, argument) != nullptr ? 2 : 0;
}

Result<CharmRequest> take_charm_arguments(std::vector<std::string>& program) {
  CharmRequest request;
  std::size_t taken = 0;
  for (; taken < program.size() && program[taken].starts_with('+'); ++taken) {
    const std::string& argument = program[taken];
    if (argument == "+setcpuaffinity") {
      request.setcpuaffinity = true;
      continue;
    }
    if (argument == "+maffinity") {
      request.maffinity = true;
      continue;
    }
    std::string* const value = value_of(request, argument);
    if (value == nullptr) {
      return bad_usage(fmt::format("'{}' is none of Charm++'s options for placement", argument),
                       "there are +setcpuaffinity, +pemap, +coremap, +maffinity, +nodemap, "
                       "+memnodemap and +mempol; others go after the program");
    }
    if (taken + 1 == program.size()) {
      return bad_usage(fmt::format("{} needs a value", argument),
                       fmt::format("write it after {}", argument));
    }
    if (!value->empty()) {
      return bad_usage(fmt::format("'{}' is given twice, perhaps by its other name", argument),
                       "give it once");
    }
    *value = program[++taken];
  }
  if (taken == 0) return request;
  if (taken < program.size() && program[taken] == "--") ++taken;
  if (taken < program.size() && program[taken].starts_with('-')) {
    return bad_usage(fmt::format("the option '{}' comes after Charm++'s and '--'", program[taken]),
                     "write options before '--'");
  }
  program.erase(program.begin(), program.begin() + static_cast<std::ptrdiff_t>(taken));
  return request;
}

Result<CharmRequest> find_charm_arguments(const std::vector<std::string>& program) {
  std::vector<std::string> arguments;
  for (std::size_t i = 1; i < program.size(); ++i) {
    const std::size_t length = charm_length(program[i]);
    if (length == 0) continue;
    arguments.push_back(program[i]);
    if (length == 2 && i + 1 < program.size()) arguments.push_back(program[++i]);
  }
  auto request = take_charm_arguments(arguments);
  if (request && !request->pemap.empty()) request->setcpuaffinity = true;
  return request;
}

Result<ThreadRequest> from_charm(const CharmRequest& charm) {
  if (!charm.setcpuaffinity && (!charm.pemap.empty() || charm.maffinity)) {
    return bad_usage(fmt::format("{} only works with +setcpuaffinity",
                                 charm.maffinity ? "+maffinity" : "+pemap"),
                     "add +setcpuaffinity");
  }
  if (!charm.maffinity && (!charm.nodemap.empty() || !charm.mempol.empty())) {
    return bad_usage("+nodemap and +mempol only work with +maffinity", "add +maffinity");
  }
  if (charm.setcpuaffinity && charm.pemap.empty()) {
    return bad_usage("+setcpuaffinity needs the CPUs", "add +pemap, such as +pemap 0-7:2");
  }
  ThreadRequest request;
  request.threads = charm.pemap;
  request.count_forks = charm.setcpuaffinity;
  if (charm.maffinity) {
    auto policies = thread_policies_of(charm);
    if (!policies) return policies.as_unexpected();
    request.thread_policies = *std::move(policies);
  }
  return request;
}

}  // namespace homenode::launch
