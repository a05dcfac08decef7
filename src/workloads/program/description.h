// What a workload says of itself: what it is, what can be set, which access patterns and placements
// it knows, and what it measures. Help, studies, reports, documents and tests read it (`homenode
// bench NAME --describe`), so that each name and sentence stands in the workload alone. Pure data.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace homenode::workloads {

/// A value that a parameter can have.
struct Choice {
  std::string name{};     ///< On the command line and in JSON.
  std::string title{};    ///< For people.
  std::string meaning{};  ///< A sentence.
};

/// What a parameter's value looks like.
enum class ValueKind {
  whole,     ///< A whole number.
  real,      ///< A number.
  size,      ///< Bytes, with k, m, g or t for powers of 1024.
  choice,    ///< One of the choices.
  text,      ///< Text in the form that `meaning` gives.
  flag,      ///< On or off.
  strategy,  ///< One of the strategies of placement, or none.
};

struct Parameter {
  std::string name{};  ///< The option without its dashes.
  ValueKind kind = ValueKind::whole;
  std::string standard{};  ///< The default as it is written; empty where the machine decides it.
  std::string meaning{};
  std::optional<double> least{};  ///< Limits that hold on every machine.
  std::optional<double> most{};
  std::vector<Choice> choices{};
};

/// The matrix that the best placement of a pattern's memory has.
enum class Goal {
  diagonal,  ///< Every access stays at home.
  flat,      ///< Every node's memory serves the same share.
};

/// Who uses what.
struct AccessPattern {
  std::string name{};
  std::string title{};
  std::string meaning{};
  std::string suits{};                 ///< Which placement suits it: a sentence.
  std::optional<unsigned> dimensions;  ///< Of the array; nothing where it has none of its own.
  Goal goal = Goal::diagonal;
};

/// A figure of a run. `path` finds it in the workload's JSON: keys between slashes, with * for
/// every element of a list.
struct Metric {
  std::string name{};
  std::string unit{};
  std::string meaning{};
  std::string path{};
  bool more_is_better = true;
  /// Empty, or: the figure is 1e6 operations a second, and their number is here. Where another
  /// clock than the host's times a run, the figure follows from it.
  std::string operations{};
  /// It hangs on the host's clock.
  bool timed = true;
};

struct Description {
  std::string name{};
  std::string summary{};  ///< One line.
  std::string memory{};   ///< How much memory it uses.
  std::string use{};      ///< Who uses which of it.
  std::string source{};   ///< Where it comes from.
  std::string schema{};   ///< Of its JSON.
  std::vector<Parameter> parameters{};
  /// Empty where the parameters alone say who uses what.
  std::vector<AccessPattern> patterns{};
  /// The parameter that chooses how memory is placed, "method" or "strategy"; empty without one.
  std::string placement{};
  /// Its JSON has the matrices of what each node used, observed and expected.
  bool has_matrices = false;
  std::vector<Metric> metrics{};

  /// Null when there is none of that name.
  [[nodiscard]] const Parameter* find_parameter(std::string_view wanted) const;
};

/// A description without parameters, patterns and metrics. Its JSON is of schema
/// homenode.bench.NAME/2.
Description description_of(const std::string& name, const std::string& summary,
                           const std::string& memory, const std::string& use,
                           const std::string& source);

/// A parameter of each kind; an empty default is one that the machine decides.
Parameter whole_number(const std::string& name, const std::string& standard,
                       const std::string& meaning, std::optional<double> least = {},
                       std::optional<double> most = {});
Parameter real_number(const std::string& name, const std::string& standard,
                      const std::string& meaning, std::optional<double> least = {},
                      std::optional<double> most = {});
Parameter byte_size(const std::string& name, const std::string& standard,
                    const std::string& meaning, std::optional<double> least = {},
                    std::optional<double> most = {});
Parameter one_of(const std::string& name, const std::string& standard, const std::string& meaning,
                 const std::vector<Choice>& choices);
Parameter free_text(const std::string& name, const std::string& standard,
                    const std::string& meaning);
Parameter on_or_off(const std::string& name, const std::string& standard,
                    const std::string& meaning);

/// The parameters of every program under a strategy, to be added to its own.
void add_program_parameters(Description& description);

/// Seconds and rate of each run of a program, as every program's JSON has them.
/// `unit`: of 1e6 operations a second, as ProgramOutcome has it.
std::vector<Metric> program_metrics(const std::string& unit, const std::string& operations);

}  // namespace homenode::workloads
