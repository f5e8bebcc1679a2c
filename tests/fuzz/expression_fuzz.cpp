#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "engine/core/error.hpp"
#include "engine/io/expression/expression_table.hpp"
#include "tests/fuzz/fuzz_file.hpp"

/// Any expression matrix, packed or not, either gives named genes and samples and finite values, or an
/// InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
    static const test::FuzzFile table("fuzz.txt");
    static const test::FuzzFile aracne("fuzz.exp");
    // The length selects the format, so that the bytes are read once.
    const test::FuzzFile& file = size % 2 == 0 ? table : aracne;
    file.fill(data, size);
    const io::ExpressionReading reading{
        .transpose = size / 2 % 2 == 1,
        .duplicates = size / 4 % 2 == 0 ? io::DuplicateRule::Refuse : io::DuplicateRule::MaxVariance,
        .missing = static_cast<io::MissingValues>(size / 8 % 5)};
    try {
        const io::ExpressionTable read = io::readExpression(file.path(), reading);
        if (read.values.empty() || read.genes.size() != read.values.rows() ||
            read.samples.size() != read.values.columns())
            std::abort();
        for (std::size_t i = 0; i < read.values.size(); ++i)
            if (std::isinf(read.values.data()[i])) std::abort();
        for (const std::string& gene : read.genes)
            if (gene.empty()) std::abort();
    } catch (const InputError&) {
    }
    return 0;
}
