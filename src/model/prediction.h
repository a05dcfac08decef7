// What a model predicts of a program under a placement, and the models that there are. Pure: no
// system call, no clock. tune compares thousands of placements by it.
#pragma once

#include <optional>
#include <string_view>

#include "model/demand.h"

namespace homenode::model {

/// What holds up the slowest thread, and for which share of its time; or what is in use for most of
/// the time, and for which share of that.
struct Bottleneck {
  enum class Kind {
    computing,
    latency,     ///< Of `memory`, from `from`: more lines in flight would help, or nearer memory.
    controller,  ///< Of `memory`: all nodes together ask for more than it gives.
    path,        ///< From `from` to `memory`: what one node gets of another's memory.
    link,        ///< Data from `from` to `memory`, two nodes with a link that several pairs share.
  };
  Kind kind = Kind::computing;
  NodeId from;
  NodeId memory;
  double share = 1;
};

/// "memory of node 2 gives no more": what people read.
[[nodiscard]] std::string to_string(const Bottleneck& bottleneck);

struct Prediction {
  std::string_view model;
  /// Whether times are seconds. If not, they compare placements of one program with each other.
  bool absolute = false;
  std::vector<double> thread_times;  ///< One for each thread.
  double time = 0;                   ///< The slowest thread's, for which the others wait.
  Traffic traffic;
  Bottleneck bottleneck;
  std::vector<std::string> assumptions;  ///< What stands in for figures that nobody gave.
};

/// One way to predict.
struct Model {
  std::string_view name;
  std::string_view what;  ///< One line for help.
  /// Errors: not_supported where the machine lacks the figures that the model needs.
  Result<Prediction> (*predict)(const Rates& rates, const Program& program, const Layout& layout);
};

/// All models, the coarsest first.
[[nodiscard]] const std::vector<Model>& models();
/// Null where there is none of that name.
[[nodiscard]] const Model* find_model(std::string_view name);

/// By the best model that the machine's figures allow, or by the named one. Errors: those of
/// lay_out(); bad_usage for an unknown model; not_supported as above.
[[nodiscard]] Result<Prediction> predict(const machine::Machine& machine, const Program& program,
                                         const placement::Placement& placement,
                                         std::optional<std::string_view> model = {});

}  // namespace homenode::model
