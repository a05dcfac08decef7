#include "launch/allocation_names.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "launch/allocation_objects.h"
#include "os/linux.h"

namespace homenode::launch {
namespace {

using Kind = ElfSymbol::Kind;

/// A program and a library.
std::vector<ProgramObject> objects() {
  ProgramObject program{"/bin/cg.A", 1, 2, {}};
  program.elf.stripped = false;
  program.elf.symbols = {{"tiny", 100, 4, Kind::data},
                         {"u_", 4096, 6000, Kind::data},
                         {"v_", 10096, 2000, Kind::data},
                         {"work1", 16384, 8192, Kind::data},
                         {"work2", 24576, 4096, Kind::data},
                         {"copied", 32768, 4096, Kind::data, true},
                         {"table", 40000, 100, Kind::constant},
                         {"alloc_3d", 50000, 300, Kind::code},
                         {"alloc_3d.cold", 60000, 30, Kind::code},
                         {"_Z4makeIdEPT_m", 70000, 10, Kind::code},
                         {"_Z4makeIfEPT_m", 80000, 10, Kind::code},
                         {"__fields_MOD_w", 90112, 4096, Kind::data},
                         {"__others_MOD_w", 94208, 4096, Kind::data}};
  ProgramObject library{"/lib/libm.so", 1, 3, {}};
  library.elf.symbols = {{"copied", 0, 4096, Kind::data, true},
                         {"work3", 4096, 4096, Kind::data},
                         {"work3_alias", 4096, 4096, Kind::data}};
  return {program, library};
}

AllocationRule rule_for(std::vector<std::string> names, std::uint64_t at_least = 1) {
  return {at_least, "cyclic@0-1", "W", std::move(names)};
}

std::string fields(std::vector<AllocationRule> rules) {
  const auto found = find_named_pieces(rules, objects(), 4096);
  if (!found) return found.error().message();
  std::string text;
  for (const AllocationRule& rule : rules) text += wire_field(rule);
  return text;
}

TEST(NamedPieces, AreWholePages) {
  EXPECT_EQ(fields({rule_for({"work1"})}), " data=1.2.16384.8192:W");
  EXPECT_EQ(fields({rule_for({"u"})}), " data=1.2.4096.8192:W");
  EXPECT_EQ(fields({rule_for({"tiny"})}), " data=1.2.0.4096:W");
}

TEST(NamedPieces, ASharedPageIsTheFirstOnes) {
  // u ends, and v begins and ends, on the page at 8192.
  EXPECT_EQ(fields({rule_for({"v", "u"})}), " data=1.2.4096.8192:W");
  EXPECT_EQ(fields({rule_for({"v"}), rule_for({"u"})}), " data=1.2.4096.8192:W");
  EXPECT_EQ(fields({rule_for({"v"})}), " data=1.2.8192.4096:W");
}

TEST(NamedPieces, TakePatternsAndSizesAndEachArrayOnce) {
  EXPECT_EQ(fields({rule_for({"work?"})}), " data=1.2.16384.8192,1.2.24576.4096,1.3.4096.4096:W");
  EXPECT_EQ(fields({rule_for({"work2"}), rule_for({"work*"}, 4097)}),
            " data=1.2.24576.4096:W data=1.2.16384.8192:W");
  EXPECT_EQ(fields({rule_for({"work1"}), rule_for({"work[12]"})}),
            " data=1.2.16384.8192:W data=1.2.24576.4096:W");
}

TEST(NamedPieces, OfExportedDataIsTheProgramsCopy) {
  EXPECT_EQ(fields({rule_for({"copied"})}), " data=1.2.32768.4096:W");
}

TEST(NamedPieces, OfAFunctionAreAllItsParts) {
  AllocationRule rule = rule_for({}, 9);
  rule.from = {"alloc_3d"};
  EXPECT_EQ(fields({rule}), " place=9@1.2.50000.300,1.2.60000.30:W");
  EXPECT_EQ(target_text(rule), "allocations of 9 bytes or more by alloc_3d");
}

TEST(NamedPieces, OfATemplateAreAllInstancesOrTheOneNamed) {
  AllocationRule rule = rule_for({}, 9);
  rule.from = {"make"};
  EXPECT_EQ(fields({rule}), " place=9@1.2.70000.10,1.2.80000.10:W");
  rule.from = {"make<float>"};
  EXPECT_EQ(fields({rule}), " place=9@1.2.80000.10:W");
  rule.from = {"make<flaot>"};
  EXPECT_NE(fields({rule}).find("did you mean 'make<float>'"), std::string::npos);
}

TEST(NamedPieces, OfFortranAreThoseOfAllModulesOrOfTheOneNamed) {
  EXPECT_EQ(fields({rule_for({"w"})}), " data=1.2.90112.4096,1.2.94208.4096:W");
  EXPECT_EQ(fields({rule_for({"others::w"})}), " data=1.2.94208.4096:W");
}

TEST(NamedPieces, SayWhatIsNear) {
  EXPECT_NE(fields({rule_for({"wrok1"})}).find("did you mean"), std::string::npos);
  EXPECT_NE(fields({rule_for({"work9"})}).find("did you mean 'work1', 'work2', 'work3'?"),
            std::string::npos);
  AllocationRule rule = rule_for({});
  rule.from = {"alloc_2d"};
  EXPECT_NE(fields({rule}).find("did you mean 'alloc_3d'?"), std::string::npos);
}

TEST(NamedPieces, SayWhatIsWrong) {
  EXPECT_NE(fields({rule_for({"table"})}).find("read-only"), std::string::npos);
  EXPECT_NE(fields({rule_for({"work1"}, 10000)}).find("the largest has 8192"), std::string::npos);
  EXPECT_NE(fields({rule_for({"nothing_like_it"})}).find("'nm /bin/cg.A'"), std::string::npos);
  std::vector<AllocationRule> rules{rule_for({"nothing_like_it"})};
  std::vector<ProgramObject> stripped = objects();
  stripped[0].elf.stripped = true;
  const auto found = find_named_pieces(rules, stripped, 4096);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::bad_usage);
  EXPECT_NE(found.error().message().find("stripped"), std::string::npos);
}

TEST(NamedPieces, AreExplained) {
  std::vector<AllocationRule> rules{rule_for({"u", "work2"})};
  EXPECT_EQ(target_text(rules[0]), "static data u, work2");
  ASSERT_TRUE(find_named_pieces(rules, objects(), 4096));
  EXPECT_EQ(target_text(rules[0]),
            "static data u (6000 bytes of cg.A), work2 (4096 bytes of cg.A)");
}

TEST(PathsInList, AreTheLibraries) {
  EXPECT_EQ(paths_in_list("\tlinux-vdso.so.1 (0x00007ffd5)\n"
                          "\tlibm.so.6 => /lib/a folder/libm.so.6 (0x00007f1)\n"
                          "\tlibgone.so => not found\n"
                          "\t/lib64/ld-linux-x86-64.so.2 (0x00007f2)"),
            (std::vector<std::string>{"/lib/a folder/libm.so.6", "/lib64/ld-linux-x86-64.so.2"}));
  EXPECT_TRUE(paths_in_list("").empty());
  EXPECT_TRUE(paths_in_list("\tstatically linked\n").empty());
}

TEST(ProgramObjects, OfThisTestAreItselfAndItsLibraries) {
  os::Linux os;
  const auto objects = read_program_objects(os, std::filesystem::read_symlink("/proc/self/exe"));
  ASSERT_TRUE(objects) << objects.error().message();
  ASSERT_GT(objects->size(), 2U);
  EXPECT_FALSE(objects->front().elf.symbols.empty());
  EXPECT_FALSE(read_program_objects(os, "/nowhere/at all"));
}

}  // namespace
}  // namespace homenode::launch
