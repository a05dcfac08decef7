#include "cli/dispatch.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <set>

#include "cli/man/man.h"
#include "support/command_line.h"

namespace homenode::cli {
namespace {

using Words = std::vector<std::string>;

/// What the lab is started with, without the two paths that depend on where the test runs.
Words lab_words(const os::Fake& os) {
  Words words = os.executed();
  EXPECT_GE(words.size(), 7U);
  if (words.size() < 7) return {};
  EXPECT_TRUE(words[0].ends_with("homenode-lab"));
  const auto end = std::find(words.begin(), words.end(), "--");
  EXPECT_LE(end - words.begin(), 6) << "but for --no-input and --as-verb";
  if (words.end() - end < 2) return {};
  words.erase(words.begin() + 4, end + 2);
  words.erase(words.begin());
  return words;
}

TEST(Dispatch, HelpListsEveryVerb) {
  for (const Words& words : {Words{"--help"}, Words{"-h"}, Words{"help"}}) {
    CommandLine line;
    EXPECT_EQ(line.run(words), exit_done);
    for (const auto& verb : built_in_verbs()) {
      EXPECT_NE(line.out.str().find("\n  " + verb->name() + " "), std::string::npos);
    }
    EXPECT_NE(line.out.str().find("\n  lab "), std::string::npos);
  }
}

/// The files that the lab is told to bring to the host.
Words brought(const os::Fake& os) {
  Words files;
  for (const std::string& word : os.executed()) {
    if (word == "--") break;
    if (word.starts_with("--output=")) files.push_back(word.substr(9));
  }
  return files;
}

TEST(Dispatch, TheLabBringsTheFilesThatAVerbWrites) {
  for (const auto& [words, files] : std::initializer_list<std::pair<Words, Words>>{
           {{"topology", "--machine", "m", "--svg", "a.svg"}, {"a.svg"}},
           {{"topology", "--svg=b c.svg", "--xml", "/d.xml", "--machine=m"}, {"b c.svg", "/d.xml"}},
           {{"topology", "--machine", "m", "--svg"}, {}},
           {{"topology", "--machine", "m", "--svg", "-"}, {}},
           {{"topology", "--machine", "m", "--input", "in.xml"}, {}},
           {{"measure", "--machine", "m", "--output", "o.xml", "--svg", "s.svg"},
            {"o.xml", "s.svg"}},
           {{"bench", "map", "--machine", "m", "--output=o.json"}, {"o.json"}},
           {{"bench", "seismic", "--machine=m", "--snapshot", "p.png", "--seismogram=t.csv"},
            {"p.png", "t.csv"}},
           {{"run", "--machine", "m", "prog", "--output", "its-own"}, {}}}) {
    CommandLine line;
    line.run(words);
    EXPECT_EQ(brought(line.os), files) << words[0] << ' ' << line.err.str();
  }
}

TEST(Dispatch, TheInputIsForProgramsInTheLabAlone) {
  for (const auto& [words, left] : std::initializer_list<std::pair<Words, bool>>{
           {{"topology", "--machine", "m"}, true}, {{"run", "--machine", "m", "cat"}, false}}) {
    CommandLine line;
    line.run(words);
    const Words& executed = line.os.executed();
    EXPECT_EQ(std::count(executed.begin(), executed.end(), "--no-input") == 1, left) << words[0];
  }
}

/// The options of a parser, and of all below it, whose value is a file.
void add_file_options(const CLI::App& app, std::set<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_type_name().find("FILE") != std::string::npos) names.insert(option->get_name());
  }
  for (const CLI::App* inner : app.get_subcommands([](const CLI::App*) { return true; })) {
    add_file_options(*inner, names);
  }
}

