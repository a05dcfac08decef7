// Not of the room: what the small command and the shared library each take as a copy of their own,
// the functions of {fmt} that its headers leave to the library. The distributions' shared one would
// bring its libstdc++ with it at every start.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace {
[[gnu::used]] std::string (*const emitted)(fmt::string_view, fmt::format_args) = &fmt::vformat;
// What <fmt/ranges.h> takes, of which the rules of memory use fmt::join.
[[gnu::used]] bool (*const printable)(std::uint32_t) = &fmt::detail::is_printable;
using Separator = fmt::detail::thousands_sep_result<char>;
[[gnu::used]] Separator (*const separated)(fmt::detail::locale_ref) =
    &fmt::detail::thousands_sep_impl<char>;
}  // namespace
