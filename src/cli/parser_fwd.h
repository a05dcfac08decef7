// The parser's names, for headers that only pass it on: the parser itself takes long to compile.
#pragma once

namespace CLI {
class App;
class Option;
}  // namespace CLI
