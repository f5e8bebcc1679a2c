#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/io/sequences/plink_files.hpp"

/// Any three files either give a set of genotypes or an InputError. The input is the text of the .fam file, a
/// zero, the text of the .bim file, a zero, and the bytes of the .bed file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    const auto takePart = [&rest] {
        const std::string_view part = rest.substr(0, rest.find('\0'));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        return part;
    };
    const std::string_view fam = takePart();
    const std::string_view bim = takePart();
    const std::span<const std::byte> bed = std::as_bytes(std::span(rest));
    // Then read each part by itself: an error in one must not hide the others from the fuzzer.
    std::size_t samples = 3;
    std::size_t variants = 2;
    try {
        samples = io::parseFam(fam, "fuzz.fam").size();
        if (samples == 0) std::abort();
    } catch (const InputError&) {
    }
    try {
        std::size_t visited = 0;
        variants = io::parseBim(bim, "fuzz.bim", [&](std::size_t index, const io::PlinkVariant& variant) {
            if (index != visited++ || variant.chromosome.empty() || variant.allele2.empty()) std::abort();
        });
        if (variants != visited) std::abort();
    } catch (const InputError&) {
    }
    try {
        const std::span<const std::byte> genotypes =
            io::checkBed(bed, io::plinkPaths("fuzz"), samples, variants);
        const io::PackedGenotypes packed{samples, variants,
                                         reinterpret_cast<const std::uint8_t*>(genotypes.data()), nullptr};
        if (variants > 0) (void)packed.at(variants - 1, samples - 1);
    } catch (const InputError&) {
    }
    return 0;
}
