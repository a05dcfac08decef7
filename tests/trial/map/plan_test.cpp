#include "trial/map/plan.h"

#include <gtest/gtest.h>

#include "access/access_matrix.h"
#include "support/machines.h"
#include "trial/map/matrix.h"
#include "workloads/map/patterns/line.h"

namespace homenode::trial {
namespace {

using MapPattern = workloads::map::Pattern;
namespace patterns = workloads::map::patterns;
using workloads::map::Span;

MapOptions options_for(MapPattern pattern, Method method, Bytes size = 1_MiB) {
  MapOptions options;
  options.pattern = pattern;
  options.method = method;
  options.size = size;
  return options;
}

MapPlan plan(const machine::Machine& machine, const MapOptions& options) {
  auto result = plan_map(machine, options, MemoryFacts{});
  EXPECT_TRUE(result) << (result ? "" : result.error().message());
  return *std::move(result);
}

/// The node matrix if every page went where the plan says; else all pages on `otherwise`.
access::NodeMatrix planned_matrix(const machine::Machine& machine, const MapPlan& plan,
                                  NodeId otherwise = NodeId(0)) {
  std::vector<std::optional<NodeId>> pages(plan.phases[0].bytes.value / plan.page_bytes, otherwise);
  if (const auto* map = std::get_if<placement::PageMap>(&plan.phases[0].memory)) {
    pages.assign(map->begin(), map->end());
  }
  const auto nodes = machine.node_ids().to_vector();
  const auto computed = compute_access(
      {plan.phases[0].walks, pages, plan.page_bytes / 64, plan.options.operation, 1}, nodes);
  return access::fold(computed.by_thread, plan.node_of_thread, nodes);
}

TEST(PlanMap, LeavesTheDefaultToTheFirstTouch) {
  const auto machine = quad_machine();
  const MapPlan made = plan(machine, options_for(patterns::divided, Method::standard));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(made.phases[0].memory));
  EXPECT_EQ(made.threads, 8U);
  const auto matrix = planned_matrix(machine, made);
  EXPECT_DOUBLE_EQ(access::column_concentration(matrix), 1.0);
  EXPECT_DOUBLE_EQ(access::local_share(matrix), 0.25);
}

TEST(PlanMap, BindsThreadsNodeByNodeOrAsListed) {
  const auto machine = quad_machine();
  MapOptions options = options_for(patterns::shared, Method::standard);
  options.threads = 3;
  EXPECT_EQ(plan(machine, options).node_of_thread,
            (std::vector<NodeId>{NodeId(0), NodeId(0), NodeId(1)}));
  options.bind = "6,0";
  EXPECT_EQ(plan(machine, options).node_of_thread,
            (std::vector<NodeId>{NodeId(3), NodeId(0), NodeId(3)}));
  options.bind = "none";
  EXPECT_TRUE(plan(machine, options).cpus_of_thread.empty());
}

TEST(PlanMap, InterleavesForTheApiWhereNobodyOwnsAPage) {
  const auto machine = quad_machine();
  for (MapPattern pattern : {patterns::shared, patterns::interleaved}) {
    MapOptions options = options_for(pattern, Method::api);
    const auto all = plan(machine, options);
    EXPECT_EQ(std::get<placement::Policy>(all.phases[0].memory).kind,
              placement::PolicyKind::interleave);
    EXPECT_EQ(std::get<placement::Policy>(all.phases[0].memory).nodes, machine.node_ids());
    options.threads = 4;
    const auto half = plan(machine, options);
    EXPECT_EQ(std::get<placement::Policy>(half.phases[0].memory).nodes,
              (NodeSet{NodeId(0), NodeId(1)}));
    options.bind = "none";
    const auto unbound = plan(machine, options);
    EXPECT_EQ(std::get<placement::Policy>(unbound.phases[0].memory).nodes, machine.node_ids());
  }
}

TEST(PlanMap, PutsDividedPartsOnTheirThreadsNodes) {
  const auto machine = quad_machine();
  for (Method method : {Method::api, Method::rewrite}) {
    const auto matrix =
        planned_matrix(machine, plan(machine, options_for(patterns::divided, method)));
    EXPECT_DOUBLE_EQ(access::local_share(matrix), 1.0);
    EXPECT_DOUBLE_EQ(access::column_concentration(matrix), 0.25);
  }
}

TEST(PlanMap, CannotHelpUnevenPagesByPolicyButByRewriting) {
  // 25.5 pages a node: the threads of two nodes meet inside a page.
  const auto machine = quad_machine();
  const Bytes uneven{102 * 4096};
  const auto api =
      planned_matrix(machine, plan(machine, options_for(patterns::divided, Method::api, uneven)));
  EXPECT_LT(access::local_share(api), 1.0);
  EXPECT_GE(access::local_share(api), 0.97);
  const auto rewrite = planned_matrix(
      machine, plan(machine, options_for(patterns::divided, Method::rewrite, uneven)));
  EXPECT_DOUBLE_EQ(access::local_share(rewrite), 1.0);
}

TEST(PlanMap, HealsInterleavedByRewritingAlone) {
  const auto machine = quad_machine();
  const MapPlan made = plan(machine, options_for(patterns::interleaved, Method::rewrite));
  EXPECT_DOUBLE_EQ(access::local_share(planned_matrix(machine, made)), 1.0);
}

TEST(PlanMap, LeavesPartialOnlyTheNeighboursSharesRemote) {
  // 8 threads, 2 on each of 4 nodes: of the 14 shares that are used besides 8 own parts, the 6
  // across a border between nodes are remote.
  const auto machine = quad_machine();
  MapOptions options = options_for(patterns::partial, Method::rewrite);
  options.overlap_percent = 50;
  const double own = 8.0;
  const double shares = 14 * 0.5;
  const double remote = 6 * 0.5;
  const auto matrix = planned_matrix(machine, plan(machine, options));
  EXPECT_DOUBLE_EQ(access::local_share(matrix), (own + shares - remote) / (own + shares));
}

TEST(PlanMap, RewritesSharedIntoBlocksAndStartsEachThreadAtItsNodesBlock) {
  const auto machine = quad_machine();
  const MapPlan made = plan(machine, options_for(patterns::shared, Method::rewrite));
  const std::size_t quarter = (1U << 20U) / 64 / 4;
  EXPECT_EQ(made.phases[0].walks[0], (std::vector<Span>{{0, 4 * quarter, 1}}));
  EXPECT_EQ(made.phases[0].walks[5],
            (std::vector<Span>{{2 * quarter, 2 * quarter, 1}, {0, 2 * quarter, 1}}));
  const auto matrix = planned_matrix(machine, made);
  EXPECT_DOUBLE_EQ(access::column_concentration(matrix), 0.25);
  EXPECT_DOUBLE_EQ(access::local_share(matrix), 0.25);
}

TEST(PlanMap, RewritesSharedOnFewerPagesThanNodes) {
  const MapPlan made =
      plan(quad_machine(), options_for(patterns::shared, Method::rewrite, Bytes{4096 + 64}));
  for (const auto& walk : made.phases[0].walks) EXPECT_EQ(workloads::map::count_of(walk), 65U);
}

TEST(PlanMap, AlignsPartsToHugePagesWhenTheseAreWanted) {
  MapOptions options = options_for(patterns::divided, Method::rewrite, 9_MiB);
  options.pages = PageKind::huge;
  const MapPlan made = plan(quad_machine(), options);
  EXPECT_EQ(made.alignment, 2U << 20U);
  EXPECT_EQ(made.phases[0].bytes, 16_MiB);
  for (std::size_t begin : made.phases[0].layout.part_begins)
    EXPECT_EQ(begin * 64 % made.alignment, 0U);
}

TEST(PlanMap, UsesTheNearestMemoryOfThreadsWhoseNodeHasNone) {
  const auto machine = lopsided_machine();
  EXPECT_EQ(memory_of(machine, {NodeId(0)}), std::vector{NodeId(8)});
  EXPECT_EQ(memory_of(machine, {NodeId(5)}), std::vector{NodeId(5)});
  const MapPlan made = plan(machine, options_for(patterns::divided, Method::api));
  const auto& pages = std::get<placement::PageMap>(made.phases[0].memory);
  EXPECT_EQ(pages.front(), NodeId(8));
  EXPECT_EQ(pages.back(), NodeId(5));
  const auto policy = std::get<placement::Policy>(
      plan(machine, options_for(patterns::shared, Method::api)).phases[0].memory);
  EXPECT_EQ(policy.nodes, (NodeSet{NodeId(5), NodeId(8)}));
}

TEST(PlanMap, TakesAnUnknownDistanceForFartherThanAnyKnownOne) {
  auto machine = lopsided_machine();
  // Node 5 is at distance 20 from node 0; nobody says how far away node 8 is.
  const std::vector<NodeId> known{NodeId(0), NodeId(5)};
  machine.distances = machine::Distances{Matrix<NodeId, NodeId>(known, known, 20.0)};
  EXPECT_EQ(memory_of(machine, {NodeId(0)}), std::vector{NodeId(5)});
}

TEST(PlanMap, RespectsTheCpusetsNodes) {
  auto machine = quad_machine();
  machine.allowed_nodes = NodeSet{NodeId(2)};
  const MapPlan made = plan(machine, options_for(patterns::divided, Method::api));
  for (NodeId node : std::get<placement::PageMap>(made.phases[0].memory))
    EXPECT_EQ(node, NodeId(2));
}

TEST(PlanMap, RefusesMoreThanTheMemoryWithoutOverflow) {
  const auto machine = quad_machine();  // 256 MiB.
  for (std::uint64_t size :
       {std::uint64_t{257} << 20U, ~std::uint64_t{0}, std::uint64_t{1} << 63U}) {
    const auto made =
        plan_map(machine, options_for(patterns::shared, Method::standard, Bytes{size}), {});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::bad_usage);
  }
  MemoryFacts facts;
  facts.available = 1_MiB;
  EXPECT_FALSE(plan_map(machine, options_for(patterns::shared, Method::standard, 2_MiB), facts));
  EXPECT_TRUE(plan_map(machine, options_for(patterns::shared, Method::standard, 1_MiB), facts));
}

TEST(PlanMap, CountsPaddingAgainstTheMemory) {
  MapOptions options = options_for(patterns::interleaved, Method::rewrite, 4_MiB);
  options.pages = PageKind::huge;
  options.threads = 200;  // 200 parts of 2 MiB each do not fit in 256 MiB.
  const auto made = plan_map(quad_machine(), options, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::bad_usage);
}

TEST(PlanMap, SaysSoWhenThereIsNoMemoryOrCpuToUse) {
  auto machine = quad_machine();
  machine.allowed_nodes = {};
  auto made = plan_map(machine, options_for(patterns::shared, Method::standard, Bytes{4096}), {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::not_supported);
  machine = quad_machine();
  machine.allowed_cpus = {};
  made = plan_map(machine, options_for(patterns::shared, Method::standard), {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::not_supported);
}

}  // namespace
}  // namespace homenode::trial
