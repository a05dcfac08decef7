#include "launch/sampling.h"

#include <filesystem>
#include <system_error>

#include "agent/sample_output.h"
#include "agent/wire.h"
#include "launch/target.h"

namespace homenode::launch {
namespace {

namespace fs = std::filesystem;

constexpr char purpose[] = "record the allocations of";

/// What can be said of the program beforehand. Errors: failed.
Result<Notes> check_program(os::Os& os, const std::string& program) {
  auto doubts = check_agent_can_enter(os, program, purpose);
  if (doubts || doubts.error().code != ErrorCode::not_supported) return doubts;
  return Notes{doubts.error().tried +
               "; its memory is told apart by mapping, not by what allocated it"};
}

}  // namespace

Result<SamplingEnvironment> sampling_environment(os::Os& os, const std::string& program,
                                                 const std::string& file,
                                                 const std::string& executable,
                                                 const Lookup& lookup,
                                                 const std::vector<std::string>& libraries) {
  auto notes = check_program(os, program);
  if (!notes) return notes.as_unexpected();
  const auto folder = agent_folder(os, executable, lookup("HOMENODE_LIBEXEC"));
  if (!folder) return folder.as_unexpected();
  std::string preload = lookup("LD_PRELOAD");
  const std::vector<std::string> wanted =
      libraries.empty() ? std::vector<std::string>{agent::sites_file} : libraries;
  for (const std::string& library : wanted) {
    preload += (preload.empty() ? "" : ":") + (fs::path(*folder) / library).string();
  }
  // AddressSanitizer ends programs in which a library comes before its own, unless it is told to
  // let it; what the person says comes last and wins.
  const std::string sanitizer = lookup("ASAN_OPTIONS");
  const std::string in_front = "verify_asan_link_order=0";
  // The program may change its folder.
  std::error_code failure;
  const fs::path path = fs::absolute(file, failure);
  return SamplingEnvironment{
      {{"LD_PRELOAD", preload},
       {"ASAN_OPTIONS", sanitizer.empty() ? in_front : in_front + ":" + sanitizer},
       {agent::sample_variable, failure ? file : path.string()}},
      *std::move(notes)};
}

}  // namespace homenode::launch