TEST(Dispatch, EveryOptionWithAFileIsKnownAsReadOrWritten) {
  std::set<std::string> names;
  for (const auto& verb : built_in_verbs()) {
    CLI::App app;
    LabOptions lab;
    define_lab_options(app, lab);
    verb->define(app);
    add_file_options(app, names);
  }
  const std::set<std::string> read{"--machine", "--file", "--recipe", "--shm", "--config"};
  const std::set<std::string> written{"--csv",    "--html",       "--log",      "--metrics",
                                      "--output", "--seismogram", "--snapshot", "--state",
                                      "--svg",    "--xml"};
  std::set<std::string> known = read;
  known.insert(written.begin(), written.end());
  EXPECT_EQ(names, known) << "invoke.cpp lists the options whose files are written";
}

TEST(Dispatch, NoVerbIsBadUsage) {
  CommandLine line;
  EXPECT_EQ(line.run({}), exit_usage);
  EXPECT_TRUE(line.out.str().empty());
  EXPECT_EQ(line.run({"--nosuch"}), exit_usage);
  EXPECT_EQ(line.run({"../verb"}), exit_usage);
  EXPECT_TRUE(line.os.executed().empty());
}

TEST(Dispatch, EveryVerbHasHelpAndAManPage) {
  for (const auto& verb : built_in_verbs()) {
    CommandLine line;
    EXPECT_EQ(line.run({verb->name(), "--help"}), exit_done);
    EXPECT_NE(line.out.str().find("--machine"), std::string::npos);
    EXPECT_EQ(line.run({"help", verb->name()}), exit_done);
    EXPECT_EQ(line.run({"--man-page", verb->name()}), exit_done);
    EXPECT_TRUE(line.out.str().starts_with(".TH HOMENODE"));
    EXPECT_NE(line.out.str().find("\\-\\-machine"), std::string::npos);
    EXPECT_EQ(line.run({"--describe-verb", verb->name()}), exit_done);
    EXPECT_NE(line.out.str().find(R"("names":["--machine"])"), std::string::npos);
  }
  CommandLine line;
  for (const char* option : {"--man-page", "--describe-verb"}) {
    EXPECT_EQ(line.run({option, "nosuch"}), exit_usage);
  }
}

TEST(ManPage, OfADescriptionHasAllThatItSays) {
  const auto page =
      man_page(R"json({"name": "homenode-x", "summary": "do é", "description": "It -- does.",
      "synopsis": [[["bold", "homenode x"], ["italic", "FILE"], ["plain", "..."]]],
      "options": [{"names": ["-o", "--out"], "value": "FILE", "text": "Where."},
                  {"names": [], "value": "FILE", "text": ".x 'y' a\\b"}],
      "commands": [{"name": "go", "text": "Goes.", "options": []}], "exit_status": "0 done.",
      "examples": [["homenode x f", "One"]], "see_also": ["homenode(1)"]})json");
  ASSERT_TRUE(page) << page.error().message();
  for (const char* part :
       {".SH SYNOPSIS\n\\fBhomenode x\\fR [\\fIOPTIONS\\fR] \\fIFILE\\fR \\&...\n",
        "do \\[u00E9]\n", "It \\-\\- does.",
        ".TP\n\\fB\\-o\\fR, \\fB\\-\\-out\\fR \\fIFILE\\fR\nWhere.\n",
        ".TP\n\\fIFILE\\fR\n\\&.x \\(aqy\\(aq a\\(rsb\n", ".SH COMMANDS\n.SS go\nGoes.\n",
        ".SH EXIT STATUS\n0 done.\n", "One:\n", "\\fBhomenode\\fR(1)\n"}) {
    EXPECT_NE(page->find(part), std::string::npos) << part << " in\n" << *page;
  }
  for (const char* none : {"", "{}", "[]", R"({"name": 3})"}) {
    EXPECT_FALSE(man_page(std::string(none))) << none;
  }
}

