#include "engine/io/trees/newick_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"

namespace glycine::io {

namespace {

using trees::kNoNode;

/// A text and a position in it.
class Cursor {
  public:
    Cursor(std::string_view text, std::string source) : text_(text), source_(std::move(source)) {}

    [[noreturn]] void fail(const std::string& what) const { failAt(position_, what); }
    [[noreturn]] void failAt(std::size_t position, const std::string& what) const {
        const std::string_view before = text_.substr(0, position);
        const auto line = 1 + std::ranges::count(before, '\n');
        const std::size_t start = before.rfind('\n');
        const std::size_t column = position - (start == before.npos ? 0 : start + 1) + 1;
        throw InputError(fmt::format("{}: line {}, column {}: {}", source_, line, column, what));
    }

    std::size_t position() const { return position_; }
    bool isAtEnd() const { return position_ == text_.size(); }
    char here() const { return isAtEnd() ? '\0' : text_[position_]; }
    void step() { ++position_; }
    /// Describes the current character for messages.
    std::string found() const {
        if (isAtEnd()) return "the end of the text";
        const char c = here();
        return c > ' ' && c < 0x7f ? fmt::format("'{}'", c)
                                   : fmt::format("the byte {}", static_cast<unsigned char>(c));
    }

    void skipBlanks() {
        while (!isAtEnd()) {
            if (isBlank(here())) {
                step();
            } else if (here() == '[') {
                const std::size_t begin = position_;
                const std::size_t end = text_.find(']', position_);
                if (end == text_.npos) failAt(begin, "this comment has no ']'");
                position_ = end + 1;
            } else {
                return;
            }
        }
    }

    /// Reads a name, quoted or bare; empty if there is none.
    std::string label() {
        std::string name;
        if (here() == '\'') {
            const std::size_t begin = position_;
            for (step();; step()) {
                if (isAtEnd()) failAt(begin, "this quoted name has no end");
                if (here() == '\'') {
                    step();
                    if (here() != '\'') return name;
                }
                name += here();
            }
        }
        while (!isAtEnd() && !isBlank(here()) &&
               std::string_view("()[]':;,").find(here()) == std::string_view::npos) {
            name += here();
            step();
        }
        return name;
    }

    double length() {
        const std::size_t begin = position_;
        const std::string word = label();
        const char* first = word.c_str() + (word.starts_with('+') ? 1 : 0);
        double value = 0;
        const auto [end, error] = std::from_chars(first, word.c_str() + word.size(), value);
        if (error != std::errc() || end != word.c_str() + word.size() || !std::isfinite(value))
            failAt(begin, word.empty() ? fmt::format("expected the length of a branch, found {}", found())
                                       : fmt::format("'{}' is no length of a branch", word));
        if (isRoundedWholeNumber(word, value))
            failAt(begin, fmt::format("'{}' was found; expected {}", word, kExactWholeNumber<double>));
        return value;
    }

  private:
    static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

