#include "agent/account.h"

#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "agent/calls.h"
#include "base/raw_call.h"

namespace homenode::agent {
namespace {

constexpr int error_stream = 2;

constinit bool open = false;
constinit FileIdentity error_file;
constinit std::size_t allocations = 0;
constinit std::size_t allocation_pages = 0;
constinit std::size_t data = 0;
constinit std::size_t data_pages = 0;
constinit std::size_t unsuited = 0;
constinit std::size_t unsuited_pages = 0;
constinit std::size_t refusals = 0;
constinit bool told = false;
constinit bool policies_reported = false;

void add(std::size_t& counter, std::size_t more) {
  __atomic_fetch_add(&counter, more, __ATOMIC_RELAXED);
}

std::size_t read(const std::size_t& counter) {
  return __atomic_load_n(&counter, __ATOMIC_RELAXED);
}

/// One line of text; what does not fit is left out.
class Line {
 public:
  Line& operator<<(const char* text) {
    for (; *text != '\0' && used_ < sizeof text_ - 1; ++text) text_[used_++] = *text;
    return *this;
  }
  Line& operator<<(std::size_t number) { return *this << Decimal(number).text(); }
  /// In one call, so that lines of several processes do not mix.
  void write() {
    text_[used_++] = '\n';
    raw_write(error_stream, text_, used_);
  }

 private:
  char text_[512] = {};
  std::size_t used_ = 0;
};

Line begin() {
  Line line;
  // Before libc has begun there is no name yet.
  const char* const name = program_invocation_short_name;
  line << "homenode: in " << (*name != '\0' ? name : "a program") << " ("
       << static_cast<std::size_t>(getpid()) << ") ";
  return line;
}

bool may_write() {
  FileIdentity now;
  return open && identify_open(error_stream, now) == 0 && now == error_file;
}

const char* reason_of(int error) {
  const char* const words = strerrordesc_np(error);
  return words != nullptr ? words : "for a reason without a name";
}

const char* advice_for(int error) {
  switch (error) {
    case EPERM:
    case ENOSYS:
      return "a container may need CAP_SYS_NICE or a seccomp profile that allows the call";
    case ENOMEM:
      return "free memory, or raise vm.max_map_count";
    default:
      return "check the nodes and CPUs with 'homenode run --explain'";
  }
}

/// Whether this is the first message of the process: others would say the same.
bool is_first() {
  return !__atomic_exchange_n(&told, true, __ATOMIC_RELAXED);
}

constexpr const char* policy_calls[] = {"mbind", "move_pages", "get_mempolicy", "set_mempolicy",
                                        "set_mempolicy_home_node"};

/// A sandbox's answer to a call about memory policies.
bool is_forbidden_policy(const char* call, int result) {
  if (result != -EPERM && result != -ENOSYS) return false;
  for (const char* const name : policy_calls) {
    if (std::strcmp(call, name) == 0) return true;
  }
  return false;
}

}  // namespace

bool open_account(char* const* environment, Arena& arena, Words& words) {
  const char* const text = find_wire(environment);
  if (text == nullptr) return false;
  open = identify_open(error_stream, error_file) == 0;
  if (read_words(text, arena, words)) {
    policies_reported = words.refusal_reported;
    return true;
  }
  note_failure(why_unread(arena));
  return false;
}

int noted(const char* call, int result) {
  if (result >= 0) return result;
  add(refusals, 1);
  if (policies_reported && is_forbidden_policy(call, result)) return result;
  if (!is_first() || !may_write()) return result;
  (begin() << "the kernel refused " << call << ": " << reason_of(-result)
           << "; what it refuses stays where it would be without homenode; " << advice_for(-result))
      .write();
  return result;
}

void note_failure(const char* what) {
  add(refusals, 1);
  if (is_first() && may_write()) {
    (begin() << what).write();
  }
}

void count_allocation(std::size_t pages) {
  add(allocations, 1);
  add(allocation_pages, pages);
}

void count_data(std::size_t pages) {
  add(data, 1);
  add(data_pages, pages);
}

void count_left(std::size_t pages) {
  add(unsuited, 1);
  add(unsuited_pages, pages);
}

void tell_account() {
  if (!may_write()) return;
  Line line = begin();
  line << "rules were applied to " << read(allocations) << " allocations ("
       << read(allocation_pages) << " pages) and " << read(data) << " pieces of static data ("
       << read(data_pages) << " pages); the kernel refused " << read(refusals) << " calls";
  if (read(unsuited) > 0) {
    line << "; left where they are: " << read(unsuited) << " mappings (" << read(unsuited_pages)
         << " pages) that the program cannot write to yet, or reserves beyond half of the free "
            "memory; a policy such as interleave suits these too";
  }
  line.write();
}

}  // namespace homenode::agent
