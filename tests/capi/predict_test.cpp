#include <homenode/homenode.h>

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "text.h"

namespace homenode::capi_tests {
namespace {

using nlohmann::json;

/// Two threads on nodes 0 and 1 of quad-4x2 that read an array of two blocks of 16 pages each.
struct Question {
  std::vector<int> nodes{0, 1};
  std::vector<double> computing{0, 0};
  std::vector<double> reads{1000, 0, 0, 1000};
  std::vector<double> writes{0, 0, 0, 0};
  std::vector<std::size_t> first_users{0, 1};
  std::vector<hn_object_rule> rules;
  const char* thread_map = nullptr;
  const char* model = nullptr;
  hn_used_object array{"array", 32, 16,      1, reads.data(), writes.data(), first_users.data(),
                       nullptr, 0,  nullptr, 0};
  hn_program program{2, nodes.data(), computing.data(), &array, 1, 0};

  int ask(json& answer, std::string& words) {
    hn_machine* machine = nullptr;
    const std::string file = std::string(HOMENODE_SOURCE_DIR) + "/machines/quad-4x2.xml";
    EXPECT_EQ(hn_machine_load(file.c_str(), &machine, nullptr), HN_OK);
    char* text = nullptr;
    char* error = nullptr;
    const int status =
        hn_predict(machine, &program, thread_map, rules.data(), rules.size(), model, &text, &error);
    words = take(error);
    answer = text == nullptr ? json() : json::parse(text);
    hn_string_free(text);
    hn_machine_free(machine);
    return status;
  }

  json answer() {
    json found;
    std::string words;
    EXPECT_EQ(ask(found, words), HN_OK) << words;
    return found;
  }
};

TEST(Predict, ChasesOfLocalLinesTakeTheLocalLatency) {
  const json answer = Question{}.answer();
  EXPECT_EQ(answer["model"], "queues");
  EXPECT_EQ(answer["unit"], "s");
  EXPECT_NEAR(answer["time"].get<double>(), 1000 * 113e-9, 1e-12);
  EXPECT_EQ(answer["bottleneck"]["kind"], "latency");
  EXPECT_EQ(answer["traffic"]["read_lines"][1], (std::vector<double>{0, 1000, 0, 0}));
}

TEST(Predict, TakesAThreadMapAndARuleForEachObject) {
  Question question;
  question.rules = {{"array", "bind@0"}, {nullptr, "interleave"}};
  EXPECT_EQ(question.answer()["traffic"]["read_lines"][1], (std::vector<double>{1000, 0, 0, 0}));
  question.thread_map = "0,1";
  EXPECT_EQ(question.answer()["traffic"]["read_lines"][0], (std::vector<double>{2000, 0, 0, 0}));
  question.rules = {{nullptr, "cyclic"}};
  EXPECT_EQ(question.answer()["traffic"]["read_lines"][0],
            (std::vector<double>{500, 500, 500, 500}));
}

TEST(Predict, GivesNoSecondsWithoutTheTimeThatThreadsCompute) {
  Question question;
  question.program.computing_s = nullptr;
  EXPECT_EQ(question.answer()["unit"], "relative");
}

TEST(Predict, RefusesWhatMakesNoSenseInOneLine) {
  const auto refused = [](auto change) {
    Question question;
    change(question);
    json answer;
    std::string words;
    const int status = question.ask(answer, words);
    EXPECT_TRUE(answer.is_null());
    EXPECT_FALSE(words.empty());
    EXPECT_EQ(words.find('\n'), std::string::npos);
    return status;
  };
  EXPECT_EQ(refused([](Question& q) { q.nodes[0] = 9; }), HN_BAD_USAGE);
  EXPECT_EQ(refused([](Question& q) { q.reads[0] = -1; }), HN_BAD_USAGE);
  EXPECT_EQ(refused([](Question& q) { q.first_users[0] = 2; }), HN_BAD_USAGE);
  EXPECT_EQ(refused([](Question& q) { q.array.pages = 0; }), HN_BAD_USAGE);
  EXPECT_EQ(refused([](Question& q) { q.array.name = nullptr; }), HN_BAD_USAGE);
  EXPECT_EQ(refused([](Question& q) { q.program.threads = 0; }), HN_BAD_USAGE);
  EXPECT_EQ(refused([](Question& q) { q.model = "guess"; }), HN_BAD_USAGE);
  EXPECT_EQ(refused([](Question& q) { q.thread_map = "99"; }), HN_BAD_USAGE);
  EXPECT_EQ(refused([](Question& q) { q.rules = {{nullptr, "nowhere"}}; }), HN_BAD_USAGE);
  EXPECT_EQ(refused([](Question& q) { q.rules = {{nullptr, nullptr}}; }), HN_BAD_USAGE);
  EXPECT_EQ(refused([](Question& q) { q.rules = {{nullptr, "next-touch"}}; }), HN_BAD_USAGE);
}

}  // namespace
}  // namespace homenode::capi_tests
