#include "cli/draw.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "cli/invoke.h"
#include "os/atomic_file.h"

namespace homenode::cli {
namespace {

constexpr const char* drawing_command = "homenode-draw";

Unexpected missing() {
  return not_supported(
      "cannot draw: homenode-draw is neither beside this command nor on PATH",
      "install homenode's Python part: 'pip install' its wheel, or './dev setup' in its sources");
}

/// The one line that homenode-draw reports of itself, or nothing when it ended in another way.
std::string_view reported(std::string_view errors) {
  constexpr std::string_view own_name = "homenode draw: ";
  if (!errors.starts_with(own_name) || !errors.ends_with('\n')) return {};
  errors.remove_prefix(own_name.size());
  errors.remove_suffix(1);
  return errors.find('\n') == std::string_view::npos ? errors : std::string_view();
}

/// Such as the exception at the end of a traceback.
std::string last_line(std::string_view errors) {
  while (errors.ends_with('\n')) errors.remove_suffix(1);
  const std::size_t end = errors.rfind('\n');
  return std::string(end == std::string_view::npos ? errors : errors.substr(end + 1));
}

Unexpected drawing_failed(int code, const std::string& errors) {
  const std::string_view line = reported(errors);
  if (const std::size_t next = line.rfind("; "); next != std::string_view::npos) {
    std::string tried(line.substr(0, next));
    std::string advice(line.substr(next + 2));
    return code == exit_not_supported ? not_supported(std::move(tried), std::move(advice))
                                      : failed(std::move(tried), std::move(advice));
  }
  const std::string last = last_line(errors);
  return failed(fmt::format("cannot draw: homenode-draw ended with exit code {}{}{}", code,
                            last.empty() ? "" : ": ", last),
                "check that 'homenode draw --help' works");
}

}  // namespace

Result<void> check_drawing(const Context& context) {
  const std::string command = companion(context, drawing_command);
  if (command.find('/') != std::string::npos) return {};
  const char* const path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    if (context.os.check_executable(fmt::format("{}/{}", folder, command)) == 0) return {};
    folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
  }
  return missing();
}

Result<std::string> draw(Context& context, const Picture& picture) {
  os::Printed printed;
  const std::string command = companion(context, drawing_command);
  const int code =
      context.os.filter({command, picture.kind, "--format", picture.format}, picture.json, printed);
  if (code == -ENOENT) return missing();
  if (code < 0) {
    return failed("cannot draw with " + command,
                  "check that it is executable and that memory is free", -code);
  }
  if (code != 0 || printed.output.empty()) return drawing_failed(code, printed.errors);
  return std::move(printed.output);
}

Result<void> draw_into(Context& context, const std::string& file, const Picture& picture) {
  const auto drawn = draw(context, picture);
  return drawn ? os::write_atomically(file, *drawn) : drawn.as_unexpected();
}

void Output::define(CLI::App& app, const std::string& name, const std::string& description) {
  option = app.add_option(name, file, description)->type_name("[FILE]")->expected(0, 1);
}

bool Output::wanted() const {
  return option->count() > 0;
}

bool Output::to_stream() const {
  return wanted() && (file.empty() || file == "-");
}

Result<void> Output::write(Context& context, const std::string& text) const {
  if (!to_stream()) return os::write_atomically(file, text);
  context.out << text;
  return {};
}

}  // namespace homenode::cli
