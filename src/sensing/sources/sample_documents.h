// The JSON documents of a sample file (docs/sample-file.md) as text, one line each. Pure. Serves
// the verb `sample` and its sources.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sensing/sources/budget.h"
#include "sensing/sources/process_log.h"
#include "sensing/sources/source.h"

namespace homenode::sensing {

/// What `begin` says beside the source.
struct SampleBegin {
  pid_t pid = 0;
  std::vector<std::string> command;
  std::uint64_t time_ns = 0;
  std::uint64_t realtime_ns = 0;
  std::string hostname;
  std::string machine;  ///< A JSON object, or empty.
  std::uint64_t page_bytes = 0;
};
using Refusals = std::vector<std::pair<std::string, std::string>>;
std::string begin_document(const SampleBegin& begin, const SourceFacts& source,
                           const Refusals& refused);

std::string mappings_document(pid_t pid, std::uint64_t time_ns,
                              const std::vector<SampledMapping>& mappings);
std::string threads_document(pid_t pid, std::uint64_t time_ns,
                             const std::map<pid_t, std::string>& threads);

struct SampleRound {
  unsigned number = 0;
  pid_t pid = 0;
  std::uint64_t armed_ns = 0;
  std::uint64_t ended_ns = 0;
  std::uint64_t pages = 0;  ///< How many were armed; all of the process were.
};
std::string round_document(const SampleRound& round);

/// Neighbouring pages on one node, and the thread whose stack they are; 0: of none, or not known.
struct PageRun {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  int node = 0;
  pid_t thread = 0;
};
/// Makes the last run longer, or begins one. pre: pages are added in order of addresses.
void add_page(std::vector<PageRun>& runs, const PageRun& page);
std::string pages_document(pid_t pid, std::uint64_t time_ns, const std::vector<PageRun>& runs);

struct SampleMatrix {
  pid_t pid = 0;
  std::uint64_t time_ns = 0;
  std::vector<unsigned> nodes;
  std::vector<pid_t> threads;
  std::vector<std::vector<double>> cells;  ///< [thread][node].
  std::string what;
};
std::string matrix_document(const SampleMatrix& matrix);

std::string end_document(std::uint64_t time_ns, std::uint64_t samples, const Budget& budget,
                         std::optional<int> exit_code, const std::string& why);

}  // namespace homenode::sensing
