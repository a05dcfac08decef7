// What hwloc must not be given, though an XML parser would take it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <iterator>

#include "captured.h"
#include "machine/xml.h"

namespace homenode::machine {
namespace {

constexpr std::string_view doctype = R"(<!DOCTYPE topology SYSTEM "hwloc2.dtd">)";
constexpr std::string_view not_xml = "it is not XML as hwloc writes it";

/// A good file with one text in place of another.
std::string altered(std::string_view from, std::string_view to) {
  std::ifstream file(captured_machines / "duo-2x4.xml", std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(XmlCheck, TakesAGoodFileWithOrWithoutItsDoctype) {
  EXPECT_EQ(find_xml_problem(altered(doctype, doctype)), "");
  EXPECT_EQ(find_xml_problem(altered(doctype, "")), "");
}

TEST(XmlCheck, RefusesADoctypeWithoutASystemIdentifier) {
  for (const char* other : {"<!DOCTYPE topology>", "<!DOCTYPE topology []>",
                            R"(<!DOCTYPE topology [<!ENTITY a "<object type='X'>">]>)",
                            R"(<!DOCTYPE topology SYSTEM "hwloc2.dtd" [<!ENTITY a "b">]>)"}) {
    EXPECT_EQ(find_xml_problem(altered(doctype, other)), not_xml) << other;
    const auto path = std::filesystem::temp_directory_path() / fmt::format("doctype-{}", getpid());
    std::ofstream(path) << altered(doctype, other);
    EXPECT_FALSE(load_xml(path.string())) << other;
    std::filesystem::remove(path);
  }
}

TEST(XmlCheck, RefusesTextThatIsMarkedAsNoMarkup) {
  EXPECT_EQ(find_xml_problem(altered("</object>", "<![CDATA[</object>]]></object>")), not_xml);
}

TEST(XmlCheck, RefusesAnAttributeWhoseNameEndsHwlocsReader) {
  EXPECT_EQ(find_xml_problem(altered(" os_index=", " os-index=\"1\" os_index=")), not_xml);
}

TEST(XmlCheck, EndsACommentWhereXmlDoes) {
  EXPECT_EQ(find_xml_problem(altered("</object>", "<!--></object>--></object>")), "");
}

TEST(XmlCheck, RefusesASecondAttributeOfAName) {
  EXPECT_EQ(find_xml_problem(altered(" os_index=", R"( os_index="9" os_index=)")), not_xml);
}

}  // namespace
}  // namespace homenode::machine