    std::string_view text_;
    std::string source_;
    std::size_t position_ = 0;
};

/// Nodes in text order; leaves are numbered before the other nodes later.
struct RawNode {
    std::size_t parent = kNoNode;
    std::string label;
    double length = 0;
    bool hasLength = false;
    bool isLeaf = true;
    std::size_t position = 0;
};

std::vector<RawNode> readNodes(Cursor& text) {
    std::vector<RawNode> nodes(1);
    std::size_t node = 0;
    text.skipBlanks();
    if (text.here() != '(') {
        const std::size_t begin = text.position();
        nodes[0].position = begin;
        if (text.isAtEnd()) text.fail("expected a tree, found the end of the text");
    }
    bool isOpening = true;
    const auto addChild = [&](std::size_t parent) {
        nodes[parent].isLeaf = false;
        nodes.push_back({.parent = parent, .label = {}, .position = text.position()});
        node = nodes.size() - 1;
    };
    while (true) {
        text.skipBlanks();
        if (isOpening) {
            if (text.here() == '(') {
                text.step();
                text.skipBlanks();
                addChild(node);
                continue;
            }
            nodes[node].position = text.position();
            isOpening = false;
        }
        nodes[node].label = text.label();
        if (nodes[node].isLeaf && nodes[node].label.empty())
            text.fail(fmt::format("expected the name of a leaf or '(', found {}", text.found()));
        text.skipBlanks();
        if (text.here() == ':') {
            text.step();
            text.skipBlanks();
            nodes[node].length = text.length();
            nodes[node].hasLength = true;
            text.skipBlanks();
        }
        const std::size_t parent = nodes[node].parent;
        const char next = text.here();
        if (next == ',' && parent != kNoNode) {
            text.step();
            text.skipBlanks();
            addChild(parent);
            isOpening = true;
        } else if (next == ')' && parent != kNoNode) {
            text.step();
            node = parent;
        } else if (next == ';' && parent == kNoNode) {
            text.step();
            break;
        } else {
            text.fail(
                fmt::format("expected {}, found {}", parent == kNoNode ? "';'" : "',' or ')'", text.found()));
        }
    }
    text.skipBlanks();
    if (!text.isAtEnd()) text.fail(fmt::format("expected nothing after the tree, found {}", text.found()));
    return nodes;
}

std::string wholeText(TextStream& stream) {
    std::string text;
    std::vector<char> piece(std::size_t{1} << 16);
    while (const std::size_t count = stream.read(piece)) text.append(piece.data(), count);
    return text;
}

}  // namespace

NamedTree readNewick(TextStream& stream) {
    const std::string text = wholeText(stream);
    Cursor cursor(text, stream.name());
    std::vector<RawNode> raw = readNodes(cursor);
    NamedTree result;
    std::map<std::string, std::size_t> leaves;
    std::vector<std::size_t> numbers(raw.size());
    for (std::size_t k = 0; k < raw.size(); ++k) {
        if (!raw[k].isLeaf) continue;
        if (!leaves.emplace(raw[k].label, k).second)
            cursor.failAt(raw[k].position, fmt::format("the leaf '{}' is in the tree twice", raw[k].label));
        numbers[k] = result.tree.leaves++;
    }
    std::size_t inner = result.tree.leaves;
    for (std::size_t k = 0; k < raw.size(); ++k)
        if (!raw[k].isLeaf) numbers[k] = inner++;
    result.tree.nodes.resize(raw.size());
    result.labels.resize(raw.size());
    result.tree.root = numbers[0];
    result.hasLengths = true;
    // Children come after their parents, from left to right.
    for (std::size_t k = 0; k < raw.size(); ++k) {
        result.labels[numbers[k]] = std::move(raw[k].label);
        if (k == 0) continue;
        attach(result.tree, numbers[raw[k].parent], numbers[k], raw[k].length);
        result.hasLengths = result.hasLengths && raw[k].hasLength;
    }
    return result;
}

trees::Tree treeOfNames(const NamedTree& named, std::span<const std::string> names, std::string_view source) {
    std::map<std::string_view, std::size_t> numbers;
    for (std::size_t k = 0; k < names.size(); ++k) numbers.emplace(names[k], k);
    std::vector<std::size_t> target(named.tree.nodes.size());
    std::vector<bool> isPresent(names.size(), false);
    for (std::size_t node = 0; node < target.size(); ++node) {
        target[node] = node;
        if (!named.tree.isLeaf(node)) continue;
        const auto found = numbers.find(named.labels[node]);
        if (found == numbers.end())
            throw InputError(
                fmt::format("{}: the leaf '{}' is none of the sequences; expected a tree of their names ({})",
                            source, excerpt(named.labels[node]), suggestNames(named.labels[node], names)));
        target[node] = found->second;
        isPresent[found->second] = true;
    }
    if (const auto lacking = std::ranges::find(isPresent, false); lacking != isPresent.end())
        throw InputError(fmt::format("{}: has no leaf '{}'; expected all {} sequences", source,
                                     excerpt(names[static_cast<std::size_t>(lacking - isPresent.begin())]),
                                     names.size()));
    trees::Tree tree{.leaves = named.tree.leaves,
                     .nodes = std::vector<trees::TreeNode>(named.tree.nodes.size()),
                     .root = target[named.tree.root]};
    for (std::size_t node = 0; node < target.size(); ++node) {
        trees::TreeNode& made = tree.nodes[target[node]];
        made = named.tree.nodes[node];
        if (made.parent != kNoNode) made.parent = target[made.parent];
        for (std::size_t& child : made.children) child = target[child];
    }
    return tree;
}

}  // namespace glycine::io
