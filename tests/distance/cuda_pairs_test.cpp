// Features specific to the cuda engine of `distance`: streaming, device memory, stages and choices. Counts
// and sums: tests/backends/distance_backends_test.cpp. Skipped without an NVIDIA driver.

#include "engine/distance/random_data.hpp"
#include "engine/pairs/pair_store.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "tests/distance/distance_engine_fixtures.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

constexpr std::size_t kMebibyte = std::size_t(1) << 20;

/// Skips the test if the device or the machine lacks something that the variant needs.
#define REQUIRE_SUPPORT(engine, request)                              \
    if (const Support support = (engine).supports(request); !support) \
    GTEST_SKIP() << toString((request).variant) << ": " << support.reason()

PairRequest requestFor(const SymbolMatrix& source, CountNeeds needs, Variant variant) {
    return {.variant = variant, .shape = source.shape(), .needs = needs};
}

class CudaPairs : public testing::TestWithParam<Variant> {};

TEST_P(CudaPairs, worksWithinLittleMemory) {
    // The int8 products have a workspace, and results of up to four products.
    const bool isTensor = GetParam() == Variant::Tensor;
    const std::size_t limit = (isTensor ? 16 : 4) * kMebibyte;
    REQUIRE_BACKEND(backend, limit);
    const auto engine = cuda::engine().create(*backend);
    const bool isPublished = !isTensor && GetParam() != Variant::BitTensor && GetParam() != Variant::Bitplane;
    const bool readsIntegers = GetParam() == Variant::Naive || GetParam() == Variant::Coalesced;
    // More than the device can hold at once. The published kernels keep all symbols, but not all results.
    const std::size_t instances = isPublished ? 700 : isTensor ? 131 : 530;
    const std::size_t attributes = isPublished ? (readsIntegers ? 1000 : 4800) : isTensor ? 150001 : 17001;
    for (const bool hasMissing : {false, true}) {
        const SymbolMatrix source = makeSymbols(kGenotypes, instances, attributes, hasMissing);
        const CountNeeds needs{hasMissing, hasMissing};
        REQUIRE_SUPPORT(*engine, requestFor(source, needs, GetParam()));
        const auto run = engine->startCounting(source, needs, GetParam());
        if (!isPublished) {
            EXPECT_THAT(run->note(), HasSubstr("streamed"));
        }
        CountedPairs expected = countPlainly(source);
        expectCounts(*run, source, needs, tilesBelowDiagonal(instances, instances * 3 / 4), expected);
        EXPECT_LE(backend->memory().used(), limit);
    }
    EXPECT_EQ(backend->memory().used(), 0U);
}

TEST_P(CudaPairs, refusesWhatDoesNotFitTheDevice) {
    REQUIRE_BACKEND(backend, std::size_t(1) << 14);
    const auto engine = cuda::engine().create(*backend);
    const SymbolMatrix source = makeSymbols(kGenotypes, 200, 200, false);
    const Support support = engine->supports(requestFor(source, {}, GetParam()));
    ASSERT_FALSE(support);
    EXPECT_THAT(support.reason(),
                AnyOf(HasSubstr("device memory"), HasSubstr("cuBLASLt"), HasSubstr("compute capability")));
}

TEST_P(CudaPairs, takesTheTimeOfItsStages) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::engine().create(*backend);
    const SymbolMatrix source = makeSymbols(kGenotypes, 112, 512, false);
    REQUIRE_SUPPORT(*engine, requestFor(source, {}, GetParam()));
    const auto run = engine->startCounting(source, {}, GetParam());
    EXPECT_EQ(run->times().total(), 0);
    countTile(*run, source, wholeTile(112), {});
    const PairTimes first = run->times();
    EXPECT_GT(first.pack, 0);
    EXPECT_GT(first.upload, 0);
    EXPECT_GT(first.compute, 0);
    EXPECT_GT(first.download, 0);
    countTile(*run, source, wholeTile(112), {});
    EXPECT_EQ(run->times().pack, first.pack) << "operands stay on the device";
    EXPECT_GT(run->times().compute, first.compute);
}

INSTANTIATE_TEST_SUITE_P(AllVariants, CudaPairs,
                         testing::Values(Variant::Naive, Variant::Coalesced, Variant::Char4,
                                         Variant::Register, Variant::Shared, Variant::Reduction,
                                         Variant::Texture, Variant::Constant, Variant::Bitplane,
                                         Variant::BitTensor, Variant::Tensor),
                         [](const auto& instance) { return std::string(toString(instance.param)); });

