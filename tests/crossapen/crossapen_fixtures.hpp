#pragma once

#include <initializer_list>
#include <ostream>

#include "engine/crossapen/entropy_engine.hpp"
#include "tests/made_once.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {

/// GoogleTest prints this in messages.
inline void PrintTo(const MatchStatistics& s, std::ostream* stream) {
    *stream << "{log " << s.logShort << ' ' << s.logLong << ", without " << s.noShort << ' ' << s.noLong
            << ' ' << s.noLongOnly << ", matches " << s.matchesShort << ' ' << s.matchesWithin << ' '
            << s.matchesLong << '}';
}

}  // namespace glycine::crossapen

/// Test signals, and whole runs over them.
namespace glycine::crossapen::fixtures {

inline Matrix<double> signals(std::initializer_list<std::initializer_list<double>> rows) {
    Matrix<double> result(rows.size(), rows.begin()->size());
    std::size_t channel = 0;
    for (const auto& row : rows) std::copy(row.begin(), row.end(), result.row(channel++));
    return result;
}

enum class Kind {
    Smooth,     ///< a first-order autoregressive process, standard deviation about 1
    Quantised,  ///< the same in steps of 1/4, as from an AD converter: many ties, many distances equal to r
    Constant,   ///< one value except for some outliers
    Separate,   ///< like Smooth, but the channels are far apart: no matches between channels
};
inline const Kind kAllKinds[] = {Kind::Smooth, Kind::Quantised, Kind::Constant, Kind::Separate};
inline std::ostream& operator<<(std::ostream& stream, Kind kind) {
    static const char* const names[] = {"Smooth", "Quantised", "Constant", "Separate"};
    return stream << names[static_cast<int>(kind)];
}

template <class T>
Matrix<T> makeSignals(std::size_t channels, std::size_t samples, Kind kind, std::uint64_t seed) {
    RandomSequence random(seed);
    Matrix<T> result(channels, samples);
    for (std::size_t channel = 0; channel < channels; ++channel) {
        double state = 0;
        for (std::size_t i = 0; i < samples; ++i) {
            const double noise = random.uniform() + random.uniform() + random.uniform() - 1.5;
            state = 0.8 * state + 1.2 * noise;
            double value = state;
            if (kind == Kind::Quantised) value = std::round(4 * state) / 4;
            if (kind == Kind::Constant) value = random.below(8) == 0 ? state : 0.5;
            if (kind == Kind::Separate) value = state + 100 * static_cast<double>(channel);
            result(channel, i) = static_cast<T>(value);
        }
    }
    return result;
}

/// One epoch with one r for all pairs. It must outlive the views that view() returns.
template <class T>
struct OwnedEpoch {
    Matrix<T> signals;
    std::vector<T> tolerance;
    Epoch<T> view() const { return {signals.view(), tolerance}; }
};

inline std::vector<Matrix<MatchStatistics>> matchWith(const Implementation<MatchEngine>& entry,
                                                      Backend& backend, const std::vector<AnyEpoch>& epochs,
                                                      const MatchRule& rule,
                                                      Variant variant = Variant::Default) {
    std::vector<Matrix<MatchStatistics>> statistics;
    std::vector<MatrixView<MatchStatistics>> views;
    for (const AnyEpoch& epoch : epochs) {
        const std::size_t channels = std::visit([](const auto& typed) { return typed.channels(); }, epoch);
        views.push_back(statistics.emplace_back(channels, channels).view());
    }
    entry.create(backend)->match(epochs, rule, variant, views, silentProgress());
    return statistics;
}

/// The statistics of one epoch according to the specification (`reference`).
template <class T>
Matrix<MatchStatistics> expectedStatistics(const OwnedEpoch<T>& epoch, const MatchRule& rule) {
    const test::InputKey key = test::InputKey()
                                   .add(epoch.signals)
                                   .add(std::span<const T>(epoch.tolerance))
                                   .add(rule.m)
                                   .add(rule.isStrict)
                                   .add(rule.delay);
    return test::madeOnce(
               key,
               [&] {
                   HostBackend reference("reference", 1);
                   return std::move(
                       matchWith(reference::matchEngine(), reference, {epoch.view()}, rule).front());
               })
        .clone();
}

/// Expects equal statistics for every pair of channels.
inline void expectSame(const Matrix<MatchStatistics>& found, const Matrix<MatchStatistics>& expected) {
    ASSERT_EQ(found.rows(), expected.rows());
    for (std::size_t a = 0; a < expected.rows(); ++a)
        for (std::size_t b = 0; b < expected.columns(); ++b)
            ASSERT_EQ(found(a, b), expected(a, b)) << "channels " << a << ", " << b;
}

}  // namespace glycine::crossapen::fixtures

namespace glycine::crossapen {
using namespace fixtures;
}
