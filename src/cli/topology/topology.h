// homenode topology: what the machine is, as text, JSON, a picture or hwloc's XML.
#pragma once

#include <string>
#include <vector>

#include "cli/draw.h"
#include "cli/verb.h"

namespace homenode::cli {

class Topology final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "topology"; }
  void define(CLI::App& app) override;
  [[nodiscard]] std::vector<Example> examples() const override;
  int run(Context& context) override;

 private:
  Result<void> try_run(Context& context) const;
  /// Errors: bad_usage when several forms are to be printed.
  [[nodiscard]] Result<void> check_outputs() const;

  std::string input_ = "live";
  bool json_ = false;
  Output svg_;
  Output xml_;
};

}  // namespace homenode::cli
