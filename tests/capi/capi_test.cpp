#include <homenode/homenode.h>

#include <gtest/gtest.h>

#include <string>

namespace {

std::string error_of(const char* source, int expected) {
  char* json = nullptr;
  char* error = nullptr;
  EXPECT_EQ(hn_machine_json(source, &json, &error), expected);
  EXPECT_EQ(json, nullptr);
  const std::string text = error != nullptr ? error : "";
  hn_string_free(error);
  return text;
}

TEST(MachineJson, DescribesASyntheticMachine) {
  char* json = nullptr;
  char* error = nullptr;
  ASSERT_EQ(hn_machine_json("synthetic:numa:4 core:2 pu:1", &json, &error), HN_OK);
  EXPECT_EQ(error, nullptr);
  EXPECT_NE(std::string(json).find("\"cpus\": [\n        6,\n        7\n      ]"),
            std::string::npos)
      << json;
  hn_string_free(json);
}

TEST(MachineJson, SaysInOneLineWhatIsWrong) {
  EXPECT_FALSE(error_of("/no/such/machine.xml", HN_FAILED).empty());
  EXPECT_FALSE(error_of("nonsense", HN_FAILED).empty());
  EXPECT_FALSE(error_of(nullptr, HN_BAD_USAGE).empty());
}

TEST(MachineJson, RefusesAMissingPlaceForTheAnswer) {
  EXPECT_EQ(hn_machine_json("live", nullptr, nullptr), HN_BAD_USAGE);
}

TEST(StringFree, AllowsNull) {
  hn_string_free(nullptr);
}

}  // namespace
