#include "balancer/request.h"

#include <gtest/gtest.h>

#include <random>

namespace homenode::balancer {
namespace {

Result<Request> read(std::string_view bytes) {
  RequestReader reader;
  reader.take(bytes);
  reader.end();
  return reader.request();
}

TEST(BalancerRequest, ReadsWordsAndJsonAlike) {
  const Request status{};
  const Request explain{Request::Kind::explain, 4711};
  EXPECT_EQ(*request_in("status"), status);
  EXPECT_EQ(*request_in(R"({"request": "status"})"), status);
  EXPECT_EQ(*request_in("  explain  4711 "), explain);
  EXPECT_EQ(*request_in(R"({"pid": 4711, "request": "explain"})"), explain);
}

TEST(BalancerRequest, ReadsWhatItWrote) {
  for (const Request& request : {Request{}, Request{Request::Kind::explain, 1}}) {
    const auto again = read(to_line(request));
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(*again, request);
  }
}

TEST(BalancerRequest, RefusesGarbageAndSaysWhatMayBeAsked) {
  for (const char* const line : {"",
                                 " ",
                                 "stop",
                                 "status 1",
                                 "explain",
                                 "explain x",
                                 "explain 0",
                                 "explain -1",
                                 "explain 99999999999",
                                 "explain 1 2",
                                 "{",
                                 "[]",
                                 "{}",
                                 R"({"request": 1})",
                                 R"({"request": "explain"})",
                                 R"({"request": "explain", "pid": -1})",
                                 R"({"request": "explain", "pid": 1.5})",
                                 R"({"request": "explain", "pid": 4294967297})",
                                 R"({"request": "status", "pid": 1})",
                                 R"({"request": "status", "more": 1})"}) {
    const auto request = request_in(line);
    ASSERT_FALSE(request) << line;
    EXPECT_NE(request.error().message().find("ask 'status'"), std::string::npos) << line;
  }
}

TEST(BalancerRequest, IsTheSameInAnyPieces) {
  const std::string line = R"({"request": "explain", "pid": 12})"
                           "\n";
  for (std::size_t cut = 0; cut <= line.size(); ++cut) {
    RequestReader reader;
    reader.take(std::string_view(line).substr(0, cut));
    EXPECT_EQ(reader.done(), cut == line.size());
    reader.take(std::string_view(line).substr(cut));
    ASSERT_TRUE(reader.done());
    EXPECT_EQ(reader.request()->pid, 12) << cut;
  }
}

TEST(BalancerRequest, IsDoneWithALongLineBeforeItsEnd) {
  RequestReader reader;
  for (std::size_t i = 0; i + 1 < longest_request; ++i) reader.take("x");
  EXPECT_FALSE(reader.done());
  reader.take("x");
  ASSERT_TRUE(reader.done());
  EXPECT_NE(reader.request().error().message().find("more than 256 bytes"), std::string::npos);
}

TEST(BalancerRequest, TakesTheLongestLineAndNoLonger) {
  std::string line = "status";
  line.resize(longest_request - 1, ' ');
  EXPECT_TRUE(read(line + "\n"));
  EXPECT_FALSE(read(line + " \n"));
}

TEST(BalancerRequest, IsAloneOnItsConnection) {
  EXPECT_FALSE(read("status\nstatus\n"));
  RequestReader reader;
  reader.take("status\n");
  reader.take("x");
  EXPECT_FALSE(reader.request());
}

/// Bytes at random, and good requests with a few bytes changed, in pieces at random.
TEST(BalancerRequest, SurvivesAnything) {
  constexpr unsigned seed = 20;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);  // NOLINT: the same each time.
  const auto below = [&](std::size_t end) { return random() % end; };
  const std::string good[] = {"status\n", "explain 123\n",
                              R"({"request":"explain","pid":7})"
                              "\n"};
  std::size_t understood = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = good[below(3)];
    if (below(4) == 0) bytes.resize(below(2 * longest_request));
    for (std::size_t changes = below(4); changes > 0 && !bytes.empty(); --changes) {
      bytes[below(bytes.size())] = static_cast<char>(below(256));
    }
    RequestReader reader;
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::size_t piece = 1 + below(rest.size());
      reader.take(rest.substr(0, piece));
      rest.remove_prefix(piece);
    }
    reader.end();
    const auto request = reader.request();
    if (!request) {
      EXPECT_FALSE(request.error().next.empty());
      continue;
    }
    ++understood;
    EXPECT_EQ(*read(to_line(*request)), *request);
  }
  EXPECT_GT(understood, 1000U);
}

}  // namespace
}  // namespace homenode::balancer
