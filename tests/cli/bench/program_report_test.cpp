// What is shown of a program's runs, for people and for programs.
#include "cli/bench/program_report.h"

#include <gtest/gtest.h>

namespace homenode::cli {
namespace {

/// One run of 3 Mop/s, whose check has the given value instead of 1.
trial::ProgramReport one_run(double value) {
  trial::ProgramReport report;
  report.arrays = {{{"cells", 64 * 4096, workloads::Sharing::parts}, {}}};
  trial::ProgramRun& run = report.runs.emplace_back();
  run.outcome.seconds = 2.0;
  run.outcome.operations = 6e6;
  run.outcome.unit = "Mop/s";
  run.outcome.checks = {{"cells", value, 1.0, 0.0}};
  run.arrays.emplace_back();
  return report;
}

const ProgramTitle title{"Counter", "test/1", {}};

TEST(ProgramReport, SaysWhetherARunIsVerified) {
  EXPECT_EQ(program_text(title, one_run(1.0), {}).find("NOT VERIFIED"), std::string::npos);
  EXPECT_NE(program_text(title, one_run(2.0), {}).find("NOT VERIFIED"), std::string::npos);
  EXPECT_NE(program_json(title, one_run(2.0), {}).find("\"verified\":false"), std::string::npos);
}

TEST(ProgramReport, HasNoProcessorTimeOfTheHostBesideModelledTime) {
  trial::ProgramReport report = one_run(1.0);
  report.runs[0].cpu_seconds = 1.5;
  EXPECT_NE(program_text(title, report, {}).find("1.500 CPU s"), std::string::npos);
  EXPECT_NE(program_json(title, report, {}).find("\"cpu_s\":1.5"), std::string::npos);
  report.runs[0].modelled = true;
  EXPECT_EQ(program_text(title, report, {}).find("CPU s"), std::string::npos);
  EXPECT_NE(program_json(title, report, {}).find("\"cpu_s\":null"), std::string::npos);
}

TEST(ProgramReport, CountsPagesThatAreNotWhereTheyWerePlaced) {
  trial::ProgramReport report = one_run(1.0);
  trial::ArrayAudit& cells = report.runs[0].arrays[0];
  cells.audit.emplace();
  cells.audit->pages_on_node = {{NodeId(0), 61}, {NodeId(1), 3}};
  cells.astray = 3;
  const std::string text = program_text(title, report, {});
  EXPECT_NE(text.find("node 0: 61, node 1: 3 (3 not where they were placed)"), std::string::npos)
      << text;
}

TEST(ProgramReport, ComparesMediansWithAPeer) {
  const PeerReport peer{"theirs", {{9.0, 9.0, 1.0, true}, {9.0, 9.0, 2.0, false}}};
  const std::string text = program_text(title, one_run(1.0), {peer});
  EXPECT_NE(text.find("median 3.00 Mop/s here, 1.50 there: 2.000 times as fast"), std::string::npos)
      << text;
  EXPECT_NE(text.find("1 of its runs do not report that they were verified"), std::string::npos);
}

}  // namespace
}  // namespace homenode::cli
