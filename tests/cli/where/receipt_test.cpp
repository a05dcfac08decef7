// Receipts as text and as JSON.
#include "cli/where/receipt.h"

#include <gtest/gtest.h>

namespace homenode::cli {
namespace {

RepairReport report() {
  actuation::RepairReceipt pages;
  pages.looked_at_bytes = 10U << 20U;
  pages.planned_bytes = 8U << 20U;
  pages.moved_bytes = 5U << 20U;
  pages.kept_shared_bytes = 1U << 20U;
  pages.refused_bytes = 2U << 20U;
  pages.plan = {{{NodeId(0), NodeId(1)}, 8U << 20U}};
  pages.refusals = {
      {failed("cannot move some pages to node 1", "free memory", 12).take(), 2U << 20U}};
  return {7,
          "pro\ngram",
          false,
          "bind@1",
          pages,
          {{7, "main", {CpuId(1)}, true, false, {}}},
          {{NodeId(0), 8U << 20U}, {NodeId(1), 2U << 20U}},
          sensing::BytesOnNodes{{NodeId(0), 3U << 20U}, {NodeId(1), 7U << 20U}}};
}

TEST(WhereReceipt, SaysWhatWasDoneAndWhatWasNot) {
  const std::string text = receipt_text(report());
  for (const char* part : {"repair of process 7 (pro\\ngram): bind@1\n", "moved       5.00",
                           "refused     2.00", "2.00 MiB: cannot move some pages to node 1",
                           "before    8.00    2.00", "after     3.00    7.00", "main"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(WhereReceipt, ADryRunIsAPlan) {
  RepairReport plan = report();
  plan.dry_run = true;
  plan.after = std::nullopt;
  const std::string text = receipt_text(plan);
  EXPECT_TRUE(text.starts_with("plan for a repair of process 7"));
  EXPECT_NE(text.find("node 0  node 1  8.00"), std::string::npos) << text;
  EXPECT_EQ(text.find("moved"), std::string::npos);
  EXPECT_EQ(text.find("after"), std::string::npos);
}

TEST(WhereReceipt, IsCompleteWhenNothingWasRefused) {
  RepairReport whole = report();
  EXPECT_FALSE(is_complete(whole));
  whole.pages->refused_bytes = 0;
  EXPECT_TRUE(is_complete(whole)) << "shared pages that were kept are no refusal";
  whole.pages->stopped = true;
  EXPECT_FALSE(is_complete(whole));
  whole.pages = std::nullopt;
  EXPECT_TRUE(is_complete(whole));
  whole.threads[0].refusal = failed("x", "y").take();
  EXPECT_FALSE(is_complete(whole));
}

TEST(WhereReceipt, JsonHasEverything) {
  const auto json = receipt_json(report());
  EXPECT_EQ(json["schema"], "homenode.where.repair/2");
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["pages"]["planned_bytes"], 8U << 20U);
  EXPECT_EQ(json["pages"]["plan"][0]["to"], 1);
  EXPECT_EQ(json["pages"]["refusals"][0]["errno"], 12);
  EXPECT_EQ(json["threads"][0]["bound"], true);
  EXPECT_EQ(json["after_bytes"]["1"], 7U << 20U);
}

}  // namespace
}  // namespace homenode::cli
