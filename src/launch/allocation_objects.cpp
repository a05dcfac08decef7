#include "launch/allocation_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "launch/agent.h"
#include "launch/allocation_names.h"
#include "launch/target.h"

namespace homenode::launch {
namespace {

Result<ProgramObject> read_object(os::Os& os, const std::string& path) {
  os::FileStatus status;
  std::string content;
  int result = os.file_status(path, status);
  if (result == 0) result = os.read_file(path, content);
  if (result < 0) {
    return failed(fmt::format("cannot read '{}', in which --place looks for names", path),
                  "check the name, PATH and the permissions", -result);
  }
  return ProgramObject{path, status.device, status.inode, read_elf(content)};
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

Result<std::vector<ProgramObject>> read_program_objects(os::Os& os, const std::string& name) {
  const auto path = find_program_file(os, name);
  if (!path) return path.as_unexpected();
  if (path->empty()) {
    return failed(fmt::format("cannot find '{}', in which --place looks for names", name),
                  "check the name and PATH", ENOENT);
  }
  auto program = read_object(os, *path);
  if (!program) return program.as_unexpected();
  std::vector<ProgramObject> objects;
  objects.push_back(*std::move(program));
  const std::string& linker = objects.front().elf.interpreter;
  if (linker.empty()) return objects;
  // $ORIGIN of a program is the folder of its file. The kernel tells the dynamic linker the file
  // that it starts; who asks by a link would get the folder of the link.
  std::string file;
  if (const int result = os.resolve_path(*path, file); result < 0) {
    return failed(fmt::format("cannot follow '{}' to the file of the program", *path),
                  "see what 'ls -l' says of it", -result);
  }
  std::string list;
  if (const int result = os.output_of({linker, "--list", file}, list); result != 0) {
    return failed(fmt::format("cannot ask {} which libraries '{}' is made of", linker, file),
                  "see what 'ldd' says of it", result < 0 ? -result : 0);
  }
  for (const std::string& library : paths_in_list(list)) {
    auto object = read_object(os, library);
    if (!object) return object.as_unexpected();
    objects.push_back(*std::move(object));
  }
  return objects;
}

Result<int> find_names(os::Os& os, ThreadPlan& plan, const std::vector<std::string>& program) {
  const bool named = std::any_of(plan.allocations.begin(), plan.allocations.end(),
                                 [](const AllocationRule& rule) { return rule.has_names(); });
  if (!named || program.empty()) return 0;
  const auto path = find_program_file(os, program.front());
  if (!path) return path.as_unexpected();
  if (path->empty()) return -ENOENT;
  os::FileStatus status;
  if (const int result = os.file_status(*path, status); is_absent(result)) return result;
  const auto enters = check_agent_can_enter(os, program.front());
  if (!enters) return enters.as_unexpected();
  const auto objects = read_program_objects(os, program.front());
  if (!objects) return objects.as_unexpected();
  const auto found = find_named_pieces(plan.allocations, *objects, os.page_bytes());
  if (!found) return found.as_unexpected();
  const auto fits = check_wire_fits(plan);
  return fits ? Result<int>(0) : fits.as_unexpected();
}

}  // namespace homenode::launch
