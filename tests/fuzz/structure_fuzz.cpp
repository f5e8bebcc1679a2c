#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/io/structures/structure.hpp"

/// Any text either gives atoms at finite positions or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    // The length selects whether to include hetero atoms, so that one execution reads the text once.
    try {
        const io::Structure structure = io::parseStructure(text, "fuzz", {{}, size % 2 != 0});
        if (structure.atoms.empty()) std::abort();
        for (const io::StructureAtom& atom : structure.atoms)
            for (const double value : atom.position)
                if (!std::isfinite(value)) std::abort();
    } catch (const InputError&) {
    }
    return 0;
}
