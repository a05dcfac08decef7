// What `where` shows as text and CSV: a process, the ranks of a job, the whole machine, a file's
// page cache. text_system.cpp has what is no process. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sensing/file_cache.h"
#include "sensing/job.h"
#include "sensing/survey.h"
#include "sensing/system_view.h"

namespace homenode::cli {

/// Groups by nodes, mappings by nodes (the `mappings` largest), threads by nodes, and which
/// mappings are not as their policy says.
std::string where_text(const sensing::Survey& survey, std::size_t mappings);

/// A line for each mapping.
std::string where_csv(const sensing::Survey& survey);

/// One line for each rank, with a verdict.
std::string job_text(const std::vector<sensing::JobRank>& ranks);

/// What each node's memory is used for, then the `processes` largest by nodes, and the others
/// together; text_system.cpp.
std::string system_text(const sensing::SystemView& view, std::size_t processes);

/// A line for each of the `processes` largest; text_system.cpp.
std::string system_csv(const sensing::SystemView& view, std::size_t processes);

/// How much of a file is cached on each node; a line for each node; text_system.cpp.
std::string file_text(const sensing::FileCache& cache);
std::string file_csv(const sensing::FileCache& cache);

/// The nodes that a table shows: all when they are few, else those with pages or threads, in order.
std::vector<NodeId> shown_nodes(const sensing::Survey& survey);

/// How many nodes a table always shows all of.
inline constexpr std::size_t nodes_always_shown = 8;

/// "25 %"; "-" of nothing.
std::string percent(std::uint64_t part, std::uint64_t whole);

/// The cells of a head or row: one for each node and one for all.
std::vector<std::string> node_head(std::string first, const std::vector<NodeId>& nodes);
std::vector<std::string> node_row(std::string name, const std::vector<NodeId>& nodes,
                                  const sensing::BytesOnNodes& bytes);

}  // namespace homenode::cli
