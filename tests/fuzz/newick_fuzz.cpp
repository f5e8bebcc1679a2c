#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "engine/core/error.hpp"
#include "engine/io/trees/newick_reader.hpp"
#include "engine/trees/newick.hpp"

/// Any bytes either give a tree, which is written and read back unchanged, or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
    const auto read = [](std::span<const std::byte> bytes) {
        io::TextStream stream(io::openMemory(bytes, "fuzz"));
        return io::readNewick(stream);
    };
    try {
        const io::NamedTree tree = read(std::as_bytes(std::span(data, size)));
        if (tree.tree.leaves == 0 || postorder(tree.tree).size() != tree.tree.nodes.size()) std::abort();
        const std::string text = trees::newickTree(tree.tree, tree.labels, trees::NewickForm::RoundTrip);
        const io::NamedTree again = read(std::as_bytes(std::span(text)));
        if (again.tree.nodes.size() != tree.tree.nodes.size()) std::abort();
        for (std::size_t leaf = 0; leaf < tree.tree.leaves; ++leaf)
            if (again.labels[leaf] != tree.labels[leaf]) std::abort();
    } catch (const InputError&) {
    }
    return 0;
}
