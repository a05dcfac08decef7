#include "launch/segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/sizes.h"

namespace homenode::launch {
namespace {

using Kind = RunSetting::Kind;
using actuation::SegmentRequest;
using Step = SegmentRequest::Step;

/// Half of the address space is more than any file has, and sums of two such do not overflow.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62U;

bool names_memory(Kind kind) {
  return kind == Kind::shm || kind == Kind::file;
}

bool is_for_programs(Kind kind) {
  return kind == Kind::physcpubind || kind == Kind::cpunodebind || kind == Kind::near ||
         kind == Kind::per_rank;
}

bool is_policy(Kind kind) {
  switch (kind) {
    case Kind::interleave:
    case Kind::weighted_interleave:
    case Kind::membind:
    case Kind::preferred:
    case Kind::preferred_many:
    case Kind::localalloc:
      return true;
    default:
      return false;
  }
}

std::optional<Step> step_of(Kind kind) {
  switch (kind) {
    case Kind::touch:
      return Step::touch;
    case Kind::dump:
      return Step::dump;
    case Kind::dump_nodes:
      return Step::dump_nodes;
    case Kind::verify:
      return Step::verify;
    default:
      return std::nullopt;
  }
}

/// The option of a setting that says which memory, for messages.
const char* attribute_name(Kind kind) {
  switch (kind) {
    case Kind::shmid:
      return "--shmid";
    case Kind::shmmode:
      return "--shmmode";
    case Kind::offset:
      return "--offset";
    case Kind::length:
      return "--length";
    case Kind::huge:
      return "--huge";
    default:
      return nullptr;
  }
}

/// An option of this mode as people may have written it, for messages.
const char* written_name(Kind kind) {
  switch (kind) {
    case Kind::shmid:
      return "--shmid (-I)";
    case Kind::shmmode:
      return "--shmmode (-M)";
    case Kind::offset:
      return "--offset (-o)";
    case Kind::length:
      return "--length (-L)";
    case Kind::huge:
      return "--huge (-u)";
    case Kind::touch:
      return "--touch (-T)";
    case Kind::dump:
      return "--dump (-d)";
    case Kind::dump_nodes:
      return "--dump-nodes (-D)";
    case Kind::verify:
      return "--verify (-V)";
    default:
      return nullptr;
  }
}

Unexpected unreadable_value(Kind kind, const std::string& value, const char* next) {
  return bad_usage(fmt::format("cannot read {} '{}'", attribute_name(kind), value), next);
}

class SegmentReader {
 public:
  Result<void> take(const RunSetting& setting) {
    if (is_for_programs(setting.kind)) {
      return bad_usage("a program runs on CPUs, shared memory does not",
                       "leave the CPUs out, or set the memory's policy with a command of its own");
    }
    if (names_memory(setting.kind)) return name_memory(setting);
    if (attribute_name(setting.kind) != nullptr) return set_attribute(setting);
    if (setting.kind == Kind::strict) return be_strict();
    if (!named_) {
      const char* const name = written_name(setting.kind);
      return bad_usage(
          fmt::format("{} comes before the memory", name != nullptr ? name : "the memory policy"),
          "write --shm or --file first");
    }
    const Step step = step_of(setting.kind).value_or(Step::policy);
    if (step == Step::verify && !has_policy()) {
      return bad_usage("--verify comes before the policy that it is for", "write it after");
    }
    request_.steps.push_back(step);
    return {};
  }

  SegmentRequest request() && { return std::move(request_); }

 private:
  Result<void> name_memory(const RunSetting& setting) {
    if (named_) return bad_usage("--shm or --file is given twice", "write a command for each");
    if (setting.text().empty()) {
      return bad_usage("the shared memory has no name", "write --shm KEYFILE or --file PATH");
    }
    named_ = true;
    request_.is_file = setting.kind == Kind::file;
    request_.path = setting.text();
    if (request_.is_file && request_.huge_pages) {
      return bad_usage("--huge is for segments, not for files",
                       "a file has huge pages where it lies on hugetlbfs");
    }
    return {};
  }

  Result<void> be_strict() {
    if (has_policy()) {
      return bad_usage("--strict comes after the policy that it is for", "write it before");
    }
    request_.strict = true;
    return {};
  }

  Result<void> set_attribute(const RunSetting& setting) {
    if (named_) {
      return bad_usage(fmt::format("{} comes after --shm or --file", attribute_name(setting.kind)),
                       "write it before");
    }
    if (setting.kind == Kind::huge) {
      request_.huge_pages = true;
      return {};
    }
    if (setting.kind == Kind::offset || setting.kind == Kind::length) {
      const auto bytes = parse_size(setting.text(), LeadingZero::octal);
      if (!bytes || bytes->value > most_bytes) {
        return unreadable_value(setting.kind, setting.text(), size_advice);
      }
      (setting.kind == Kind::offset ? request_.offset : request_.length) = bytes->value;
      return {};
    }
    const bool is_mode = setting.kind == Kind::shmmode;
    const auto number =
        is_mode ? number_in(setting.text(), 8) : c_number_in(setting.text(), LeadingZero::octal);
    constexpr auto most_project = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
    if (!number || *number > (is_mode ? 0777 : most_project)) {
      return unreadable_value(
          setting.kind, setting.text(),
          is_mode ? "write permissions in octal, such as 0600" : "write a whole number such as 0");
    }
    if (is_mode) {
      request_.permissions = static_cast<unsigned>(*number);
    } else {
      request_.project = static_cast<int>(*number);
    }
    return {};
  }

  [[nodiscard]] bool has_policy() const {
    const auto& steps = request_.steps;
    return std::find(steps.begin(), steps.end(), Step::policy) != steps.end();
  }

  SegmentRequest request_;
  bool named_ = false;
};

/// The error for options of this mode where no memory is named.
Result<void> check_no_memory_named(const std::vector<RunSetting>& settings) {
  for (const RunSetting& setting : settings) {
    const char* const name = written_name(setting.kind);
    if (name == nullptr) continue;
    return bad_usage(fmt::format("{} is for shared memory", name),
                     "name the memory with --shm or --file, or leave the option out for a program");
  }
  return {};
}

}  // namespace

Result<std::optional<SegmentRequest>> take_segment(std::vector<RunSetting>& settings) {
  const bool named = std::any_of(settings.begin(), settings.end(), [](const RunSetting& setting) {
    return names_memory(setting.kind);
  });
  if (!named) {
    if (const auto none = check_no_memory_named(settings); !none) return none.as_unexpected();
    return std::optional<SegmentRequest>{};
  }
  SegmentReader reader;
  std::vector<RunSetting> left;
  for (RunSetting& setting : settings) {
    const bool goes_with_policy = setting.kind == Kind::all || setting.kind == Kind::balancing;
    if (!goes_with_policy) {
      if (const auto taken = reader.take(setting); !taken) return taken.as_unexpected();
    }
    if (goes_with_policy || is_policy(setting.kind)) left.push_back(std::move(setting));
  }
  settings = std::move(left);
  return std::optional(std::move(reader).request());
}

}  // namespace homenode::launch
