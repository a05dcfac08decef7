// A compiler's life: expressions built as trees of small nodes of several sizes, with names, folded
// where they are constant, which drops and makes nodes, then dropped whole, in no order that helps.
#include <string>
#include <vector>

#include "bench.h"

using namespace heap_bench;

namespace {

constexpr std::uint64_t trees = 1'300;
constexpr int depth = 11;

struct Node {
  virtual ~Node() = default;
  // Its value, which folding must not change.
  [[nodiscard]] virtual std::uint64_t value() const = 0;
};

struct Constant final : Node {
  explicit Constant(std::uint64_t n) : number(n) {}
  [[nodiscard]] std::uint64_t value() const override { return number; }
  std::uint64_t number;
};

struct Name final : Node {
  explicit Name(std::uint64_t n) : text("variable_of_some_length_" + std::to_string(n)) {}
  [[nodiscard]] std::uint64_t value() const override {
    return text.size() * static_cast<unsigned char>(text.back());
  }
  std::string text;
};

struct Sum final : Node {
  Sum(Node* a, Node* b) : left(a), right(b) {}
  ~Sum() override {
    delete left;
    delete right;
  }
  Sum(const Sum&) = delete;
  Sum& operator=(const Sum&) = delete;
  [[nodiscard]] std::uint64_t value() const override { return left->value() + 3 * right->value(); }
  Node* left;
  Node* right;
};

struct Call final : Node {
  ~Call() override {
    for (const Node* part : parts) delete part;
  }
  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  [[nodiscard]] std::uint64_t value() const override {
    std::uint64_t total = parts.size();
    for (const Node* part : parts) total += part->value();
    return total;
  }
  std::vector<Node*> parts;
};

Node* build(Random& random, int levels) {
  const std::size_t kind = random.below(10);
  if (levels == 0) {
    if (kind < 6) return new Constant(kind);
    return new Name(kind);
  }
  if (kind < 8) {
    Node* const left = build(random, levels - 1);
    return new Sum(left, build(random, levels - 1));
  }
  auto* const call = new Call;
  for (std::size_t i = 0; i < 3; ++i) call->parts.push_back(build(random, i == 2 ? 0 : levels - 1));
  return call;
}

// Sums of constants become constants, from the leaves up.
Node* fold(Node* node) {
  if (auto* const call = dynamic_cast<Call*>(node)) {
    for (Node*& part : call->parts) part = fold(part);
  }
  auto* const sum = dynamic_cast<Sum*>(node);
  if (sum == nullptr) return node;
  sum->left = fold(sum->left);
  sum->right = fold(sum->right);
  const auto* const left = dynamic_cast<const Constant*>(sum->left);
  const auto* const right = dynamic_cast<const Constant*>(sum->right);
  if (left == nullptr || right == nullptr) return node;
  auto* const constant = new Constant(sum->value());
  delete node;
  return constant;
}

}  // namespace

int main(int argc, char** argv) {
  const Work work = arguments(argc, argv);
  team(work.threads, [&](unsigned rank) {
    Random random(rank + 1);
    const std::uint64_t mine = work.share(trees);
    Node* kept[4] = {};
    for (std::uint64_t i = 0; i < mine; ++i) {
      Node* tree = build(random, depth);
      const std::uint64_t value = tree->value();
      tree = fold(tree);
      if (tree->value() != value) fail("a tree's contents changed");
      Node*& place = kept[random.below(4)];
      delete place;
      place = tree;
    }
    for (const Node* tree : kept) delete tree;
  });
}
