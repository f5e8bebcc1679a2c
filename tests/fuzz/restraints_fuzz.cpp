#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/io/restraints/map_restraints.hpp"

/// Any text, in the format selected by its first byte, gives restraints with ordered limits or an InputError.
/// The same holds for mapping them to a small molecule.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
    constexpr std::array kNames{"a.nef", "a.tbl", "a.upl", "a.aco", "a.bounds", "a.csv"};
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    static const std::vector<io::NamedAtom> kAtoms{
        {"A", 1, "ALA", "C"},   {"A", 2, "LEU", "N"}, {"A", 2, "LEU", "CA"}, {"A", 2, "LEU", "HB2"},
        {"A", 2, "LEU", "HB3"}, {"A", 2, "LEU", "C"}, {"B", 1, "SER", "N"}};
    try {
        const io::RestraintFile file = io::parseRestraints(text, kNames[data[0] % kNames.size()]);
        for (const io::StatedDistance& stated : file.distances)
            if (!(stated.lower >= 0 && stated.lower <= stated.upper) || stated.alternatives.empty())
                std::abort();
        for (const io::StatedDihedral& stated : file.dihedrals)
            if (!std::isfinite(stated.lower) || !(stated.lower <= stated.upper)) std::abort();
        io::mapRestraints(file, kAtoms, {.skipUnknown = true});
    } catch (const InputError&) {
    }
    return 0;
}
