#include "cli/measure/options.h"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include "support/measure_report.h"

namespace homenode::cli {
namespace {

Result<measure::Request> request_of(std::vector<std::string> words) {
  CLI::App app;
  MeasureOptions options;
  define_measure_options(app, options);
  std::reverse(words.begin(), words.end());
  app.parse(words);
  return make_request(options, three_nodes());
}

std::string complaint(std::vector<std::string> words) {
  const auto request = request_of(std::move(words));
  EXPECT_FALSE(request);
  if (request) return "";
  EXPECT_EQ(request.error().code, ErrorCode::bad_usage);
  return request.error().message();
}

TEST(MeasureOptions, MeasureEverythingByDefault) {
  const auto request = request_of({});
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->latency && request->bandwidth && request->loaded && request->weights);
  EXPECT_FALSE(request->cores || request->quick || request->size || request->runs);
  EXPECT_TRUE(request->from.empty() && request->to.empty() && request->kernels.empty());
}

TEST(MeasureOptions, BecomeTheRequest) {
  const auto request =
      request_of({"--quick", "--only", "latency,weights,cores", "--from", "1", "--to", "0,4",
                  "--kernel", "triad,read,triad", "--runs", "7", "--size", "48M", "--isa", "sse2"});
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_TRUE(request->quick && request->latency && request->weights && request->cores);
  EXPECT_FALSE(request->bandwidth || request->loaded);
  EXPECT_EQ(request->from, NodeSet{NodeId(1)});
  EXPECT_EQ(request->to, (NodeSet{NodeId(0), NodeId(4)}));
  EXPECT_EQ(request->kernels,
            (std::vector<measure::Kernel>{measure::Kernel::triad, measure::Kernel::read}));
  EXPECT_EQ(request->runs, 7U);
  EXPECT_EQ(request->size, 48_MiB);
  EXPECT_EQ(request->isa, "sse2");
}

TEST(MeasureOptions, NameWhatIsWrong) {
  EXPECT_NE(complaint({"--only", "speed"}).find("'speed'"), std::string::npos);
  EXPECT_NE(complaint({"--kernel", "daxpy"}).find("write-nt"), std::string::npos);
  EXPECT_NE(complaint({"--from", "4"}).find('4'), std::string::npos);
  EXPECT_NE(complaint({"--to", "2"}).find('2'), std::string::npos);
  EXPECT_NE(complaint({"--size", "0"}).find("--size"), std::string::npos);
  EXPECT_NE(complaint({"--size", "big"}).find("big"), std::string::npos);
  EXPECT_THROW((void)request_of({"--runs", "0"}), CLI::ValidationError);
  EXPECT_THROW((void)request_of({"--runs", "-3"}), CLI::ParseError);
}

}  // namespace
}  // namespace homenode::cli
