// The file of the journal.
#include "balancer/journal.h"

#include <fmt/format.h>

#include <cerrno>

#include "balancer/process_facts.h"
#include "base/words.h"
#include "os/atomic_file.h"
#include "sensing/thread_files.h"

namespace homenode::balancer {
namespace {

std::string boot_of(const sensing::SystemFiles& files) {
  std::string text;
  if (files.read("/proc/sys/kernel/random/boot_id", text) < 0) return {};
  std::string_view rest = text;
  return std::string(take_line(rest));
}

}  // namespace

Journal own_journal(const sensing::SystemFiles& files) {
  Journal journal;
  journal.boot = boot_of(files);
  std::string text;
  if (files.read("/proc/self/stat", text) < 0) return journal;
  if (const auto self = sensing::parse_stat(text)) journal.owner = {self->id, self->started};
  return journal;
}

Result<Journal> load_state(const sensing::SystemFiles& files, const std::string& path) {
  std::string text;
  const int read = files.os.read_file(path, text);
  if (read == -ENOENT || (read == 0 && text.empty())) return own_journal(files);
  if (read < 0) {
    return failed("cannot read the state file " + path, "name another with --state", -read);
  }
  os::FileStatus file;
  os::FileStatus self;
  if (files.os.file_status(path, file) == 0 && files.os.file_status("/proc/self", self) == 0 &&
      file.owner != self.owner) {
    return failed(fmt::format("the state file {} belongs to the user {}", path, file.owner),
                  "name another with --state");
  }
  auto journal = journal_in(text);
  if (!journal) return failed(path + ": " + journal.error().tried, journal.error().next);
  Journal own = own_journal(files);
  if (journal->boot != own.boot) return own;
  const auto owner = read_quickly(files, journal->owner.id);
  if (owner && owner->key == journal->owner && owner->key != own.owner) {
    return failed(fmt::format("the balancer {} works with the state file {}", owner->key.id, path),
                  "end it, or name another file with --state");
  }
  journal->owner = own.owner;
  return journal;
}

Save saves_to(const std::string& path) {
  return [path](const std::string& text) { return os::write_atomically(path, text); };
}

}  // namespace homenode::balancer