TEST(CudaPairs, choosesByItself) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::engine().create(*backend);
    const SymbolMatrix genotypes = makeSymbols(kGenotypes, 10, 10, false);
    const Variant forFew = engine->startCounting(genotypes, {}, Variant::Default)->variant();
    EXPECT_EQ(forFew, backend->computeCapability() >= 80 && backend->computeCapability() < 100
                          ? Variant::BitTensor
                          : Variant::Bitplane);
    const SymbolMatrix protein = makeSymbols({20, 5}, 10, 10, false);
    EXPECT_EQ(engine->startCounting(protein, {}, Variant::Default)->variant(), Variant::Bitplane);
}

TEST(CudaPairs, sharesOneResultAmongThousands) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::engine().create(*backend);
    const std::size_t n = 3001;
    const SymbolMatrix source = makeSymbols(kGenotypes, n, 5003, true);
    const CountNeeds needs{true, true};
    const auto countWith = [&](Variant variant) {
        return countTile(*engine, source, wholeTile(n), needs, variant);
    };
    CountedPairs expected = countWith(Variant::Shared);
    for (const Variant variant :
         {Variant::Constant, Variant::Bitplane, Variant::BitTensor, Variant::Tensor}) {
        if (!engine->supports(requestFor(source, needs, variant))) continue;
        CountedPairs found = countWith(variant);
        EXPECT_TRUE(found.agreesWith(expected)) << toString(variant);
    }
}

TEST(CudaPairs, refusesWithAReason) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::engine().create(*backend);
    const auto reasonFor = [&](const PairRequest& request) { return engine->supports(request).reason(); };
    PairRequest request;
    request.shape = {10, 10, 5, false, false};
    request.variant = Variant::BitTensor;
    EXPECT_THAT(reasonFor(request), HasSubstr("5 planes"));
    request.variant = Variant::Tensor;
    EXPECT_THAT(reasonFor(request), HasSubstr("5 planes"));
    request.variant = Variant::Packed;
    EXPECT_THAT(reasonFor(request), HasSubstr("packed"));
    request.variant = Variant::Direct;
    EXPECT_THAT(reasonFor(request), HasSubstr("coordinates"));
    request.isCoordinates = true;
    EXPECT_EQ(reasonFor(request), "");
    request.variant = Variant::Shared;
    EXPECT_THAT(reasonFor(request), HasSubstr("direct"));
    EXPECT_FALSE(cuda::engine().variants.empty());
    request = {.shape = {std::size_t{1} << 20, std::size_t{1} << 15, 2, false, false}};
    request.variant = Variant::Texture;
    EXPECT_THAT(reasonFor(request), HasSubstr("texels"));
}

TEST(CudaPairs, readsMoreThanConstantMemoryHolds) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::engine().create(*backend);
    const SymbolMatrix source = makeSymbols(kGenotypes, 5, 70'001, true);
    const CountNeeds needs{true, true};
    CountedPairs expected = countTile(*engine, source, wholeTile(5), needs, Variant::Shared);
    EXPECT_TRUE(countTile(*engine, source, wholeTile(5), needs, Variant::Constant).agreesWith(expected));
}

TEST(CudaPairs, computesRectanglesAlone) {
    REQUIRE_BACKEND(backend);
    const auto genotypes = randomGenotypes({.instances = 90, .attributes = 700, .missing = 0.1});
    const DataView data{.discrete = genotypes.get()};
    const std::unique_ptr<Backend> host = BackendRegistry::instance().create("cpu", {});
    for (const Measure measure : {Measure::Mismatch, Measure::Allele, Measure::King})
        for (const std::size_t references : {1, 37, 89}) {
            const DistanceOptions options{.measure = measure, .tile = 16, .references = references};
            const auto on = [&](Backend& one) {
                std::vector<double> values((90 - references) * references);
                pairs::PairStore store({.layout = {90, pairs::StoreLayout::Rectangle, references}},
                                       reinterpret_cast<std::byte*>(values.data()));
                computeDistances(one, data, options, store, silentProgress());
                return values;
            };
            EXPECT_THAT(on(*backend), testing::Pointwise(testing::NanSensitiveDoubleEq(), on(*host)));
        }
}

TEST(CudaPairs, streamsCoordinates) {
    REQUIRE_BACKEND(backend, 6 * kMebibyte);
    const auto engine = cuda::engine().create(*backend);
    const Matrix<float> coordinates = randomCoordinates(300, 5003, 3);
    const SumTerm term = SumTerm::SquaredDifference;
    const auto expectStreamed = [&](const auto& numbers) {
        const auto run = engine->startSumming(numbers.view(), term, Variant::Direct);
        EXPECT_THAT(run->note(), HasSubstr("streamed"));
        expectSums(*run, numbers, tilesBelowDiagonal(300, 170), sumPlainly(numbers, term));
    };
    expectStreamed(coordinates);
    expectStreamed(widened(coordinates));
    EXPECT_EQ(backend->memory().used(), 0U);
}

}  // namespace
}  // namespace glycine::distance
