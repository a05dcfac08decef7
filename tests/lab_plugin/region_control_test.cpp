#include "lab/plugin/region_control.h"

#include <gtest/gtest.h>

#include "processes.h"

namespace homenode::lab {
namespace {

constexpr Region our_region{Scope::process, ours};
constexpr Region their_region{Scope::process, theirs};
constexpr Region everyone{Scope::all, ours};

RegionControl with_open(const Region& region) {
  RegionControl control;
  EXPECT_TRUE(control.begin(region));
  const RegionChange change = control.take_change();
  EXPECT_FALSE(change.closes);
  EXPECT_TRUE(change.opens);
  return control;
}

TEST(RegionControl, OpensAtBeginAndClosesAtEnd) {
  RegionControl control = with_open(our_region);
  ASSERT_TRUE(control.open());
  EXPECT_EQ(control.open()->owner_cr3, ours);
  EXPECT_TRUE(control.end(ours));
  const RegionChange change = control.take_change();
  EXPECT_TRUE(change.closes);
  EXPECT_TRUE(change.ended_by_marker);
  EXPECT_FALSE(change.opens);
  EXPECT_FALSE(control.open());
}

TEST(RegionControl, ChangesNothingBeforeTheMomentOfChange) {
  RegionControl control;
  EXPECT_TRUE(control.begin(our_region));
  EXPECT_FALSE(control.open());
}

TEST(RegionControl, IgnoresEndWithoutBegin) {
  RegionControl control;
  EXPECT_FALSE(control.end(ours));
}

TEST(RegionControl, IgnoresEndOfAnotherProcess) {
  RegionControl control = with_open(our_region);
  EXPECT_FALSE(control.end(theirs));
  control = with_open(everyone);
  EXPECT_FALSE(control.end(theirs));
  EXPECT_TRUE(control.end(ours));
}

TEST(RegionControl, IgnoresASecondBeginOfTheSameProcess) {
  RegionControl control = with_open(our_region);
  EXPECT_FALSE(control.begin(our_region));
  EXPECT_FALSE(control.begin(everyone));
}

TEST(RegionControl, IgnoresBeginsWhileEveryProcessIsCounted) {
  RegionControl control = with_open(everyone);
  EXPECT_FALSE(control.begin(their_region));
  EXPECT_FALSE(control.begin(our_region));
}

TEST(RegionControl, ClosesARegionLeftOpenWhenAnotherProcessBegins) {
  RegionControl control = with_open(our_region);
  EXPECT_TRUE(control.begin(their_region));
  const RegionChange change = control.take_change();
  EXPECT_TRUE(change.closes);
  EXPECT_FALSE(change.ended_by_marker);
  ASSERT_TRUE(change.opens);
  EXPECT_EQ(change.opens->owner_cr3, theirs);
  EXPECT_EQ(control.open()->owner_cr3, theirs);
}

TEST(RegionControl, DropsAProvisionalRegionWhenAnotherBegins) {
  constexpr Region provisional{Scope::all, ours, true};
  for (const Region& wanted : {our_region, their_region, everyone}) {
    RegionControl control = with_open(provisional);
    EXPECT_FALSE(control.begin(provisional));
    EXPECT_TRUE(control.begin(wanted));
    const RegionChange change = control.take_change();
    EXPECT_TRUE(change.closes);
    EXPECT_TRUE(change.drops);
    ASSERT_TRUE(change.opens);
    EXPECT_EQ(change.opens->scope, wanted.scope);
    EXPECT_FALSE(control.begin(provisional)) << "it opens beside none";
    EXPECT_TRUE(control.end(wanted.owner_cr3));
    EXPECT_FALSE(control.take_change().drops);
  }
}

TEST(RegionControl, KeepsAProvisionalRegionThatEndsByItself) {
  RegionControl control = with_open({Scope::all, ours, true});
  EXPECT_FALSE(control.end(theirs));
  EXPECT_TRUE(control.end(ours));
  const RegionChange change = control.take_change();
  EXPECT_TRUE(change.closes);
  EXPECT_FALSE(change.drops);
}

TEST(RegionControl, OpensNoProvisionalRegionWhereAnotherIsAboutToOpen) {
  RegionControl control;
  EXPECT_TRUE(control.begin({Scope::all, ours, true}));
  EXPECT_FALSE(control.begin(their_region));
  const RegionChange change = control.take_change();
  EXPECT_FALSE(change.closes);
  ASSERT_TRUE(change.opens);
  EXPECT_EQ(change.opens->owner_cr3, theirs);
}

TEST(RegionControl, EndAnyClosesWhatIsLeftOpenAndNothingElse) {
  for (const Region& left : {our_region, their_region, everyone}) {
    RegionControl control = with_open(left);
    EXPECT_TRUE(control.end_any());
    EXPECT_FALSE(control.end_any()) << "the change is under way";
    const RegionChange change = control.take_change();
    EXPECT_TRUE(change.closes);
    EXPECT_FALSE(change.ended_by_marker);
    EXPECT_FALSE(change.opens);
    EXPECT_FALSE(control.end_any());
  }
  RegionControl control;
  EXPECT_TRUE(control.begin(our_region));
  EXPECT_FALSE(control.end_any()) << "the change that BEGIN asked for comes, and opens nothing";
  EXPECT_FALSE(control.take_change().opens);
}

TEST(RegionControl, ClosesThenOpensWhenBeginFollowsEndBeforeTheChange) {
  RegionControl control = with_open(our_region);
  EXPECT_TRUE(control.end(ours));
  EXPECT_FALSE(control.begin(their_region));
  const RegionChange change = control.take_change();
  EXPECT_TRUE(change.closes);
  EXPECT_TRUE(change.ended_by_marker);
  ASSERT_TRUE(change.opens);
  EXPECT_EQ(change.opens->owner_cr3, theirs);
}

TEST(RegionControl, OpensNothingWhenEndFollowsBeginBeforeTheChange) {
  RegionControl control;
  EXPECT_TRUE(control.begin(our_region));
  EXPECT_FALSE(control.end(ours));
  const RegionChange change = control.take_change();
  EXPECT_FALSE(change.closes);
  EXPECT_FALSE(change.opens);
  EXPECT_FALSE(control.open());
}

TEST(RegionControl, CanBeginAgainAfterEachEnd) {
  RegionControl control;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(control.begin(our_region));
    EXPECT_TRUE(control.take_change().opens);
    EXPECT_TRUE(control.end(ours));
    EXPECT_TRUE(control.take_change().closes);
  }
}

}  // namespace
}  // namespace homenode::lab
