// homenode measure: latency and bandwidth of every pair of nodes, without root; and what it reports
// of its progress on the error stream.
#pragma once

#include <chrono>
#include <ostream>
#include <string>
#include <vector>

#include "cli/measure/options.h"
#include "cli/verb.h"
#include "measure/report.h"
#include "measure/session.h"

namespace homenode::cli {

/// How far the measurement is: one line that is drawn again on a terminal, a plain line now and
/// then elsewhere.
class MeasureProgress {
 public:
  /// Nanoseconds since any moment; a parameter so that tests need no clock.
  using Now = std::chrono::nanoseconds (*)();

  MeasureProgress(std::ostream& err, bool terminal, Now now);
  void say(const measure::Progress& progress);
  /// Takes the line off the terminal.
  void finish();

 private:
  std::ostream& err_;
  bool terminal_;
  bool drawn_ = false;
  Now now_;
  std::chrono::nanoseconds last_;
};

/// The steady clock's.
std::chrono::nanoseconds progress_now();
/// The error stream of this process is a terminal.
bool error_stream_is_terminal();

class Measure final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "measure"; }
  void define(CLI::App& app) override;
  [[nodiscard]] std::vector<Example> examples() const override;
  int run(Context& context) override;

 private:
  Result<void> try_run(Context& context) const;
  Result<measure::Report> measured(Context& context) const;
  Result<void> write_files(Context& context, const measure::Report& report) const;

  MeasureOptions options_;
};

}  // namespace homenode::cli
