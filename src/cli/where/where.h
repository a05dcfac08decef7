// homenode where: where the pages and the threads of a live process are, and moving them.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_where();

}  // namespace homenode::cli
