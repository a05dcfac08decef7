// A unit that is hard work for a compiler: containers, algorithms, regular expressions, streams and
// variants, each with several types. It is only ever compiled, for the benchmark of allocators.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

template <int N>
struct Key {
  int part[N + 1] = {};
  auto operator<=>(const Key&) const = default;
};

using Value = std::variant<int, double, std::string, std::vector<std::string>>;

std::string text_of(const Value& value) {
  std::ostringstream out;
  std::visit(
      [&](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::vector<std::string>>) {
          for (const auto& part : held) out << part << ' ';
        } else {
          out << held;
        }
      },
      value);
  return out.str();
}

template <int N>
std::size_t work(const std::string& text) {
  std::map<Key<N>, std::vector<std::string>> ordered;
  std::unordered_map<std::string, std::tuple<int, Key<N>, std::shared_ptr<Key<N>>>> hashed;
  std::set<std::pair<Key<N>, std::string>> both;
  const std::regex words("(\\w+)[^\\w]*(\\d{" + std::to_string(N) + "})?");
  for (auto match = std::sregex_iterator(text.begin(), text.end(), words);
       match != std::sregex_iterator(); ++match) {
    Key<N> key;
    key.part[0] = static_cast<int>(match->str(1).size());
    ordered[key].push_back(match->str(2));
    hashed.emplace(match->str(1), std::make_tuple(N, key, std::make_shared<Key<N>>(key)));
    both.emplace(key, match->str());
  }
  std::vector<std::function<int(int)>> steps;
  for (const auto& [key, list] : ordered) {
    steps.emplace_back([key, count = list.size()](int x) {
      return x + key.part[0] + static_cast<int>(count) + N;
    });
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const auto& a, const auto& b) { return a(1) < b(1); });
  const int total = std::accumulate(steps.begin(), steps.end(), 0,
                                    [](int sum, const auto& step) { return step(sum); });
  return hashed.size() + both.size() + static_cast<std::size_t>(total) +
         text_of(Value(std::to_string(N))).size();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string text = argc > 1 ? argv[1] : "some words 12 and 345";
  std::cout << work<1>(text) + work<2>(text) << '\n';
}
