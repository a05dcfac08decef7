// A recipe: the options of `run` that `homenode tune` found best, with the machine and the program
// that it found them for. Serves the verb `run`, which applies them and says where it is elsewhere.
#pragma once

#include <string>
#include <vector>

#include "base/id_set.h"
#include "base/result.h"
#include "machine/machine.h"
#include "os/os.h"

namespace homenode::launch {

struct Recipe {
  struct Node {
    NodeId id;
    CpuSet cpus;
  };
  std::vector<std::string> options;
  std::vector<std::string> program;  ///< With its arguments.
  std::string model;                 ///< The processor's name; empty where it is not known.
  std::vector<Node> nodes;
};

/// Reads the JSON (schema homenode.recipe/1) of a recipe. Errors: failed, for what is none.
Result<Recipe> parse_recipe(const std::string& path, const std::string& content);

/// The recipe in a file. Errors: failed when it cannot be read or is none.
Result<Recipe> read_recipe(os::Os& os, const std::string& path);

/// The name of this machine's processor as the kernel has it; empty where it has none.
std::string processor_model(os::Os& os);

/// What differs from where the recipe was found, a sentence's part each: the processor, the nodes
/// or their CPUs, the program (its file's name; arguments may differ). Empty where nothing does.
std::vector<std::string> recipe_differences(const Recipe& recipe, const machine::Machine& machine,
                                            const std::string& model, const std::string& program);

}  // namespace homenode::launch
