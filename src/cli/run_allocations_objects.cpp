#include "cli/run_allocations_objects.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>

#include "cli/run_allocations_names.h"
#include "cli/run_target.h"

namespace homenode::cli {
namespace {

Result<ProgramObject> read_object(const std::string& path) {
  struct stat status {};
  std::ifstream file(path, std::ios::binary);
  if (stat(path.c_str(), &status) != 0 || !file) {
    return failed(fmt::format("cannot read '{}', in which --place looks for names", path),
                  "check the name, PATH and the permissions", errno);
  }
  const std::string content(std::istreambuf_iterator<char>(file), {});
  return ProgramObject{path, status.st_dev, status.st_ino, read_elf(content)};
}

/// What a command prints, its complaints left out; nothing where it fails.
std::string output_of(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int started =
      posix_spawn(&child, command.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  std::array<char, 4096> buffer{};
  for (ssize_t size = 0; started == 0;
       output.append(buffer.data(), static_cast<std::size_t>(size))) {
    size = read(ends[0], buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR)
      size = 0;
    else if (size <= 0)
      break;
  }
  close(ends[0]);
  int status = 0;
  while (started == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return started == 0 && status == 0 ? output : "";
}

}  // namespace

std::vector<std::string> paths_in_list(const std::string& list) {
  std::vector<std::string> paths;
  for (std::size_t first = 0; first < list.size();) {
    std::size_t end = list.find('\n', first);
    if (end == std::string::npos) end = list.size();
    std::string line = list.substr(first, end - first);
    first = end + 1;
    const std::size_t address = line.rfind(" (0x");
    if (address == std::string::npos) continue;
    line.resize(address);
    const std::size_t arrow = line.find(" => ");
    line.erase(0, arrow == std::string::npos ? line.find_first_not_of(" \t") : arrow + 4);
    if (line.starts_with('/')) paths.push_back(line);
  }
  return paths;
}

Result<std::vector<ProgramObject>> read_program_objects(const std::string& name) {
  const std::string path = find_program_file(name);
  if (path.empty()) {
    return failed(fmt::format("cannot find '{}', in which --place looks for names", name),
                  "check the name and PATH", ENOENT);
  }
  auto program = read_object(path);
  if (!program) return program.as_unexpected();
  std::vector<ProgramObject> objects;
  objects.push_back(*std::move(program));
  const std::string& linker = objects.front().elf.interpreter;
  if (linker.empty()) return objects;
  const std::string list = output_of({linker, "--list", path});
  if (list.empty()) {
    return failed(fmt::format("cannot ask {} which libraries '{}' is made of", linker, path),
                  "see what 'ldd' says of it");
  }
  for (const std::string& library : paths_in_list(list)) {
    auto object = read_object(library);
    if (!object) return object.as_unexpected();
    objects.push_back(*std::move(object));
  }
  return objects;
}

Result<void> find_names(ThreadPlan& plan, const std::vector<std::string>& program) {
  const bool named = std::any_of(plan.allocations.begin(), plan.allocations.end(),
                                 [](const AllocationRule& rule) { return rule.has_names(); });
  if (!named || program.empty()) return {};
  const std::string path = find_program_file(program.front());
  if (path.empty() || ::access(path.c_str(), F_OK) != 0) return {};  // Starting it will tell.
  if (const auto enters = check_agent_can_enter(program.front()); !enters) return enters;
  const auto objects = read_program_objects(program.front());
  if (!objects) return objects.as_unexpected();
  const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const auto found = find_named_pieces(plan.allocations, *objects, page_bytes);
  return found ? check_wire_fits(plan) : found;
}

}  // namespace homenode::cli
