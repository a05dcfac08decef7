// The small command's own copy of the one function of {fmt} that is not a template: the
// distributions' shared library would bring the whole of libstdc++ with it at every start.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace {
[[gnu::used]] std::string (*const emitted)(fmt::string_view, fmt::format_args) = &fmt::vformat;
}  // namespace
