// The verb as a whole, on the machine that the test is on, under the fake kernel.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/command_line.h"

namespace homenode::cli {
namespace {

using Words = std::vector<std::string>;

/// Arrays as small as can be, and one run: the verb is tested, not the machine.
Words smallest(Words more) {
  Words words{"measure", "--quick", "--size", "2M", "--runs", "1", "--no-progress"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class MeasureFiles : public ::testing::Test {
 protected:
  MeasureFiles() { std::filesystem::create_directories(folder); }
  ~MeasureFiles() override { std::filesystem::remove_all(folder); }
  MeasureFiles(const MeasureFiles&) = delete;
  MeasureFiles& operator=(const MeasureFiles&) = delete;

  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("homenode-measure-" + std::to_string(getpid()));
};

TEST_F(MeasureFiles, AreWrittenWholeAndReadBack) {
  CommandLine line;
  line.os.set_filter("homenode-draw", 0, {"<svg >drawn</svg>", ""});
  const std::string xml = folder / "m.xml";
  const std::string svg = folder / "m.svg";
  ASSERT_EQ(line.run(smallest({"--only", "latency", "--json", "--output", xml, "--svg", svg})),
            exit_done)
      << line.err.str();
  const auto json = nlohmann::json::parse(line.out.str());
  EXPECT_EQ(json["mode"], "quick");
  const auto machine = machine::load_xml(xml);
  ASSERT_TRUE(machine) << machine.error().message();
  const auto* latency = machine->find(machine::MatrixKind::read_latency);
  ASSERT_NE(latency, nullptr);
  EXPECT_EQ(latency->provenance, machine::Provenance::measured);
  const NodeId node(json["sources"][0].get<unsigned>());
  const double measured = json["matrices"]["read_latency_ns"]["values"][0][0];
  EXPECT_NEAR(latency->values.at(node, node), measured, 0.5);
  bool says_how = false;
  for (const auto& [name, value] : machine->info) {
    says_how = says_how || (name == "Source.Measure" && value.starts_with("measured"));
  }
  EXPECT_TRUE(says_how);
  std::string drawn;
  std::getline(std::ifstream(svg), drawn);
  EXPECT_EQ(drawn, "<svg >drawn</svg>");
  EXPECT_EQ(line.os.filtered().first[1], "measure");
  EXPECT_EQ(nlohmann::json::parse(line.os.filtered().second), json);
}

TEST_F(MeasureFiles, StayAsTheyWereWhenTheMeasurementFails) {
  CommandLine line;
  const std::string xml = folder / "m.xml";
  std::ofstream(xml) << "old";
  line.os.fail_call("map_memory", 1, ENOMEM);
  EXPECT_EQ(line.run(smallest({"--only", "latency", "--output", xml})), exit_failed);
  EXPECT_TRUE(line.out.str().empty());
  EXPECT_NE(line.err.str().find("homenode measure: cannot allocate"), std::string::npos);
  std::string content;
  std::getline(std::ifstream(xml), content);
  EXPECT_EQ(content, "old");
}

TEST(MeasureCommand, PrintsTablesByDefault) {
  CommandLine line;
  ASSERT_EQ(line.run(smallest({"--only", "bandwidth,weights", "--kernel", "copy"})), exit_done)
      << line.err.str();
  EXPECT_NE(line.out.str().find("Bandwidth in MiB/s by kernel"), std::string::npos);
  EXPECT_NE(line.out.str().find("from the copy bandwidths"), std::string::npos);
  EXPECT_TRUE(line.err.str().empty());
}

TEST(MeasureCommand, RefusesBadOptionsInOneLine) {
  CommandLine line;
  for (const Words& words : {Words{"measure", "--only", "x"}, Words{"measure", "--kernel", "x"},
                             Words{"measure", "--isa", "x"}, Words{"measure", "--from", "60000"},
                             Words{"measure", "--size", "x"}, Words{"measure", "--runs", "x"},
                             Words{"measure", "--size", "900T"}, Words{"measure", "extra"}}) {
    EXPECT_EQ(line.run(words), exit_usage) << words.back();
    EXPECT_TRUE(line.out.str().empty());
    const std::string message = line.err.str();
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 1) << message;
  }
}

}  // namespace
}  // namespace homenode::cli
