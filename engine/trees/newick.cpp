#include "engine/trees/newick.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"

namespace glycine::trees {

namespace {

void appendName(std::string& text, std::string_view name) {
    // Characters that are special in the format, or not visible ASCII, need quotes.
    const bool isPlain = !name.empty() && std::ranges::all_of(name, [](char c) {
        return c > ' ' && c < 0x7f && std::string_view("()[]{}'\":;,").find(c) == std::string_view::npos;
    });
    if (isPlain) {
        text += name;
        return;
    }
    text += '\'';
    for (const char c : name) text.append(c == '\'' ? 2 : 1, c);
    text += '\'';
}

void appendLength(std::string& text, double length, NewickForm form) {
    const auto to = std::back_inserter(text);
    switch (form) {
        case NewickForm::SevenDigits:
            fmt::format_to(to, ":{:.7g}", length);
            return;
        case NewickForm::RoundTrip:
            fmt::format_to(to, ":{}", length);
            return;
        case NewickForm::ClustalW:
            fmt::format_to(to, ":{:.5f}", length);
            return;
    }
}

}  // namespace

std::string newickTree(const Tree& tree, std::span<const std::string> names, NewickForm form) {
    checkKnown(form);
    static_cast<void>(postorder(tree));  // throws for what is no tree; lengths are written as they are
    if (names.size() < tree.leaves || names.size() > tree.nodes.size())
        throw UsageError(fmt::format("{} names for a tree of {} leaves; expected one for each leaf, or node",
                                     names.size(), tree.leaves));
    const bool hasLines = form == NewickForm::ClustalW;
    /// Nodes still to be written, last first. No recursion: a tree may be as deep as it has leaves.
    struct Pending {
        std::size_t node = 0;
        char behind = '\0';   ///< the character after it
        bool isOpen = false;  ///< its children have been written
    };
    std::string text;
    std::vector<Pending> pending{{tree.root, ';', false}};
    while (!pending.empty()) {
        const Pending now = pending.back();
        pending.pop_back();
        const TreeNode& node = tree.nodes[now.node];
        if (!tree.isLeaf(now.node) && !now.isOpen) {
            text += hasLines ? "(\n" : "(";
            pending.push_back({now.node, now.behind, true});
            for (std::size_t k = node.children.size(); k-- > 0;)
                pending.push_back({node.children[k], k + 1 == node.children.size() ? ')' : ',', false});
            continue;
        }
        if (tree.isLeaf(now.node) || (now.node < names.size() && !names[now.node].empty())) {
            if (hasLines)
                text += names[now.node];
            else
                appendName(text, names[now.node]);
        }
        // The root has no branch.
        if (now.behind != ';') appendLength(text, node.length, form);
        text += now.behind;
        const bool isLast = now.behind == ';' || (now.behind == ')' && node.parent == tree.root);
        if (hasLines && !isLast) text += '\n';
    }
    return text;
}

std::string newickTree(const Clustering& clustering, std::span<const std::string> names) {
    return newickTree(treeOf(clustering), names, NewickForm::SevenDigits);
}

}  // namespace glycine::trees
