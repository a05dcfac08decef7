#include "model/links.h"

#include <gtest/gtest.h>

#include "model/machines.h"

namespace homenode::model {
namespace {

machine::Machine with(std::string links, std::string routes = "") {
  machine::Machine machine = three_nodes();
  machine.info = {{"Links", std::move(links)}, {"Routes", std::move(routes)}};
  return machine;
}

TEST(Links, AreThoseThatTheMachineDeclares) {
  const auto found = links_of(with("4-0:100, 4-7:50"));
  ASSERT_EQ(found->links.size(), 2U);
  EXPECT_EQ(found->links[0].first, node0);
  EXPECT_DOUBLE_EQ(found->links[1].bytes_per_s, 50.0 * 1024 * 1024);
}

TEST(Links, LeadOverTheFewestAndThenTheLowestNodes) {
  const auto found = links_of(with("0-4:100,4-7:50"));
  EXPECT_TRUE(found->ways.at(node0, node0).empty());
  EXPECT_EQ(found->ways.at(node0, node7), (std::vector<Step>{{0, true}, {1, true}}));
  EXPECT_EQ(found->ways.at(node4, node0), (std::vector<Step>{{0, false}}));
}

TEST(Links, LeadWhereARouteSays) {
  const auto found = links_of(with("0-4:100,4-7:50,0-7:70", "0>7:0,4,7; 4>0:4,7,0"));
  EXPECT_EQ(found->ways.at(node0, node7), (std::vector<Step>{{0, true}, {1, true}}));
  EXPECT_EQ(found->ways.at(node4, node0), (std::vector<Step>{{1, true}, {2, false}}));
  EXPECT_EQ(found->ways.at(node4, node7), (std::vector<Step>{{1, true}}));
}

TEST(Links, AreNoneWithoutADeclaration) {
  const auto found = links_of(three_nodes());
  EXPECT_TRUE(found->links.empty());
  EXPECT_TRUE(found->ways.at(node0, node4).empty());
}

TEST(Links, ThatCannotBeReadAreRefused) {
  for (const char* text : {"0-4", "0:4", "0-4:x", "0-4:0", "-:1", "0-4:99999999999999"}) {
    EXPECT_EQ(links_of(with(text)).error().code, ErrorCode::failed) << text;
  }
  for (const char* text : {"0>4:0", "0>4:4,0", "0-4:0,4", "0>7:0,7", "0>4:0,x,4"}) {
    EXPECT_EQ(links_of(with("0-4:100", text)).error().code, ErrorCode::failed) << text;
  }
}

}  // namespace
}  // namespace homenode::model
