// Joining what the files say: which group a mapping is in, and sums over nodes.
#include "sensing/survey.h"

#include <gtest/gtest.h>

#include "captured.h"

namespace homenode::sensing {
namespace {

Survey example() {
  Survey survey;
  survey.mappings = join(parse_numa_maps(CapturedSystem::numa_maps).mappings,
                         parse_maps(CapturedSystem::maps), false);
  return survey;
}

TEST(Survey, EachMappingHasItsGroup) {
  const Survey survey = example();
  std::vector<Group> groups;
  for (const Mapping& mapping : survey.mappings) groups.push_back(mapping.group);
  EXPECT_EQ(groups, (std::vector{Group::file, Group::heap, Group::anonymous, Group::anonymous,
                                 Group::shared, Group::huge, Group::anonymous, Group::anonymous,
                                 Group::stack}));
}

TEST(Survey, MapsGivesEndsAndNames) {
  const Survey survey = example();
  EXPECT_EQ(survey.mappings[0].end, 0x40a000U);
  EXPECT_EQ(survey.mappings[0].name, "/opt/bin/long program");
  EXPECT_EQ(survey.mappings[7].name, "[anon:arena]");
  EXPECT_EQ(survey.mappings[6].name, "/lib/libc.so.6") << "a private copy keeps the file's name";
  EXPECT_FALSE(survey.mappings[0].transparent_huge) << "maps has no amounts";
}

TEST(Survey, WithoutMapsNoEndIsKnown) {
  for (const Mapping& mapping :
       join(parse_numa_maps(CapturedSystem::numa_maps).mappings, {}, false)) {
    EXPECT_FALSE(mapping.end);
  }
}

TEST(Survey, SmapsGivesAmounts) {
  const auto mappings = join(parse_numa_maps("7f00 default anon=512 N0=512").mappings,
                             parse_maps("7f00-207f00 rw-p 0 0 0\nAnonHugePages: 2048 kB\n"), true);
  ASSERT_EQ(mappings.size(), 1U);
  EXPECT_EQ(mappings.front().transparent_huge, 2_MiB);
  EXPECT_EQ(mappings.front().swapped, Bytes());
}

TEST(Survey, SumsAreInBytes) {
  const Survey survey = example();
  EXPECT_EQ(bytes_on_nodes(survey, Group::huge), (BytesOnNodes{{NodeId(64), 4U << 20U}}));
  EXPECT_EQ(bytes_on_nodes(survey, Group::heap),
            (BytesOnNodes{{NodeId(0), 60U * 4096}, {NodeId(1), 40U * 4096}}));
  const BytesOnNodes all = bytes_on_nodes(survey);
  EXPECT_EQ(all.at(NodeId(0)), (10U + 60 + 400 + 512 + 2 + 3) * 4096);
  EXPECT_EQ(all.at(NodeId(1)), (40U + 600 + 4) * 4096);
}

TEST(Survey, GroupsHaveNamesThatReadBack) {
  for (Group group : all_groups) EXPECT_EQ(parse_group(to_string(group)), group);
  EXPECT_EQ(parse_group("heaps"), std::nullopt);
}

}  // namespace
}  // namespace homenode::sensing
