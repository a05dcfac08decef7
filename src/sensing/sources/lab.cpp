// Within the lab: the plugin, which sees every access, counts; this source only says what ran where
// in the address space, without which counts have no names. It takes nothing from the program.
#include <memory>

#include "os/lab_clock.h"
#include "sensing/sources/table.h"

namespace homenode::sensing {
namespace {

constexpr SourceFacts lab_facts{
    "lab",
    SampleSource::lab,
    "every access that misses a modelled private cache: thread, address, node, exactly",
    "what happens outside the region of interest, if the program marks one",
    "nothing for the program; the lab is slower than a machine",
    "to run within 'homenode lab run'"};

class Lab final : public Source {
 public:
  [[nodiscard]] const SourceFacts& facts() const override { return lab_facts; }

  [[nodiscard]] Result<void> check(os::Os& /*os*/,
                                   const SampleRequest& /*request*/) const override {
    if (os::in_lab()) return {};
    return not_supported("this is no virtual machine of the lab",
                         "run it in one with 'homenode sample --machine NAME'");
  }

  Result<void> start(Sampling& /*sampling*/, pid_t /*pid*/) override { return {}; }
  Result<void> collect(Sampling& sampling) override {
    sampling.processes.find_children();
    return {};
  }
  Result<void> stop(Sampling& /*sampling*/) override { return {}; }
};

}  // namespace

std::unique_ptr<Source> make_lab_source() {
  return std::make_unique<Lab>();
}

}  // namespace homenode::sensing
