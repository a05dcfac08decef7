#include "trial/message/run.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <utility>

#include "actuation/process.h"
#include "placement/strategies/nodes.h"
#include "placement/threads/expression.h"
#include "trial/own_place.h"
#include "trial/program/arrays.h"

namespace homenode::trial {
namespace {

namespace message = workloads::message;
using message::MessageProgram;

bool by_pe(MessageRule rule) {
  return rule == MessageRule::sender || rule == MessageRule::receiver;
}

/// The node of each page of the messages by the rule of the sender or the receiver.
placement::PageMap message_pages(const std::vector<message::Channel>& channels,
                                 const MessageSetup& setup, std::size_t page_bytes) {
  placement::PageMap pages;
  for (const message::Channel& channel : channels) {
    const unsigned pe = setup.rule == MessageRule::receiver ? channel.to : channel.from;
    pages.insert(pages.end(), channel.bytes / page_bytes, setup.homes[pe]);
  }
  return pages;
}

/// What the strategy says of all but the messages, and of these what the rule says.
Result<placement::Placement> place_messages(const machine::Machine& machine,
                                            const MessageProgram& program,
                                            const MessageSetup& setup, std::size_t page_bytes) {
  auto placement = place_program(machine, program, setup.program, page_bytes);
  if (!placement || setup.rule == MessageRule::strategy) return placement;
  std::erase_if(placement->regions, [](const placement::RegionPlacement& region) {
    return region.region == message::messages_array;
  });
  if (by_pe(setup.rule)) {
    placement->regions.push_back(
        {message::messages_array, message_pages(program.channels(), setup, page_bytes)});
  }
  return placement;
}

/// What the PEs do in their threads beside the program.
class Threads {
 public:
  Threads(os::Os& os, const MessageSetup& setup, const std::optional<placement::Policy>& policy)
      : os_(os), setup_(setup), policy_(policy), places_(setup.program.threads) {}

  [[nodiscard]] message::PeTeam team(bool share_cpus) {
    message::PeTeam team;
    team.prepare = [this](unsigned pe) { return bind(pe); };
    team.finish = [this](unsigned pe) { look(pe); };
    if (share_cpus) team.looks = 0;
    return team;
  }
  [[nodiscard]] const std::optional<Error>& refusal() const { return refusal_; }
  /// Empty where the kernel does not say.
  [[nodiscard]] std::vector<ThreadPlace> places() const {
    return known_ ? places_ : std::vector<ThreadPlace>();
  }

 private:
  bool bind(unsigned pe) {
    Result<void> done;
    if (!setup_.cpus.empty()) done = actuation::bind_thread(os_, 0, setup_.cpus[pe]);
    if (done && policy_) done = actuation::set_process_policy(os_, *policy_);
    if (done) return true;
    const std::lock_guard guard(lock_);
    refusal_ = done.error();
    return false;
  }
  void look(unsigned pe) {
    if (os_.getcpu(places_[pe].cpu, places_[pe].node) == 0) return;
    const std::lock_guard guard(lock_);
    known_ = false;
  }

