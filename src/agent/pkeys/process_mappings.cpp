#include "agent/pkeys/process_mappings.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "agent/pkeys/entry.h"
#include "agent/pkeys/file_text.h"

namespace homenode::agent::pkeys {
namespace {

constexpr char ring_name[] = "anon_inode:[io_uring]";
constexpr char stack_name[] = "[stack";

/// _IOWR of <linux/ioctl.h>, of files below /proc.
constexpr unsigned long question_number(unsigned long number, std::size_t bytes) {
  constexpr unsigned long both_ways = 3;
  return both_ways << 30U | bytes << 16U | static_cast<unsigned long>('f') << 8U | number;
}

/// The kernel's struct procmap_query, which headers before Linux 6.11 do not have.
struct Question {
  std::uint64_t size;
  std::uint64_t flags;
  std::uint64_t address;
  std::uint64_t first;  // From here on the answer.
  std::uint64_t end;
  std::uint64_t rights;
  std::uint64_t page_bytes;
  std::uint64_t offset;
  std::uint64_t inode;
  std::uint32_t device_major;
  std::uint32_t device_minor;
  std::uint32_t name_size;
  std::uint32_t build_id_size;
  std::uint64_t name;
  std::uint64_t build_id;
};
static_assert(sizeof(Question) == 104, "the kernel tells its versions by their size");
constexpr unsigned long procmap_query = question_number(17, sizeof(Question));
constexpr std::uint64_t readable = 1;
constexpr std::uint64_t writable = 2;
constexpr std::uint64_t shared = 8;
constexpr std::uint64_t this_or_next = 16;

/// The name of a mapping; empty where it has none, or one that is too long to be looked for.
template <std::size_t room>
void ask_name(long file, std::uintptr_t first, char (&name)[room]) {
  Question question{};
  question.size = sizeof question;
  question.address = first;
  question.name = reinterpret_cast<std::uint64_t>(name);
  question.name_size = room;
  if (kernel_call(SYS_ioctl, file, procmap_query, &question) != 0) name[0] = '\0';
}

/// The kernel's struct page_region and struct pm_scan_arg, which headers before Linux 6.7 do not
/// have.
struct Region {
  std::uint64_t first;
  std::uint64_t end;
  std::uint64_t categories;
};
struct Scan {
  std::uint64_t size;
  std::uint64_t flags;
  std::uint64_t first;
  std::uint64_t end;
  std::uint64_t walk_end;
  std::uint64_t regions;
  std::uint64_t region_count;
  std::uint64_t max_pages;
  std::uint64_t category_inverted;
  std::uint64_t category_mask;
  std::uint64_t category_any_mask;
  std::uint64_t return_mask;
};
constexpr unsigned long pagemap_scan = question_number(16, sizeof(Scan));
constexpr std::uint64_t is_present = 1U << 3U;
constexpr std::uint64_t is_huge = 1U << 6U;

/// As it was when it was first asked for.
bool huge_pages_are_off() {
  static constinit bool known = false;
  static constinit bool off = false;
  if (known) return off;
  const long file = kernel_call(SYS_openat, AT_FDCWD, "/sys/kernel/mm/transparent_hugepage/enabled",
                                O_RDONLY | O_CLOEXEC);
  char text[64] = {};
  if (file >= 0) {
    kernel_call(SYS_read, file, text, sizeof text - 1);
    kernel_call(SYS_close, file);
  }
  known = true;
  off = std::strstr(text, "[never]") != nullptr;
  return off;
}

/// "FIRST-END RIGHTS OFFSET DEVICE INODE PATH".
void take_mapping(const char* line, Mapping& mapping) {
  const char* at = line;
  mapping.first = take_hexadecimal(at);
  if (*at == '-') ++at;
  mapping.end = take_hexadecimal(at);
  const bool rights = begins_with(at, " rw-p ");
  for (int field = 0; field < 3 && at != nullptr; ++field) at = std::strchr(at + 1, ' ');
  mapping.is_ring = mapping.is_stack = mapping.writable_private = false;
  if (at == nullptr) return;
  const char* path = at + 1;
  const bool no_file = path[0] == '0' && (path[1] == ' ' || path[1] == '\0');
  path += std::strcspn(path, " ");
  path += std::strspn(path, " ");
  mapping.is_ring = begins_with(path, ring_name);
  mapping.is_stack = begins_with(path, stack_name);
  const bool anonymous =
      *path == '\0' || std::strcmp(path, "[heap]") == 0 || begins_with(path, "[anon:");
  mapping.writable_private = rights && no_file && anonymous;
}

}  // namespace

MappingsReader::MappingsReader()
    : file_(kernel_call(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC)) {
  failed_ = file_ < 0;
}

MappingsReader::~MappingsReader() {
  if (file_ >= 0) kernel_call(SYS_close, file_);
}

bool MappingsReader::fill() {
  const long size = failed_ ? -1 : kernel_call(SYS_read, file_, text_, room);
  failed_ = size < 0;
  at_ = 0;
  size_ = size > 0 ? static_cast<std::size_t>(size) : 0;
  return size > 0;
}

int MappingsReader::next_character() {
  if (at_ == size_ && !fill()) return -1;
  return static_cast<unsigned char>(text_[at_++]);
}

bool MappingsReader::next_line(Mapping& mapping) {
  // A line as far as it says something: addresses, rights, and how its name begins.
  char line[160];
  std::size_t length = 0;
  int c = 0;
  while ((c = next_character()) >= 0 && c != '\n') {
    if (length + 1 < sizeof line) line[length++] = static_cast<char>(c);
  }
  if (c < 0 && length == 0) return false;
  line[length] = '\0';
  take_mapping(line, mapping);
  return true;
}

bool MappingsReader::ask(Mapping& mapping) {
  Question question{};
  question.size = sizeof question;
  question.flags = this_or_next;
  question.address = asked_;
  const long result = failed_ ? -ENOENT : kernel_call(SYS_ioctl, file_, procmap_query, &question);
  if (result != 0) {
    // An older kernel knows no questions; -ENOENT is the end.
    if (way_ == Way::unknown && result != -ENOENT) way_ = Way::text;
    failed_ = failed_ || (way_ == Way::questions && result != -ENOENT);
    return false;
  }
  way_ = Way::questions;
  asked_ = question.end;
  mapping = {question.first, question.end};
  const bool no_file =
      question.inode == 0 && question.device_major == 0 && question.device_minor == 0;
  const bool own = question.rights == (readable | writable) && no_file;
  char name[64] = {};
  if (own || (question.rights & shared) != 0) ask_name(file_, question.first, name);
  mapping.is_ring = begins_with(name, ring_name);
  mapping.is_stack = begins_with(name, stack_name);
  mapping.writable_private = own && !mapping.is_stack;
  return true;
}

bool MappingsReader::next(Mapping& mapping) {
  if (way_ != Way::text) {
    if (ask(mapping)) return true;
    if (way_ != Way::text) return false;
  }
  return next_line(mapping);
}

bool may_be_huge(std::uintptr_t page) {
  static constinit long file = -1;
  if (file < 0) {
    file = kernel_call(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  }
  Region region{};
  Scan scan{};
  scan.size = sizeof scan;
  scan.first = page;
  scan.end = page + page_bytes;
  scan.regions = reinterpret_cast<std::uint64_t>(&region);
  scan.region_count = 1;
  scan.category_mask = is_present;
  scan.return_mask = is_present | is_huge;
  // It may come, or come back, as a huge one while it is not there.
  const long found = kernel_call(SYS_ioctl, file, pagemap_scan, &scan);
  if (found == 1) return (region.categories & is_huge) != 0;
  return found == 0 || !huge_pages_are_off();
}

}  // namespace homenode::agent::pkeys
