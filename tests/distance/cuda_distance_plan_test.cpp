// Parts of the cuda backend's `distance` that need no device: the meaning of int8 products.

#include "kernels_cuda/device/cublas_lt.hpp"
#include "kernels_cuda/device/paced_report.hpp"
#include "kernels_cuda/distance/distance_int8_counter.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

/// The value of a code in a slice.
int valueOf(const glycine::cuda::SliceTable& table, bool hasMissing, bool isPresent, unsigned code) {
    const std::uint32_t word = hasMissing && isPresent ? table.high : table.low;
    return static_cast<std::int8_t>(word >> (8 * code) & 0xFF);
}

struct Entry {
    unsigned code;
    bool isPresent;
};

/// Combines the products of two rows of entries as the device does.
std::int64_t combine(const glycine::cuda::Int8Form& form, const glycine::cuda::Combination& combination,
                     bool hasMissing, const std::vector<Entry>& a, const std::vector<Entry>& b) {
    std::int64_t sum = combination.attributes * static_cast<std::int64_t>(a.size());
    unsigned slice = 0;
    for (std::size_t p = 0; p < form.slicesOfProduct.size(); ++p)
        for (unsigned s = 0; s < form.slicesOfProduct[p]; ++s, ++slice)
            for (std::size_t k = 0; k < a.size(); ++k)
                sum += std::int64_t{combination.weight[p]} *
                       valueOf(form.left.table[slice], hasMissing, a[k].isPresent, a[k].code) *
                       valueOf(form.right.table[slice], hasMissing, b[k].isPresent, b[k].code);
    const auto equalPlanes = [](const std::vector<Entry>& entries) {
        return std::count_if(entries.begin(), entries.end(),
                             [](Entry entry) { return entry.code == 0 || entry.code == 3; });
    };
    if (combination.margin != 0) sum += std::int64_t{combination.margin} * (equalPlanes(a) + equalPlanes(b));
    EXPECT_EQ(sum % combination.divisor, 0);
    return sum / combination.divisor;
}

struct Format {
    unsigned symbols;
    DiscreteShape shape;
};

TEST(Int8Form, givesTheCountsOfAllPairsOfSymbols) {
    for (const bool hasMissing : {false, true}) {
        for (const Format& format : {Format{3, {.planes = 2, .hasMissing = hasMissing, .isGenotypes = true}},
                                     Format{2, {.planes = 1, .hasMissing = hasMissing}},
                                     Format{4, {.planes = 2, .hasMissing = hasMissing}}}) {
            const bool isGenotypes = format.shape.isGenotypes;
            // Each symbol, and a missing one.
            std::vector<Entry> entries;
            for (unsigned s = 0; s < format.symbols; ++s)
                entries.push_back({isGenotypes && s == 2 ? 3 : s, true});
            if (hasMissing) entries.push_back({0, false});
            for (const bool opposite : {false, true}) {
                for (const bool valid : {false, true}) {
                    if ((opposite && !isGenotypes) || (valid && !hasMissing)) continue;
                    const glycine::cuda::Int8Form form =
                        glycine::cuda::int8Form(format.shape, {opposite, valid});
                    EXPECT_EQ(form.opposite.divisor != 0, opposite);
                    EXPECT_EQ(form.valid.divisor != 0, valid);
                    for (const Entry& x : entries) {
                        for (const Entry& y : entries) {
                            const bool both = x.isPresent && y.isPresent;
                            // Next to an attribute in which the two differ.
                            const std::vector<Entry> a{x, entries[0]}, b{y, entries[1]};
                            EXPECT_EQ(combine(form, form.differing, hasMissing, a, b),
                                      1 + (both && x.code != y.code));
                            if (opposite) {
                                EXPECT_EQ(combine(form, form.opposite, hasMissing, a, b),
                                          both && (x.code ^ y.code) == 3);
                            }
                            if (valid) {
                                EXPECT_EQ(combine(form, form.valid, hasMissing, a, b), 1 + both);
                            }
                        }
                    }
                }
            }
        }
    }
}

TEST(Int8Products, saysWhyItIsNotThere) {
    const std::string& reason = glycine::cuda::reasonAgainstInt8Products();
    if (reason.empty()) GTEST_SKIP() << "cuBLASLt is here";
    EXPECT_THAT(reason, HasSubstr("cublasLt"));
    glycine::cuda::MemoryBudget memory(0);
    EXPECT_THROW(glycine::cuda::Int8Products(memory, 0), UnavailableError);
}

TEST(WorkSplit, addsUpToTheWork) {
    for (const double work : {0.0, 1.0, 1e15, 12345678901.0}) {
        glycine::cuda::WorkSplit split(work, 7);
        double sum = 0;
        for (int portion = 0; portion < 7; ++portion) {
            const double next = split.next(1);
            EXPECT_EQ(next, std::floor(next));
            sum += next;
        }
        EXPECT_EQ(sum, work);
    }
}

}  // namespace
}  // namespace glycine::distance
