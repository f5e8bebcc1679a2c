#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "engine/core/error.hpp"
#include "engine/io/sequences/variant_calls.hpp"
#include "tests/fuzz/fuzz_file.hpp"

/// Any bytes, VCF or BCF, packed or not, either give genotypes or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
    static const test::FuzzFile file("fuzz.vcf");
    file.fill(data, size);
    // The length selects the options, so that one execution reads the bytes once.
    const bool anyAlleles = size % 3 == 1;
    const bool strict = size % 3 == 2;
    try {
        const io::VariantCalls calls =
            io::readVariantCalls(file.path(), {.anyAlleles = anyAlleles, .strict = strict});
        const io::PackedGenotypes& genotypes = calls.genotypes;
        if (calls.samples.empty() || genotypes.samples != calls.samples.size()) std::abort();
        if (strict && calls.multiAllelic != 0) std::abort();
        for (std::size_t variant = 0; variant < genotypes.variants; ++variant)
            for (std::size_t sample = 0; sample < genotypes.samples; ++sample)
                (void)genotypes.at(variant, sample);
    } catch (const InputError&) {
    }
    return 0;
}
