// homenode bench: runs a workload by name and says who used which memory.
#include "cli/bench/bench.h"

#include <CLI/CLI.hpp>

#include "cli/bench/facts.h"
#include "cli/bench/table.h"

namespace homenode::cli {
namespace {

class Bench final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "bench"; }

  void define(CLI::App& app) override {
    app.add_flag("--list", list_,
                 "list the workloads: what each is for, its memory, who uses what, its source");
    app.require_subcommand(0, 1);
    for (const auto& workload : workloads_) {
      CLI::App* const command = app.add_subcommand(workload->name(), workload->summary());
      command->fallthrough();  // --machine may stand after the workload's name too.
      workload->define(*command);
      commands_.push_back(command);
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
             "Threads that each walk a part of an array, which is placed near them"},
            {"homenode bench map --machine hp-8x4 --method command-line --size 1m --json",
             "The same array interleaved by a launcher, on a virtual machine of eight nodes"},
            {"homenode bench npb cg --class A --strategy round-robin --runs 3",
             "A sparse solver with its arrays over all nodes, checked after each of three runs"}};
  }

  int run(Context& context) override {
    if (list_) {
      context.out << bench_list_text(workloads_);
      return exit_done;
    }
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      if (commands_[i]->parsed()) return workloads_[i]->run(context);
    }
    return report(context, name(),
                  bad_usage("no workload is named", "'homenode bench --list' names them").take());
  }

 private:
  std::vector<std::unique_ptr<Verb>> workloads_ = bench_workloads();
  std::vector<CLI::App*> commands_;  // As workloads_; owned by the parser.
  bool list_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_bench() {
  return std::make_unique<Bench>();
}

}  // namespace homenode::cli
