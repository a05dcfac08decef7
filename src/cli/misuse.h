// What is wrong with a command line, in words for people: the parser's exceptions, and the name
// that was probably meant. Serves every verb.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace homenode::cli {

/// " (did you mean '--json'?)", or nothing where no candidate is near.
std::string did_you_mean(const std::string& given, const std::vector<std::string>& candidates);

/// Every option's long names as people write them, "--json", of `app` alone.
std::vector<std::string> long_options(const CLI::App& app);

/// One phrase about why `app`, which has parsed what it could, refused the rest.
std::string misuse(const CLI::App& app, const CLI::ParseError& error);

}  // namespace homenode::cli