  os::Os& os_;
  const MessageSetup& setup_;
  const std::optional<placement::Policy>& policy_;
  std::vector<ThreadPlace> places_;
  std::mutex lock_;
  std::optional<Error> refusal_;
  bool known_ = true;
};

/// How many of `pages` message pages are where the rule wants them.
void count_pages(MessageRule rule, std::size_t pages, ProgramRun& run) {
  const ArrayAudit& messages = run.arrays.back();
  if (!messages.audit) return;  // The report says why.
  std::size_t present = 0;
  for (const auto& [node, count] : messages.audit->pages_on_node) present += count;
  run.outcome.figures.push_back({fmt::format("message pages with the {}",
                                             rule == MessageRule::sender ? "sender" : "receiver"),
                                 static_cast<double>(present - messages.astray),
                                 fmt::format("of {}", pages)});
}

/// One CPU may not be enough for all that look at their inboxes without a rest.
bool share_cpus(const machine::Machine& machine, const MessageSetup& setup) {
  if (setup.cpus.empty()) return machine.cpus().size() < setup.program.threads;
  CpuSet all;
  for (const CpuSet& cpus : setup.cpus) all = all | cpus;
  return all.size() < setup.cpus.size();
}

}  // namespace

Result<MessageSetup> plan_messages(const machine::Machine& machine, const ProgramSetup& program,
                                   MessageRule rule, const std::string& bind) {
  const bool strategy = program.strategy != "none";
  if (rule == MessageRule::strategy && !strategy) {
    return bad_usage("--messages strategy only works with --strategy",
                     "name a strategy with --strategy");
  }
  if (strategy && !bind.empty()) {
    return bad_usage("--strategy and --bind both say where PEs run", "give one of the two");
  }
  const placement::Program view{.threads = program.threads};
  if (auto good = placement::check_program(machine, view); !good) return good.as_unexpected();
  if (bind == bind_none) {
    if (!by_pe(rule))
      return MessageSetup{.program = program, .rule = rule, .cpus = {}, .homes = {}};
    return bad_usage(
        "with --bind none nobody knows on which node a message's sender or receiver is",
        "give --messages malloc or first-touch, or bind the PEs");
  }
  // All strategies bind threads in this order.
  placement::ThreadMap map = placement::compact(machine, program.threads);
  if (!bind.empty()) {
    auto read = placement::parse_thread_expression(machine, bind);
    if (!read) return read.as_unexpected();
    map = *std::move(read);
  }
  MessageSetup setup{.program = program, .rule = rule, .cpus = {}, .homes = {}};
  for (unsigned pe = 0; pe < program.threads; ++pe) {
    setup.cpus.push_back(map.of(pe));
    const auto node = machine.node_of(map.of(pe).to_vector().front());
    setup.homes.push_back(placement::nearest_memory(machine, node.value_or(machine.nodes[0].id)));
  }
  return setup;
}

Result<ProgramReport> run_messages(os::Os& os, const machine::Machine& machine,
                                   MessageProgram& program, const MessageSetup& setup,
                                   const std::function<void(unsigned)>& after_run) {
  ProgramReport report;
  report.setup = setup.program;
  for (workloads::ArrayNeed& need : program.arrays()) {
    report.arrays.push_back({std::move(need), {}});
  }
  const auto placement = place_messages(machine, program, setup, os.page_bytes());
  if (!placement) return placement.as_unexpected();
  const auto arrays = ProgramArrays::map(os, program.arrays());
  if (!arrays) return arrays.as_unexpected();
  const SavedPlace saved(os);
  // What nobody places is touched first by PEs; page maps are made real from PE 0's CPUs.
  if (!setup.cpus.empty()) {
    if (auto bound = actuation::bind_thread(os, 0, setup.cpus[0]); !bound) {
      return bound.as_unexpected();
    }
  }
  if (auto placed = place_arrays(os, *placement, *arrays, report); !placed) {
    return placed.as_unexpected();
  }
  Threads threads(os, setup, placement->process_memory);
  program.team = threads.team(share_cpus(machine, setup));
  for (unsigned number = 0; number < setup.program.runs; ++number) {
    ProgramRun& run = report.runs.emplace_back();
    const double start = cpu_seconds();
    run.outcome = program.run(arrays->addresses(), setup.program.threads);
    if (threads.refusal()) return Unexpected(*threads.refusal());
    if (!program.last_run.prepared) {
      return failed(fmt::format("cannot start {} PEs", setup.program.threads),
                    "give fewer --threads, or raise the limit (ulimit -u, pids.max)",
                    program.last_run.start_errno);
    }
    run.cpu_seconds = cpu_seconds() - start;
    take_modelled_time(run);
    run.arrays = audit_arrays(os, *placement, *arrays, report);
    if (by_pe(setup.rule)) {
      count_pages(setup.rule, arrays->regions().back().bytes / os.page_bytes(), run);
    }
    if (!run.outcome.verified()) break;
    if (after_run) after_run(number);
  }
  report.threads = threads.places();
  return report;
}

}  // namespace homenode::trial
