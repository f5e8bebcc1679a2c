#pragma once

#include <ostream>

#include "engine/core/guarded_matrix.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/prepared_signals.hpp"
#include "tests/crossapen/crossapen_fixtures.hpp"
#include "tests/made_once.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {

/// GoogleTest prints this in messages.
inline void PrintTo(const MembershipSums& sums, std::ostream* stream) {
    *stream << '{' << sums.shortSum << ", " << sums.longSum << '}';
}

}  // namespace glycine::crossapen

/// Whole runs over signals, and comparisons of one backend with the specification.
namespace glycine::crossapen::fixtures {

template <class T>
inline constexpr NumberFormat kFormatOf = sizeof(T) == 4 ? NumberFormat::Float32 : NumberFormat::Float64;

template <class T>
Matrix<T> normalisedSignals(std::size_t channels, std::size_t samples, Kind kind, std::uint64_t seed) {
    const auto raw = makeSignals<double>(channels, samples, kind, seed);
    Matrix<T> result(channels, samples);
    normalise(raw.view(), Deviation::Sample, result.view());
    return result;
}

/// Returns one matrix of sums per item of `signals`. All items have the same shape.
template <class T>
std::vector<Matrix<MembershipSums>> sumWith(const Implementation<MembershipEngine>& entry, Backend& backend,
                                            const std::vector<Matrix<T>>& signals, const FuzzyRule& rule,
                                            Progress& progress) {
    std::vector<AnyEpoch> epochs;
    std::vector<GuardedMatrix<MembershipSums>> guarded;
    std::vector<MatrixView<MembershipSums>> views;
    guarded.reserve(signals.size());
    for (const Matrix<T>& epoch : signals) {
        epochs.push_back(Epoch<T>{epoch.view(), {}});
        views.push_back(guarded.emplace_back(epoch.rows(), epoch.rows()).view());
    }
    const MatchOutcome outcome = entry.create(backend)->sum(epochs, rule, views, progress);
    EXPECT_EQ(outcome.variant, Variant::Membership);
    std::vector<Matrix<MembershipSums>> sums;
    for (std::size_t e = 0; e < signals.size(); ++e) {
        EXPECT_TRUE(guarded[e].isIntact()) << "epoch " << e;
        Matrix<MembershipSums>& copy = sums.emplace_back(views[e].rows(), views[e].columns());
        for (std::size_t a = 0; a < copy.rows(); ++a)
            std::copy_n(views[e].row(a), copy.columns(), copy.row(a));
    }
    return sums;
}

template <class T>
Matrix<MembershipSums> sumWith(const Implementation<MembershipEngine>& entry, Backend& backend,
                               const Matrix<T>& signals, const FuzzyRule& rule) {
    Matrix<T> copy(signals.rows(), signals.columns());
    std::copy_n(signals.data(), signals.size(), copy.data());
    std::vector<Matrix<T>> one;
    one.push_back(std::move(copy));
    return std::move(sumWith(entry, backend, one, rule, silentProgress()).front());
}

/// The sums according to the specification. For long signals the specification takes too long, so `cpu`
/// computes the sums. Other tests compare `cpu` with the specification.
template <class T>
const Matrix<MembershipSums>& expectedSums(const Matrix<T>& signals, const FuzzyRule& rule) {
    const test::InputKey key =
        test::InputKey().add(signals).add(rule.m).add(rule.tolerance).add(rule.power).add(rule.delay);
    return test::madeOnce(key, [&] {
        constexpr std::size_t quickSamples = 4000;
        const bool isQuick = signals.columns() <= quickSamples;
        HostBackend host(isQuick ? "reference" : "cpu", isQuick ? 1 : 2);
        return sumWith(*findImplementation<MembershipEngine>(host), host, signals, rule);
    });
}

/// The largest relative difference, over sums above the smallest normal number.
inline double largestDifference(const Matrix<MembershipSums>& sums, const Matrix<MembershipSums>& expected) {
    double largest = 0;
    const auto compare = [&](double sum, double expectedSum) {
        if (expectedSum > 1e-30) largest = std::max(largest, std::abs(sum / expectedSum - 1));
    };
    for (std::size_t a = 0; a < sums.rows(); ++a)
        for (std::size_t b = 0; b < sums.columns(); ++b) {
            compare(sums(a, b).shortSum, expected(a, b).shortSum);
            compare(sums(a, b).longSum, expected(a, b).longSum);
        }
    return largest;
}

/// Expects all pairs to agree with the specification and both directions to be equal.
template <class T>
void expectAgreement(const Matrix<MembershipSums>& sums, const Matrix<T>& signals, const FuzzyRule& rule) {
    const Matrix<MembershipSums>& expected = expectedSums(signals, rule);
    for (std::size_t a = 0; a < signals.rows(); ++a)
        for (std::size_t b = 0; b < signals.rows(); ++b) {
            ASSERT_TRUE(agreeOnMemberships(sums(a, b), expected(a, b), rule, kFormatOf<T>, signals.columns()))
                << "pair " << a << ", " << b << ": " << testing::PrintToString(sums(a, b)) << " in place of "
                << testing::PrintToString(expected(a, b)) << "; N = " << signals.columns()
                << ", m = " << rule.m << ", r = " << rule.tolerance << ", n = " << rule.power << ", delay "
                << rule.delay;
            ASSERT_EQ(sums(a, b), sums(b, a)) << "pair " << a << ", " << b;
        }
}

/// Rules that cover all branches of the backends: each length with its own code, and powers.
inline const FuzzyRule kRules[] = {{1, 0.2, 2},   {2, 0.2, 2},   {3, 0.2, 2},   {5, 0.3, 2},
                                   {2, 0.01, 2},  {2, 1000, 2},  {1, 0.2, 1},   {2, 0.2, 3},
                                   {2, 0.2, 1.5}, {3, 0.4, 2.5}, {2, 0.2, 0.5}, {1, 0.2, 1.5}};

}  // namespace glycine::crossapen::fixtures

namespace glycine::crossapen {
using namespace fixtures;
}
