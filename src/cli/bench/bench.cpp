// homenode bench: runs a workload by name and reports who used which memory.
#include <CLI/CLI.hpp>

#include "cli/bench/describe.h"
#include "cli/bench/table.h"

namespace homenode::cli {
namespace {

class Bench final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "bench"; }

  void define(CLI::App& app) override {
    app.add_flag("--list", list_,
                 "list the workloads: purpose, memory, which thread uses what, source");
    app.require_subcommand(0, 1);
    for (const BenchWorkload& each : bench_workloads()) {
      auto workload = each.make();
      CLI::App* const command = app.add_subcommand(workload->name(), workload->summary());
      command->group("Workloads");
      command->fallthrough();  // --machine may stand after the workload's name too.
      workload->define(*command);
      explain_options(*command, each.describe());
      command->add_flag("--describe")
          ->description(
              "describe the workload, its options, access patterns and metrics, without running "
              "it; with --json as data");
      commands_.push_back({command, std::move(workload), each.describe});
    }
    app.footer(
        "Runs a workload by its name and prints how many of each node's accesses went to the "
        "memory "
        "of each node, computed from the workload's pattern and an audit of its pages, and the "
        "time "
        "that it took.");
  }

  [[nodiscard]] std::vector<Example> examples() const override {
    return {{"homenode bench map --pattern divided --method api --size 64m",
             "Threads that each walk a part of an array, placed on the thread's node"},
            {"homenode bench map --machine hp-8x4 --method command-line --size 1m --json",
             "The same array interleaved by a launcher, on a virtual machine of eight nodes"},
            {"homenode bench npb cg --class A --strategy round-robin --runs 3",
             "A sparse solver with its arrays spread over all nodes; three runs, each checked"}};
  }

  int run(Context& context) override {
    if (list_) {
      std::vector<workloads::Description> all;
      for (const Command& each : commands_) all.push_back(each.describe());
      context.out << bench_list_text(all);
      return exit_done;
    }
    for (const Command& each : commands_) {
      if (!each.parser->parsed()) continue;
      if (each.parser->count("--describe") == 0) return each.workload->run(context);
      const workloads::Description described = each.describe();
      context.out << (each.parser->count("--json") > 0 ? description_json(described)
                                                       : description_text(described));
      return exit_done;
    }
    return report(
        context, name(),
        bad_usage("the name of a workload is missing", "'homenode bench --list' names them")
            .take());
  }

 private:
  struct Command {
    CLI::App* parser;  // The parser's own.
    std::unique_ptr<Verb> workload;
    workloads::Description (*describe)();
  };
  std::vector<Command> commands_;
  bool list_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_bench() {
  return std::make_unique<Bench>();
}

}  // namespace homenode::cli
