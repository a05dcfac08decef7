#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "machine/captured.h"
#include "support/command_line.h"
#include "support/golden.h"

namespace homenode::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string input(const std::string& name) {
  return (machine::captured_machines / (name + ".xml")).string();
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A command line with a homenode-draw that prints this picture.
struct DrawingLine : CommandLine {
  DrawingLine() { os.set_filter("homenode-draw", 0, {picture, ""}); }
  std::string picture = "<svg >drawn</svg>\n";
};

class TopologyFiles : public testing::Test {
 protected:
  TopologyFiles() {
    std::string pattern = (fs::temp_directory_path() / "homenode-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    directory = pattern;
  }
  ~TopologyFiles() override { fs::remove_all(directory); }

  /// Everything in the directory, so that nothing is left behind unseen.
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
  }

  fs::path directory;
};

TEST(Topology, TextOfCapturedMachines) {
  for (const char* name : {"duo-2x4", "quad-4x2", "eight-8x4", "cxl-3", "memoryless-4x2",
                           "sparse-power", "many-72x1"}) {
    CommandLine line;
    ASSERT_EQ(line.run({"topology", "--input", input(name)}), exit_done) << line.err.str();
    expect_golden(line.out.str(), "topology/" + std::string(name) + ".txt");
  }
}

TEST(Topology, TextOfLiveMachines) {
  for (const char* name : {"offline-2x4", "offline-first", "cpuset-4x2"}) {
    CommandLine line;
    const machine::SysfsTree tree(name);
    ASSERT_EQ(line.run({"topology"}), exit_done) << line.err.str();
    expect_golden(line.out.str(), "topology/" + std::string(name) + ".txt");
  }
}

TEST(Topology, TellsTheTiersOfMemoryWhereThereAreSeveral) {
  CommandLine line;
  const machine::SysfsTree tree("offline-2x4");
  const std::string folder = "/sys/devices/virtual/memory_tiering/memory_tier";
  tree.set(folder + "4/nodelist", "0-1");
  ASSERT_EQ(line.run({"topology"}), exit_done) << line.err.str();
  EXPECT_EQ(line.out.str().find("tiers"), std::string::npos);
  tree.set(folder + "4/nodelist", "0");
  tree.set(folder + "22/nodelist", "1");
  ASSERT_EQ(line.run({"topology"}), exit_done) << line.err.str();
  EXPECT_NE(line.out.str().find("tiers    fastest first: node 0 (tier 4), node 1 (tier 22)\n"),
            std::string::npos)
      << line.out.str();
  ASSERT_EQ(line.run({"topology", "--json"}), exit_done) << line.err.str();
  EXPECT_NE(line.out.str().find("\"tier\": 22"), std::string::npos) << line.out.str();
}

TEST(Topology, TextOfASyntheticMachine) {
  CommandLine line;
  ASSERT_EQ(line.run({"topology", "--input", "synthetic:[numa] pack:2 l3:2 pu:2"}), exit_done);
  expect_golden(line.out.str(), "topology/synthetic.txt");
}

TEST(Topology, APictureIsWhatHomenodeDrawMakesOfTheJson) {
  DrawingLine line;
  ASSERT_EQ(line.run({"topology", "--input", input("duo-2x4"), "--json"}), exit_done);
  const std::string json = line.out.str();
  ASSERT_EQ(line.run({"topology", "--input", input("duo-2x4"), "--svg"}), exit_done);
  EXPECT_EQ(line.out.str(), line.picture);
  const auto [command, given] = line.os.filtered();
  EXPECT_EQ(given, json);
  ASSERT_EQ(command.size(), 4U);
  EXPECT_EQ(fs::path(command[0]).filename(), "homenode-draw");
  EXPECT_EQ(command[1], "topology");
}

TEST(Topology, WithoutHomenodeDrawThereIsNoPictureAndAWayToOne) {
  CommandLine line;
  EXPECT_EQ(line.run({"topology", "--svg"}), exit_not_supported);
  EXPECT_TRUE(line.out.str().empty());
  EXPECT_NE(line.err.str().find("homenode topology: cannot draw: homenode-draw is neither beside "
                                "this command nor on PATH; install homenode's Python part"),
            std::string::npos)
      << line.err.str();
}

struct Ending {
  int code;
  const char* errors;
  int verb_code;
  const char* message;
};

TEST(Topology, AFailureOfHomenodeDrawIsReportedInOneLine) {
  const std::vector<Ending> endings = {
      {1, "homenode draw: cannot read it: odd; try again\n", exit_failed,
       "homenode topology: cannot read it: odd; try again\n"},
      {3, "homenode draw: the Python module x is missing; run './dev setup'\n", exit_not_supported,
       "homenode topology: the Python module x is missing; run './dev setup'\n"},
      {1, "Traceback:\n  File\nMemoryError\n", exit_failed,
       "homenode topology: cannot draw: homenode-draw ended with exit code 1: MemoryError; "
       "check that 'homenode draw --help' works\n"},
      {0, "", exit_failed,
       "homenode topology: cannot draw: homenode-draw ended with exit code 0; check that "
       "'homenode draw --help' works\n"},
      {-EACCES, "", exit_failed, nullptr}};
  for (const Ending& ending : endings) {
    CommandLine line;
    line.os.set_filter("homenode-draw", ending.code, {"", ending.errors});
    EXPECT_EQ(line.run({"topology", "--svg"}), ending.verb_code);
    EXPECT_TRUE(line.out.str().empty());
    if (ending.message != nullptr) {
      EXPECT_EQ(line.err.str(), ending.message);
    }
    EXPECT_TRUE(line.err.str().starts_with("homenode topology: ")) << line.err.str();
  }
}

TEST(Topology, JsonSaysAllOfTheMachine) {
  CommandLine line;
  ASSERT_EQ(line.run({"topology", "--json", "--input", input("duo-2x4")}), exit_done);
  const Json json = Json::parse(line.out.str());
  EXPECT_EQ(json["schema"], "homenode.machine/2");
  EXPECT_EQ(json["name"], "Two Socket Server");
  EXPECT_EQ(json["nodes"][1], (Json{{"id", 1},
                                    {"cpus", {4, 5, 6, 7}},
                                    {"memory_bytes", std::uint64_t{16} << 30},
                                    {"package", 1},
                                    {"tier", nullptr}}));
  EXPECT_EQ(json["packages"][0], (Json{{"id", 0}, {"cpus", {0, 1, 2, 3}}}));
  EXPECT_EQ(json["caches"].size(), 10U);
  EXPECT_EQ(
      json["caches"][0],
      (Json{
          {"level", 1}, {"size_bytes", 32768}, {"ways", 8}, {"line_bytes", 64}, {"cpus", {0, 1}}}));
  EXPECT_EQ(json["devices"][0], (Json{{"name", "nvme0n1"},
                                      {"kind", "block"},
                                      {"pci", "0000:82:00.0"},
                                      {"nodes", Json::array({1})}}));
  EXPECT_EQ(
      json["distances"],
      (Json{{"provenance", "declared"}, {"nodes", {0, 1}}, {"values", {{10, 21}, {21, 10}}}}));
  EXPECT_EQ(json["allowed"], (Json{{"cpus", {0, 1, 2, 3, 4, 5, 6, 7}}, {"nodes", {0, 1}}}));
  EXPECT_EQ(json["info"]["LabNodeMemoryMiB"], "256");
}

TEST(Topology, JsonHasNullForWhatIsUnknown) {
  CommandLine line;
  ASSERT_EQ(line.run({"topology", "--json", "--input", "synthetic:numa:2 pu:1"}), exit_done);
  const Json json = Json::parse(line.out.str());
  EXPECT_TRUE(json["distances"].is_null());
  EXPECT_TRUE(json["nodes"][0]["package"].is_null());
}

TEST(Topology, RefusesBadInput) {
  CommandLine line;
  EXPECT_EQ(line.run({"topology", "--input", "/nonexistent.xml"}), exit_failed);
  EXPECT_EQ(line.err.str(),
            "homenode topology: cannot read the machine file '/nonexistent.xml': No such file or "
            "directory; check the path\n");
  EXPECT_EQ(line.run({"topology", "--input", input("broken/truncated")}), exit_failed);
  EXPECT_EQ(line.run({"topology", "--input", "synthetic:?"}), exit_usage);
  EXPECT_EQ(line.run({"topology", "--nosuch"}), exit_usage);
  EXPECT_EQ(line.run({"topology", "--json", "--svg"}), exit_usage);
  EXPECT_EQ(line.run({"topology", "--svg", "--xml", "-"}), exit_usage);
  EXPECT_TRUE(line.out.str().empty());
}

TEST_F(TopologyFiles, WritesFilesAndPrintsNothingElse) {
  DrawingLine line;
  const fs::path svg = directory / "machine.svg";
  const fs::path xml = directory / "machine.xml";
  ASSERT_EQ(line.run({"topology", "--input", input("cxl-3"), "--svg=" + svg.string(), "--xml",
                      xml.string()}),
            exit_done)
      << line.err.str();
  EXPECT_TRUE(line.out.str().empty());
  EXPECT_TRUE(read(svg).starts_with("<svg "));
  const auto copy = machine::load_xml(xml.string());
  ASSERT_TRUE(copy) << copy.error().message();
  EXPECT_EQ(copy->nodes, machine::captured("cxl-3").nodes);
  EXPECT_EQ(files(), 2U) << "nothing else is left";
}

TEST_F(TopologyFiles, PrintsOneFormBesideFiles) {
  DrawingLine line;
  ASSERT_EQ(line.run({"topology", "--input", input("cxl-3"), "--json", "--svg",
                      (directory / "a.svg").string()}),
            exit_done);
  EXPECT_TRUE(Json::accept(line.out.str()));
  EXPECT_EQ(files(), 1U);
}

TEST_F(TopologyFiles, ReplacesAFileThroughItsLinkAndKeepsItsPermissions) {
  const fs::path file = directory / "old.svg";
  const fs::path link = directory / "link.svg";
  std::ofstream(file) << "old";
  fs::permissions(file, fs::perms(0640));
  fs::create_symlink(file, link);
  DrawingLine line;
  ASSERT_EQ(line.run({"topology", "--svg=" + link.string()}), exit_done) << line.err.str();
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(read(file).starts_with("<svg "));
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
}

TEST_F(TopologyFiles, AFullDiskIsSaidAndTheOldFileStays) {
  DrawingLine line;
  EXPECT_EQ(line.run({"topology", "--svg=/dev/full"}), exit_failed);
  EXPECT_NE(line.err.str().find("'/dev/full': No space left on device; free some space"),
            std::string::npos)
      << line.err.str();

  // No room left, as a limit on file sizes gives it to anybody.
  const fs::path file = directory / "machine.svg";
  std::ofstream(file) << "old";
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const int code = line.run({"topology", "--svg=" + file.string()});
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(code, exit_failed);
  EXPECT_NE(line.err.str().find("File too large; free some space"), std::string::npos)
      << line.err.str();
  EXPECT_EQ(read(file), "old");
  EXPECT_EQ(files(), 1U) << "no half file is left";
}

TEST_F(TopologyFiles, AMissingDirectoryIsSaid) {
  DrawingLine line;
  EXPECT_EQ(line.run({"topology", "--xml=" + (directory / "none/machine.xml").string()}),
            exit_failed);
  EXPECT_NE(line.err.str().find("create the directory first"), std::string::npos);
}

}  // namespace
}  // namespace homenode::cli