TEST(Dispatch, TheManPageOfTheCommandNamesEveryVerbsPage) {
  CommandLine line;
  EXPECT_EQ(line.run({"--man-page", "homenode"}), exit_done);
  const std::string page = line.out.str();
  EXPECT_TRUE(page.starts_with(".TH HOMENODE 1"));
  for (const auto& verb : built_in_verbs()) {
    EXPECT_NE(page.find("\\fBhomenode\\-" + verb->name() + "\\fR(1)"), std::string::npos);
  }
  for (const ExternalVerb& verb : external_verbs()) {
    EXPECT_NE(page.find("\\fBhomenode\\-" + verb.name + "\\fR(1)"), std::string::npos);
  }
}

TEST(Dispatch, TheManPageOfAPythonVerbIsSaidToBeElsewhere) {
  CommandLine line;
  EXPECT_EQ(line.run({"--man-page", "lab"}), exit_usage);
  EXPECT_NE(line.err.str().find("homenode.man lab"), std::string::npos);
}

TEST(Dispatch, AnUnknownVerbIsLookedUpOnPath) {
  CommandLine line;
  EXPECT_EQ(line.run({"frobnicate", "-x", "--machine", "m"}), exit_usage);
  EXPECT_EQ(line.os.executed(), (Words{"homenode-frobnicate", "-x", "--machine", "m"}));
  EXPECT_NE(line.err.str().find("no verb 'frobnicate'"), std::string::npos);
  line.os.fail_call("execute", 1, EACCES);
  EXPECT_EQ(line.run({"frobnicate"}), exit_failed);
  EXPECT_NE(line.err.str().find("cannot start"), std::string::npos);
}

TEST(Dispatch, AnOptionBeforeTheVerbIsRefusedWithItsPlace) {
  CommandLine line;
  EXPECT_EQ(line.run({"--machine", "quad-4x2", "topology"}), exit_usage);
  EXPECT_EQ(line.err.str(),
            "homenode: options such as '--machine' go after the verb; 'homenode --help' lists "
            "the verbs\n");
  EXPECT_TRUE(line.os.executed().empty());
}

TEST(Dispatch, AMistakeUnderAWordOfAVerbNamesTheHelpOfThatWord) {
  CommandLine line;
  EXPECT_EQ(line.run({"bench", "map", "--pattern", "zigzag"}), exit_usage);
  EXPECT_TRUE(line.err.str().starts_with("homenode bench map: --pattern cannot be "));
  EXPECT_NE(line.err.str().find("'homenode bench map --help'"), std::string::npos);
}

TEST(Dispatch, MachineRunsTheSameCommandInTheLab) {
  CommandLine line;
  line.run({"run", "--machine", "quad-4x2", "-m", "3", "prog", "a"});
  EXPECT_EQ(lab_words(line.os),
            (Words{"run", "--machine", "quad-4x2", "run", "-m", "3", "--", "prog", "a"}));
  line.run({"run", "-m", "3", "--machine=quad-4x2", "--", "-prog", "--machine", "x"});
  EXPECT_EQ(lab_words(line.os), (Words{"run", "--machine", "quad-4x2", "run", "-m", "3", "--",
                                       "-prog", "--machine", "x"}));
}

TEST(Dispatch, MachineMayStandAfterTheWordsOfAVerb) {
  CommandLine line;
  line.run({"bench", "map", "--machine", "hp-8x4", "--threads", "32"});
  EXPECT_EQ(lab_words(line.os),
            (Words{"run", "--machine", "hp-8x4", "bench", "map", "--threads", "32"}));
  line.run({"bench", "--machine=hp-8x4", "map"});
  EXPECT_EQ(lab_words(line.os), (Words{"run", "--machine", "hp-8x4", "bench", "map"}));
}

