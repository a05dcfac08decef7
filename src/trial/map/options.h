// homenode bench map: its options, as a value: what they may be, and how they are written on a
// command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/choices.h"
#include "base/result.h"
#include "base/units.h"
#include "trial/memory.h"
#include "workloads/map/kernels.h"
#include "workloads/map/pattern.h"
#include "workloads/map/patterns/line.h"
#include "workloads/map/patterns/matrix.h"

namespace homenode::trial {

/// The paper's four ways of placing the memory.
enum class Method {
  standard,      ///< "default": the main thread touches everything first, nothing else.
  command_line,  ///< The same program, started under `homenode run --interleave=all`.
  api,           ///< Policies and page maps set from inside, for the array as it is.
  rewrite,       ///< The array laid out anew, so that each thread's part is its own pages.
};
enum class TeamKind { pthreads, openmp };

struct MapOptions {
  workloads::map::Pattern pattern = workloads::map::patterns::shared;
  bool multi_patterns = false;  ///< `phases` one after the other instead of `pattern`.
  std::vector<workloads::map::Pattern> phases = {workloads::map::patterns::row_bands,
                                                 workloads::map::patterns::column_bands,
                                                 workloads::map::patterns::shared_by_rows};
  workloads::map::Order order = workloads::map::Order::sequential;
  workloads::map::Operation operation = workloads::map::Operation::read;
  Method method = Method::standard;
  std::optional<unsigned> threads;             ///< One per allowed CPU when absent.
  Bytes size = 16_MiB;                         ///< Of the array, where no shape is given.
  std::optional<workloads::map::Shape> shape;  ///< In elements.
  unsigned passes = 1;
  std::optional<unsigned> overlap_percent;  ///< See overlap_of().
  TeamKind team = TeamKind::pthreads;
  PageKind pages = PageKind::system;
  std::uint64_t seed = 1;
  std::string bind = "compact";  ///< compact, none, or CPUs in rank order.
  std::string output;            ///< A file for the JSON, or empty.
  bool json = false;
  bool launched = false;  ///< Started again by --method command-line, whose record this is.
  friend bool operator==(const MapOptions&, const MapOptions&) = default;
};

/// The names on the command line and in JSON.
inline constexpr Choices<workloads::map::Order, 2> map_orders{
    {{"sequential", workloads::map::Order::sequential}, {"random", workloads::map::Order::random}}};
inline constexpr Choices<workloads::map::Operation, 3> map_operations{
    {{"read", workloads::map::Operation::read},
     {"write", workloads::map::Operation::write},
     {"readwrite", workloads::map::Operation::readwrite}}};
inline constexpr Choices<Method, 4> map_methods{{{"default", Method::standard},
                                                 {"command-line", Method::command_line},
                                                 {"api", Method::api},
                                                 {"rewrite", Method::rewrite}}};
inline constexpr Choices<TeamKind, 2> map_teams{
    {{"pthreads", TeamKind::pthreads}, {"openmp", TeamKind::openmp}}};
inline constexpr const char* multi_patterns_name = "multi-patterns";

std::string pattern_name(const MapOptions& options);  ///< multi-patterns among them.
std::string to_string(workloads::map::Order order);
std::string to_string(workloads::map::Operation operation);
std::string to_string(Method method);
std::string to_string(TeamKind team);

/// The options as words that define_options() reads back to the same options.
std::vector<std::string> to_arguments(const MapOptions& options);

/// What is wrong with the options whatever the machine. Errors: bad_usage.
Result<void> check(const MapOptions& options);

}  // namespace homenode::trial
