// Parts of the cpu backend: min-plus kernels against plain loops, pruning, sparse search, and independence of
// instruction set and number of threads. Results of whole runs: tests/backends/bounds_backends_test.cpp.
#include "engine/bounds/cpu/dense_smoothing.hpp"
#include "engine/bounds/cpu/min_plus.hpp"
#include "engine/bounds/cpu/sparse_search.hpp"
#include "tests/bounds/bounds_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::bounds::cpu {
namespace {

constexpr InstructionSet kInstructionSets[] = {InstructionSet::Generic, InstructionSet::Avx2,
                                               InstructionSet::Avx512};

template <class T>
bool haveSameBits(const Matrix<T>& a, const Matrix<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
class CpuMinPlus : public testing::Test {};
using Formats = testing::Types<float, double, std::int32_t>;
TYPED_TEST_SUITE(CpuMinPlus, Formats);

TYPED_TEST(CpuMinPlus, NumberOfThreadsDoesNotMatter) {
    const FilledBounds<TypeParam> input = makeBounds<TypeParam>(300, Kind::Sparse);
    for (const Variant variant : {Variant::Dense, Variant::Sparse, Variant::Recursive}) {
        FilledBounds<TypeParam> one(input), five(input);
        HostBackend cpu1("cpu", 1), cpu5("cpu", 5);
        smoothWith(cpu1, one, variant);
        smoothWith(cpu5, five, variant);
        EXPECT_TRUE(haveSameBits(one.upper, five.upper));
        EXPECT_TRUE(haveSameBits(one.lower, five.lower));
    }
}

// Of one tile, of powers of two of them, and of numbers that halve unevenly.
TYPED_TEST(CpuMinPlus, RecursionFindsTheSamePaths) {
    for (const Kind kind : kAllKinds)
        for (const std::size_t n : {1, 63, 64, 65, 128, 130, 200, 256, 333, 450}) {
            SCOPED_TRACE(testing::Message() << kind << ", " << n << " atoms");
            const FilledBounds<TypeParam> input = makeBounds<TypeParam>(n, kind, 1, true);
            FilledBounds<TypeParam> dense(input), recursive(input);
            HostBackend cpu("cpu", 3);
            const SmoothingReport one = smoothWith(cpu, dense, Variant::Dense);
            const SmoothingReport other = smoothWith(cpu, recursive, Variant::Recursive);
            EXPECT_EQ(other.variant, "recursive");
            EXPECT_EQ(other.violationCount, one.violationCount);
            // Sums of these bounds are exact in all formats.
            EXPECT_TRUE(haveSameBits(dense.upper, recursive.upper));
            EXPECT_TRUE(haveSameBits(dense.lower, recursive.lower));
        }
}

TYPED_TEST(CpuMinPlus, InstructionSetDoesNotMatter) {
    constexpr std::size_t n = 203;
    for (const Kind kind : kAllKinds) {
        const FilledBounds<TypeParam> input = makeBounds<TypeParam>(n, kind);
        std::vector<FilledBounds<TypeParam>> results;
        for (const InstructionSet set : kInstructionSets) {
            if (set > detectInstructionSet()) continue;
            const MinPlusKernel<TypeParam> kernel = kernelFor<MinPlusKernel<TypeParam>>(set);
            FilledBounds<TypeParam> dense(input), sparse(input);
            SymmetricTiles<TypeParam> tiles(n, 64);
            tiles.loadAll(dense.upper.view(), kUnknownUpper<TypeParam>, 2);
            closeUpperBounds(tiles, kernel, 2, silentProgress());
            tiles.storeAll(dense.upper.view(), 2);
            smoothLowerBounds<TypeParam>(dense.lower.view(), dense.upper.view(), tiles, kernel, 2,
                                         silentProgress());
            smoothUpperBoundsSparse<TypeParam>(sparse.upper.view(),
                                               findKnownBounds<TypeParam>(input.upper.view(), 2), kernel, 2,
                                               silentProgress());
            results.push_back(std::move(dense));
            results.push_back(std::move(sparse));
        }
        for (std::size_t k = 2; k < results.size(); ++k) {
            EXPECT_TRUE(haveSameBits(results[k].upper, results[k % 2].upper)) << kind << ' ' << k;
            EXPECT_TRUE(haveSameBits(results[k].lower, results[k % 2].lower)) << kind << ' ' << k;
        }
    }
}

TYPED_TEST(CpuMinPlus, KernelsAgreeWithPlainLoops) {
    constexpr std::size_t rows = 64, columns = 32, depth = 21, available = 40;
    std::mt19937 generator(3);
    std::uniform_int_distribution<int> bound(0, 4000);
    Matrix<TypeParam> a(depth, rows), b(available, columns), c(rows, columns + 3);
    for (Matrix<TypeParam>* matrix : {&a, &b, &c})
        for (std::size_t i = 0; i < matrix->size(); ++i) matrix->data()[i] = TypeParam(bound(generator)) / 8;
    std::vector<std::uint32_t> selection(depth);
    for (auto& k : selection) k = static_cast<std::uint32_t>(generator() % available);

    for (const InstructionSet set : kInstructionSets) {
        if (set > detectInstructionSet()) continue;
        const MinPlusKernel<TypeParam> kernel = kernelFor<MinPlusKernel<TypeParam>>(set);
        for (const bool isMaximum : {false, true})
            for (const bool isSelected : {false, true}) {
                SCOPED_TRACE(testing::Message()
                             << toString(set) << (isMaximum ? " max" : " min") << isSelected);
                Matrix<TypeParam> packedA(1, packedSize<TypeParam>(depth, rows));
                Matrix<TypeParam> packedB(1, packedSize<TypeParam>(available, columns));
                packStrips<TypeParam>(
                    packedA.data(), kernel.rows, depth, [&](std::size_t k) { return a.row(k); }, rows, rows,
                    0);
                // Largest sums are of interest where one operand is negative.
                packStrips<TypeParam>(
                    packedB.data(), kernel.columns, available, [&](std::size_t k) { return b.row(k); },
                    columns, columns, 0, isMaximum);
                Matrix<TypeParam> found = c.clone(), expected = c.clone();
                MinPlusProduct<TypeParam> product;
                product.a = packedA.data();
                product.aStripStride = stripStride<TypeParam>(depth, kernel.rows);
                product.b = packedB.data();
                product.bStripStride = stripStride<TypeParam>(available, kernel.columns);
                product.depth = depth;
                product.selection = isSelected ? selection.data() : nullptr;
                product.c = found.data();
                product.cRowStride = found.columns();
                product.rows = rows;
                product.columns = columns;
                (isMaximum ? kernel.maxPlus : kernel.minPlus)(product);
                for (std::size_t i = 0; i < rows; ++i)
                    for (std::size_t j = 0; j < columns; ++j)
                        for (std::size_t k = 0; k < depth; ++k) {
                            const TypeParam right = b(isSelected ? selection[k] : k, j);
                            expected(i, j) = isMaximum ? std::max<TypeParam>(expected(i, j), a(k, i) - right)
                                                       : std::min<TypeParam>(expected(i, j), a(k, i) + right);
                        }
                EXPECT_TRUE(haveSameBits(found, expected));  // and the 3 columns beyond are as they were
            }
    }
}

// Real restraints leave few terms; the share that is computed must not hide wrong answers.
TEST(CpuPruning, LeavesTermsOutAndChangesNothing) {
    constexpr std::size_t n = 400;
    FilledBounds<std::int32_t> input(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            if (j - i <= 2)
                input.set(i, j, 1.2 * double(j - i), 1.3 * double(j - i));
            else if ((i * 7 + j * 3) % 97 == 0)
                input.set(i, j, 3, 6);
            else
                input.set(i, j, 1, 200);
        }
    const FilledBounds<std::int32_t> expected = smoothedByReference(input);
    const MinPlusKernel<std::int32_t> kernel = kernelFor<MinPlusKernel<std::int32_t>>(detectInstructionSet());
    SymmetricTiles<std::int32_t> tiles(n, 64);
    const double share = smoothLowerBounds<std::int32_t>(input.lower.view(), expected.upper.view(), tiles,
                                                         kernel, 2, silentProgress());
    for (std::size_t i = 0; i < n; ++i) input.lower(i, i) = 0;
    EXPECT_TRUE(haveSameBits(input.lower, expected.lower));
    EXPECT_GT(share, 0);
    EXPECT_LT(share, 0.5);
}

TEST(CpuSparseSearch, CountsTheKnownBounds) {
    FilledBounds<float> bounds(4);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = i + 1; j < 4; ++j) bounds.set(i, j, 0, 50);
    bounds.set(0, 1, 0, 2);
    bounds.set(2, 3, 0, 49);
    const KnownBounds<float> known = findKnownBounds<float>(bounds.upper.view(), 2);
    EXPECT_EQ(known.cap, 50);
    EXPECT_EQ(known.edges, 4u);
    EXPECT_DOUBLE_EQ(known.density(4), 4.0 / 12);
}

TEST(CpuSparseSearch, DefaultChoosesByDensity) {
    EXPECT_FALSE(isSparseFaster(4096, 0.5));
    EXPECT_TRUE(isSparseFaster(4096, 0.003));
    HostBackend cpu("cpu", 2);
    FilledBounds<float> dense = makeBounds<float>(40, Kind::Dense);
    const SmoothingReport report = smoothWith(cpu, dense);
    EXPECT_EQ(report.variant, "dense");
    EXPECT_THAT(report.note, HasSubstr("known"));
    FilledBounds<float> all(40);
    for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t j = i + 1; j < 40; ++j) all.set(i, j, 0, 2 + static_cast<float>(i % 3));
    all.set(0, 1, 0, 9);
    EXPECT_THAT(smoothWith(cpu, all).note, HasSubstr("dense: 99.9 % of the upper bounds are known"));
}

}  // namespace
}  // namespace glycine::bounds::cpu