TEST(Dispatch, ScaleGoesWithTheMachineToTheLab) {
  for (const Words& given :
       {Words{"--machine", "hp-8x4", "--scale", "64"}, Words{"--scale=64", "--machine=hp-8x4"}}) {
    CommandLine line;
    Words words{"bench", "map"};
    words.insert(words.end(), given.begin(), given.end());
    words.insert(words.end(), {"--threads", "32"});
    line.run(words);
    Words lab = line.os.executed();
    ASSERT_GE(lab.size(), 12U);
    EXPECT_EQ(Words(lab.begin() + 1, lab.begin() + 8),
              (Words{"run", "--machine", "hp-8x4", "--scale=64", "--no-input", "--as-verb", "--"}));
    EXPECT_EQ(Words(lab.begin() + 9, lab.end()), (Words{"bench", "map", "--threads", "32"}));
  }
  CommandLine line;
  line.run({"run", "--machine", "hp-8x4", "--scale", "8", "prog", "--scale", "x"});
  const Words lab = line.os.executed();
  ASSERT_GE(lab.size(), 5U);
  EXPECT_EQ(lab[4], "--scale=8");
  EXPECT_EQ(Words(lab.end() - 4, lab.end()), (Words{"--", "prog", "--scale", "x"}));
}

TEST(Dispatch, ScaleWithoutAMachineIsBadUsage) {
  for (const Words& words : {Words{"topology", "--scale", "4"}, Words{"run", "--scale=4", "prog"},
                             Words{"topology", "--machine=quad-4x2", "--scale="}}) {
    CommandLine line;
    EXPECT_EQ(line.run(words), words.back() == "prog" ? exit_launcher_failed : exit_usage);
    EXPECT_NE(line.err.str().find("--scale"), std::string::npos) << line.err.str();
    EXPECT_TRUE(line.os.executed().empty());
  }
}

TEST(Dispatch, AProgramsOwnMachineOptionStaysItsOwn) {
  CommandLine line;
  line.run({"run", "--interleave=all", "prog", "--machine", "x"});
  EXPECT_EQ(line.os.executed(), (Words{"prog", "--machine", "x"}));
}

TEST(Dispatch, AnEmptyMachineIsBadUsage) {
  CommandLine line;
  EXPECT_EQ(line.run({"run", "--machine=", "--show"}), exit_usage);
  EXPECT_EQ(line.run({"topology", "--machine="}), exit_usage);
  EXPECT_TRUE(line.os.executed().empty());
}

TEST(Dispatch, AFailureBesideAProgramIsNoExitCodeOfThePrograms) {
  const std::string pid = "4194304";
  for (const auto& [words, code] : std::initializer_list<std::pair<Words, int>>{
           {{"run", "--machine=", "prog"}, exit_launcher_failed},
           {{"run", "-m", "60000", "prog"}, exit_launcher_failed},
           {{"run", "-m", "60000", "--show"}, exit_usage},
           {{"run", "--nosuch", "prog"}, exit_launcher_failed},
           {{"run", "--recipe=/no/such/file", "prog"}, exit_launcher_failed},
           {{"run", "--recipe=/no/such/file", "--show"}, exit_failed},
           {{"sample", "--overhead=x", "--", "prog"}, exit_launcher_failed},
           {{"sample", "--overhead=x", pid}, exit_usage},
           {{"sample", pid}, exit_failed},
           {{"sample"}, exit_usage},
           {{"topology", "--nosuch"}, exit_usage}}) {
    CommandLine line;
    EXPECT_EQ(line.run(words), code) << testing::PrintToString(words) << line.err.str();
    EXPECT_TRUE(line.os.executed().empty());
  }
}

TEST(Dispatch, TheLabIsToldWhetherItsExitCodesAreThoseOfAProgram) {
  for (const auto& [words, as_verb] : std::initializer_list<std::pair<Words, bool>>{
           {{"topology", "--machine=m"}, true},
           {{"run", "--machine=m", "--show"}, true},
           {{"run", "--machine=m", "prog", "--as-verb"}, false}}) {
    CommandLine line;
    EXPECT_EQ(line.run(words), as_verb ? exit_not_supported : exit_launcher_failed);
    const Words lab = line.os.executed();
    const auto own = std::find(lab.begin(), lab.end(), "--");
    EXPECT_EQ(std::find(lab.begin(), own, "--as-verb") != own, as_verb);
  }
}

