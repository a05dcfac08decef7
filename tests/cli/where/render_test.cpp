// Surveys as text, against golden files, and as JSON.
#include "cli/where/text.h"

#include "base/words.h"
#include "cli/where/json.h"
#include "fake/fake.h"
#include "sensing/captured.h"
#include "sensing/process_reader.h"
#include "support/golden.h"

namespace homenode::cli {
namespace {

using sensing::CapturedSystem;
using sensing::Survey;

Survey captured(sensing::ReadOptions options = {}) {
  const CapturedSystem system;
  system.write_example();
  system.write("proc/100/smaps",
               "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \nAnonHugePages:  2048 kB\n"
               "Swap:  16 kB\n");
  os::Fake os;
  const auto survey = read_survey({os, system.root()}, 100, options);
  EXPECT_TRUE(survey);
  return *survey;
}

TEST(WhereText, ShowsGroupsThreadsAndPolicies) {
  expect_golden(where_text(captured(), 0), "where/groups.txt");
}

TEST(WhereText, ShowsMappingsLargestFirst) {
  expect_golden(where_text(captured({.amounts = true}), 4), "where/mappings.txt");
}

TEST(WhereText, WithoutThreadsSaysNothingOfThem) {
  const std::string text = where_text(captured({.only_numa_maps = true}), 0);
  EXPECT_EQ(text.find("thread"), std::string::npos) << text;
  EXPECT_NE(text.find("anonymous"), std::string::npos);
}

TEST(WhereText, HeapsOfHomenodesMallocHaveTheirOwners) {
  Survey survey = captured();
  EXPECT_EQ(where_text(survey, 0).find("heap of"), std::string::npos);
  survey.mappings[2].owners = {{false, NodeId(0)}, {false, NodeId(1)}};
  survey.mappings[3].owners = {{true, std::nullopt}};
  EXPECT_NE(
      where_text(survey, 4).find("heap of                       node 0  node 1  node 64   all\n"
                                 "malloc node 0, malloc node 1    1.56    2.34        -  3.91\n"
                                 "private heap                       -    0.02        -  0.02\n"),
      std::string::npos)
      << where_text(survey, 4);
  const auto json = where_json(survey);
  EXPECT_EQ(json["heaps_by_owner"]["private heap"].dump(), R"({"1":16384})");
  EXPECT_EQ(json["mappings"][2]["heap_owners"].dump(),
            R"([{"of":"malloc","node":0},{"of":"malloc","node":1}])");
  EXPECT_EQ(json["mappings"][3]["heap_owners"].dump(), R"([{"of":"private heap","node":null}])");
  EXPECT_EQ(json["mappings"][0]["heap_owners"].dump(), "[]");
}

TEST(WhereText, ManyThreadsAreCounted) {
  Survey survey = captured();
  const sensing::ThreadFacts like = survey.threads.back();
  for (int i = 0; i < 30; ++i) survey.threads.push_back(like);
  expect_golden(where_text(survey, 0), "where/many-threads.txt");
}

TEST(WhereText, ManyNodesAreShownAsFarAsTheyAreUsed) {
  Survey survey = captured();
  for (unsigned id = 100; id < 172; ++id) survey.nodes.push_back({NodeId(id), {}, {}, {}});
  EXPECT_EQ(shown_nodes(survey), (std::vector{NodeId(0), NodeId(1), NodeId(64)}));
  survey.nodes.resize(3);
  EXPECT_EQ(shown_nodes(survey).size(), 3U);
}

TEST(WhereText, SaysWhenPoliciesHold) {
  Survey survey = captured();
  survey.mappings.resize(2);
  EXPECT_NE(where_text(survey, 0).find("No mapping has a policy that names nodes."),
            std::string::npos);
  survey.mappings[1].policy = {"bind", "", {NodeId(0), NodeId(1)}, false};
  EXPECT_NE(where_text(survey, 0).find("Every mapping is where its policy says."),
            std::string::npos);
}

TEST(WhereText, NoNameDrawsOnTheTerminal) {
  EXPECT_EQ(printable("a\nb\033[2J\x7f é"), "a\\nb\\x1b[2J\\x7f é");
}

TEST(WhereJson, HasEverything) {
  const auto json = where_json(captured({.amounts = true}));
  EXPECT_EQ(json["schema"], "homenode.where/2");
  EXPECT_EQ(json["pid"], 100);
  EXPECT_EQ(json["on_node_bytes"]["64"], 4U << 20U);
  EXPECT_EQ(json["groups"]["heap"]["1"], 40 * 4096);
  EXPECT_EQ(json["mappings"].size(), 9U);
  EXPECT_EQ(json["mappings"][2]["policy"]["mode"], "bind");
  EXPECT_EQ(json["mappings"][2]["policy"]["nodes"], std::vector<int>{1});
  EXPECT_EQ(json["mappings"][2]["transparent_huge_bytes"], 2U << 20U);
  EXPECT_EQ(json["mappings"][2]["end"], "0x7f0000400000");
  EXPECT_EQ(where_json(captured())["mappings"][3]["stack_of"], 90);
  EXPECT_EQ(json["threads"][1]["node"], 1);
  EXPECT_EQ(json["off_policy"][0]["off_bytes"]["0"], 400 * 4096);
  EXPECT_EQ(json["off_policy"][0]["cause"], "before-policy");
  EXPECT_EQ(json["off_policy"][1]["cause"], "shared");
  EXPECT_TRUE(where_json(captured({.only_numa_maps = true}))["threads"].is_null());
}

}  // namespace
}  // namespace homenode::cli
