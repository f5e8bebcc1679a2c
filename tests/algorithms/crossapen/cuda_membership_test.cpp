// The cuda backend's sums of memberships against the specification. Skips itself where there is no NVIDIA
// driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/core/error.hpp"
#include "kernels_cuda/crossapen/crossapen_membership.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "tests/algorithms/crossapen/membership_fixtures.hpp"

namespace glycine::crossapen::cuda {
namespace {

using namespace fixtures;
using testing::HasSubstr;

/// One backend for the whole program; null with the reason where there is none.
const std::unique_ptr<glycine::cuda::CudaBackend>& sharedBackend(std::string& reason) {
    static std::string whyNot;
    static const std::unique_ptr<glycine::cuda::CudaBackend> backend = [] {
        try {
            return std::make_unique<glycine::cuda::CudaBackend>(BackendOptions{});
        } catch (const UnavailableError& error) {
            whyNot = error.what();
            return std::unique_ptr<glycine::cuda::CudaBackend>();
        }
    }();
    reason = whyNot;
    return backend;
}

template <class T>
class CudaFuzzy : public testing::Test {
  protected:
    void SetUp() override {
        std::string reason;
        backend_ = sharedBackend(reason).get();
        if (backend_ == nullptr) GTEST_SKIP() << reason;
    }

    void expectAgrees(const Matrix<T>& signals, const FuzzyRule& rule) {
        const auto sums = sumWith(cuda::membershipSummer(), *backend_, signals, rule);
        expectAgreement(sums, signals, rule);
        largest_ = std::max(largest_, largestDifference(sums, expectedSums(signals, rule)));
    }
    void TearDown() override { RecordProperty("largestDifference", std::to_string(largest_ * 1e9) + "e-9"); }

    glycine::cuda::CudaBackend* backend_ = nullptr;
    double largest_ = 0;
};
using Formats = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaFuzzy, Formats);

TYPED_TEST(CudaFuzzy, AgreesWithTheReference) {
    for (const Kind kind : {Kind::Smooth, Kind::Quantised})
        for (const FuzzyRule& rule : kRules)
            for (const std::size_t samples : {std::size_t{rule.m} + 2, std::size_t{rule.m} + 3,
                                              std::size_t{19}, std::size_t{101}, 128 + std::size_t{rule.m}})
                this->expectAgrees(normalisedSignals<TypeParam>(3, samples, kind, samples), rule);
}

// More templates than a block of threads holds, and than go through shared memory at a time.
TYPED_TEST(CudaFuzzy, SeveralBlocks) {
    for (const std::size_t samples : {258, 259, 515, 1031})
        this->expectAgrees(normalisedSignals<TypeParam>(2, samples, Kind::Smooth, samples), {2, 0.2, 2});
}

// Many channels: the pairs are numbered in a triangle.
TYPED_TEST(CudaFuzzy, ManyChannels) {
    this->expectAgrees(normalisedSignals<TypeParam>(67, 24, Kind::Smooth, 1), {1, 0.2, 2});
}

// So long that few templates of a partner fit into shared memory.
TYPED_TEST(CudaFuzzy, LongTemplates) {
    this->expectAgrees(normalisedSignals<TypeParam>(2, 77, Kind::Smooth, 5), {75, 2, 2});
    this->expectAgrees(normalisedSignals<TypeParam>(2, 4120, Kind::Smooth, 5),
                       {glycine::cuda::kLongestMembership, 4000, 2});
}

TYPED_TEST(CudaFuzzy, VanishingMemberships) {
    Matrix<TypeParam> ramps(2, 50);
    for (std::size_t i = 0; i < 50; ++i) {
        ramps(0, i) = static_cast<TypeParam>(i);
        ramps(1, i) = -static_cast<TypeParam>(i) * 1e9F;
    }
    for (const double power : {2.0, 1.0, 7.5})
        EXPECT_EQ(sumWith(cuda::membershipSummer(), *this->backend_, ramps, {1, 1e-3, power})(0, 1).longSum,
                  0)
            << power;
}

TYPED_TEST(CudaFuzzy, EpochsAndProgress) {
    std::vector<Matrix<TypeParam>> epochs;
    for (std::uint64_t seed = 0; seed < 3; ++seed)
        epochs.push_back(normalisedSignals<TypeParam>(3, 90, Kind::Smooth, seed));
    double fraction = 0;
    Progress progress([&](const ProgressUpdate& update) { fraction = update.fraction; });
    progress.begin("memberships", 3.0 * 9 * 90 * 90);
    const auto sums = sumWith(cuda::membershipSummer(), *this->backend_, epochs, {}, progress);
    for (std::size_t e = 0; e < epochs.size(); ++e) expectAgreement(sums[e], epochs[e], {});
    progress.advance(0);
    EXPECT_NEAR(fraction, 1, 1e-9);

    Progress stopped({}, [] { return true; });
    EXPECT_THROW(sumWith(cuda::membershipSummer(), *this->backend_, epochs, {}, stopped), CancelledError);
}

TYPED_TEST(CudaFuzzy, SameFromRunToRun) {
    const auto signals = normalisedSignals<TypeParam>(5, 700, Kind::Smooth, 2);
    const auto first = sumWith(cuda::membershipSummer(), *this->backend_, signals, {});
    const auto second = sumWith(cuda::membershipSummer(), *this->backend_, signals, {});
    for (std::size_t a = 0; a < 5; ++a)
        for (std::size_t b = 0; b < 5; ++b) EXPECT_EQ(first(a, b), second(a, b));
}

TYPED_TEST(CudaFuzzy, SaysWhatItCannotDo) {
    const auto summer = cuda::membershipSummer().create(*this->backend_);
    const NumberFormat format = kFormatOf<TypeParam>;
    EXPECT_TRUE(summer->supports({.format = format, .channels = 64, .samples = 8192}));
    EXPECT_THAT(summer->supports({.format = format, .rule = {5000, 0.2, 2}}).reason(), HasSubstr("4095"));
    EXPECT_THAT(
        summer
            ->supports(
                {.format = format, .rule = {4000, 0.2, 2}, .channels = 100000, .samples = kMaximumSamples})
            .reason(),
        HasSubstr("device memory"));
}

}  // namespace
}  // namespace glycine::crossapen::cuda