TEST(Dispatch, BadOptionsAreOneLine) {
  for (const Words& words :
       {Words{"run", "--nosuch", "x"}, Words{"run", "-m"}, Words{"bench", "--nosuch"},
        Words{"bench", "nosuch"}, Words{"topology", "--json", "--json", "x"}}) {
    CommandLine line;
    EXPECT_EQ(line.run(words), words.front() == "run" ? exit_launcher_failed : exit_usage)
        << testing::PrintToString(words);
    const std::string text = line.err.str();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    EXPECT_TRUE(text.starts_with("homenode " + words.front() + ": ")) << text;
  }
}

TEST(Dispatch, TheNameThatWasMeantIsNamed) {
  for (const auto& [words, meant] : std::initializer_list<std::pair<Words, std::string>>{
           {{"topolgy"}, "did you mean 'topology'?"},
           {{"topology", "--jsn"}, "there is no option '--jsn' (did you mean '--json'?)"},
           {{"run", "--membnd=0", "x"}, "there is no option --membnd (did you mean '--membind'?)"},
           {{"bench", "strem"}, "there is no 'strem' (did you mean 'stream'?): choose map, npb, "},
           {{"bench", "map", "--machne=m"}, "(did you mean '--machine'?)"},
           {{"bench", "map", "--method", "aip"}, "cannot be 'aip' (did you mean 'api'?): choose "},
           {{"bench", "map", "--size", "1m", "--size", "2m"}, "--size can be given only once"},
           {{"topology", "surplus"}, "the argument 'surplus' is one too many"}}) {
    CommandLine line;
    EXPECT_EQ(line.run(words), words.front() == "run" ? exit_launcher_failed : exit_usage)
        << testing::PrintToString(words);
    EXPECT_NE(line.err.str().find(meant), std::string::npos) << line.err.str();
  }
}

TEST(Dispatch, AnOptionForSharedMemoryAloneIsNamed) {
  for (const auto& [option, name] : std::initializer_list<std::pair<std::string, std::string>>{
           {"-d", "--dump (-d)"}, {"-T", "--touch (-T)"}, {"--huge", "--huge (-u)"}}) {
    CommandLine line;
    EXPECT_EQ(line.run({"run", option, "prog"}), exit_launcher_failed);
    EXPECT_EQ(line.run({"run", option}), exit_usage);
    EXPECT_NE(line.err.str().find(name + " is for shared memory"), std::string::npos);
  }
}

TEST(Dispatch, RunAloneShowsItsUsage) {
  CommandLine line;
  EXPECT_EQ(line.run({"run"}), exit_usage);
  EXPECT_NE(line.err.str().find("Usage: homenode run [OPTIONS]"), std::string::npos);
  EXPECT_TRUE(line.out.str().empty());
}

TEST(Dispatch, HelpIsGroupedWrappedAndEndsInExamples) {
  CommandLine line;
  ASSERT_EQ(line.run({"run", "--help"}), exit_done);
  const std::string text = line.out.str();
  std::size_t at = 0;
  for (const char* heading :
       {"\nMemory policies:\n", "\nCPUs:\n", "\nShared memory:\n", "\nThreads:\n",
        "\nAllocations:\n", "\nPrinting:\n", "\nExamples:\n"}) {
    at = text.find(heading, at);
    ASSERT_NE(at, std::string::npos) << heading << text;
  }
  EXPECT_NE(text.find("homenode run --membind=0 --emit slurm", at), std::string::npos);
  std::istringstream lines(text.substr(0, at));
  for (std::string each; std::getline(lines, each);) EXPECT_LE(each.size(), 100U) << each;
}

}  // namespace
}  // namespace homenode::cli
