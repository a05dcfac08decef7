// Where the pages of a live process are, without a look at who uses them. `homenode where
// --objects` asks for it, so that pages belong to objects as samples do.
#include <fmt/format.h>

#include <memory>

#include "sensing/page_query.h"
#include "sensing/process_reader.h"
#include "sensing/sources/sample_documents.h"
#include "sensing/sources/table.h"

namespace homenode::sensing {
namespace {

/// How many pages are asked for at once.
constexpr std::uint64_t batch_pages = 16384;

constexpr SourceFacts pages_facts{"pages",
                                  SampleSource::pages,
                                  "on which node each page of the process is, once, at the end",
                                  "who uses it",
                                  "two walks through its page tables; it is not stopped meanwhile",
                                  "your own process, or root; a live process; to be named"};

/// Adds the pages of a mapping that are present. Once as many were found as the kernel counts, the
/// rest, which may be a large reservation, is not asked for. 0 or -errno.
int add_mapping(os::Os& os, pid_t pid, const Mapping& mapping, std::vector<PageRun>& runs) {
  std::uint64_t left = mapping.page_count();
  const std::uint64_t size = mapping.page_size.value;
  std::vector<int> nodes;
  for (std::uint64_t at = mapping.first; left > 0 && mapping.end && at < *mapping.end;
       at += batch_pages * size) {
    const std::uint64_t count = std::min(batch_pages, (*mapping.end - at) / size);
    const auto addresses = addresses_of({at, count, mapping.page_size});
    if (const int error = query_pages(os, pid, addresses, nodes); error < 0) return error;
    for (std::uint64_t i = 0; i < count && left > 0; ++i) {
      if (nodes[i] < 0) continue;
      --left;
      const std::uint64_t begin = at + i * size;
      add_page(runs, {begin, begin + size, nodes[i], mapping.stack_of.value_or(0)});
    }
  }
  return 0;
}

class Pages final : public Source {
 public:
  [[nodiscard]] const SourceFacts& facts() const override { return pages_facts; }

  [[nodiscard]] Result<void> check(os::Os& /*os*/, const SampleRequest& request) const override {
    if (request.pid != 0) return {};
    return not_supported("the pages of a program that has ended are nowhere",
                         "give the PID of a live process, as 'homenode where PID --objects' does");
  }

  Result<void> start(Sampling& /*sampling*/, pid_t pid) override {
    pid_ = pid;
    return {};
  }

  Result<void> collect(Sampling& /*sampling*/) override { return {}; }

  Result<void> stop(Sampling& sampling) override {
    if (pid_ == 0) return {};
    const auto survey = read_survey(SystemFiles{sampling.os}, pid_, {});
    if (!survey) return survey.as_unexpected();
    std::vector<PageRun> runs;
    for (const Mapping& mapping : survey->mappings) {
      const int error = add_mapping(sampling.os, pid_, mapping, runs);
      if (error < 0) {
        return not_supported(fmt::format("cannot ask where the pages of process {} are", pid_),
                             "run it as the process's user or as root", -error);
      }
    }
    return sampling.file.append_document(pages_document(pid_, sampling.now_ns(), runs));
  }

 private:
  pid_t pid_ = 0;
};

}  // namespace

std::unique_ptr<Source> make_pages_source() {
  return std::make_unique<Pages>();
}

}  // namespace homenode::sensing
