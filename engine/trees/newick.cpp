#include "engine/trees/newick.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

namespace glycine::trees {

namespace {

void appendName(std::string& text, std::string_view name) {
    // What the format uses, and what is no visible ASCII character.
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

}  // namespace

std::string newickTree(const Clustering& clustering, std::span<const std::string> names) {
    const std::size_t instances = names.size();
    const auto depthOf = [&](std::size_t cluster) {
        return cluster < instances ? 0 : clustering.merges[cluster - instances].height / 2;
    };
    /// What is still to be written, the last one first: a tree may be as deep as it has instances.
    struct Pending {
        std::size_t cluster = 0;
        double depth = 0;     ///< of the cluster around it
        char behind = '\0';   ///< what follows it
        bool isOpen = false;  ///< its parts have been written
    };
    std::string text;
    std::vector<Pending> pending{{instances + clustering.merges.size() - 1, 0, ';', false}};
    while (!pending.empty()) {
        const Pending now = pending.back();
        pending.pop_back();
        if (now.cluster >= instances && !now.isOpen) {
            const Merge& merge = clustering.merges[now.cluster - instances];
            const double depth = depthOf(now.cluster);
            text += '(';
            pending.push_back({now.cluster, now.depth, now.behind, true});
            pending.push_back({merge.right, depth, ')', false});
            pending.push_back({merge.left, depth, ',', false});
            continue;
        }
        if (now.cluster < instances) appendName(text, names[now.cluster]);
        // The root hangs on no branch.
        if (now.behind != ';')
            fmt::format_to(std::back_inserter(text), ":{:.7g}", now.depth - depthOf(now.cluster));
        text += now.behind;
    }
    return text;
}

}  // namespace glycine::trees
