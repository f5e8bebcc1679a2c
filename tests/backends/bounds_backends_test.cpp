// Requirements for every backend, variant and number format of bound smoothing, in addition to backends_test.
#include "engine/bounds/exact_row.hpp"
#include "engine/bounds/number_format.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "tests/backends/every_backend.hpp"
#include "tests/backends/limits.hpp"
#include "tests/bounds/bounds_fixtures.hpp"
#include "tests/bounds/exact_bounds.hpp"
#include "tests/made_once.hpp"
#include "tests/test.hpp"

namespace glycine::bounds {
namespace {

template <class T>
bool haveSameBits(const Matrix<T>& a, const Matrix<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

class BoundsBackends : public test::EveryBackend {
  protected:
    bool readsComputedBlocks() const override { return true; }
    /// Calls `ask` with a number of each format that the backend supports.
    template <class Ask>
    void onAllFormats(const Ask& ask) {
        test::onTypes<float, double, std::int32_t>([&]<class T>(T) { return !variants<T>().empty(); }, ask);
    }
    /// The backend's variants that support format T here.
    template <class T>
    std::vector<Variant> variants() {
        std::vector<Variant> result;
        const std::string format(toString(formatOf<T>()));
        for (const std::string& name : variantsFor(allVariants<SmoothingEngine>(), format)) {
            const Variant variant = fromString<Variant>(name);
            // Run the driver-workaround settings only for variants that use them.
            if (GetParam().bugs && variant != Variant::Blocked) continue;
            if (supports<T>(variant, 0)) result.push_back(variant);
        }
        return result;
    }
    /// All kinds. For larger bounds on gl, only one: variants with one pass per atom are slow on software
    /// renderers.
    std::vector<Kind> kindsFor(std::size_t n) const {
        if (GetParam().backend == "gl" && n > 65) return {kAllKinds[n % std::size(kAllKinds)]};
        return {std::begin(kAllKinds), std::end(kAllKinds)};
    }
    /// Of `all`, the variants that are tested with n atoms. Those of gl with a pass per atom do the same for
    /// any number of atoms, and are slow on software renderers: packed has all sizes, the others those up to
    /// 65 and two beyond.
    std::vector<Variant> forAtoms(std::size_t n, std::vector<Variant> all) const {
        if (GetParam().backend == "gl" && n > 65 && n != 130 && n != 131)
            std::erase_if(all, [](Variant variant) {
                return variant != Variant::Blocked && variant != Variant::Packed &&
                       variant != Variant::Default;
            });
        return all;
    }
    template <class T>
    Support supports(Variant variant, std::size_t atoms) {
        return createImplementation<SmoothingEngine>(backend())->supports({variant, formatOf<T>(), atoms});
    }
    SmoothingReport smoothHere(const AnyBoundMatrices& matrices, Variant variant, Progress& progress,
                               Rounding rounding = Rounding::Nearest) {
        SmoothingOptions options;
        options.variant = variant;
        options.rounding = rounding;
        return smooth(backend(), matrices, options, progress);
    }

    /// Expects a variant's result to equal the reference's, `expected`, or to differ only by rounding.
    template <class T>
    static void expectNear(const FilledBounds<T>& input, const FilledBounds<T>& expected,
                           const Matrix<T>& upper, const Matrix<T>& lower, Variant variant, Kind kind) {
        const double difference =
            std::max(largestDifference(expected.upper, upper), largestDifference(expected.lower, lower));
        if (difference == 0) return;
        ASSERT_TRUE(mayDiffer(variant, kind != Kind::Contradictory)) << difference;
        EXPECT_LE(difference, test::madeOnce(test::InputKey().add(input.upper).add(input.lower), [&] {
                      FilledBounds<T> unsmoothed(input);
                      return roundingOfAllRows(unsmoothed.view(), silentProgress());
                  }));
    }

    /// Expects that bounds rounded outward contain the exact ones, are no looser than promised, and are
    /// identical to the bit in all variants.
    template <class T>
    void expectOutward(const FilledBounds<T>& input, const std::vector<Variant>& tried) {
        const test::InputKey key = test::InputKey().add(input.upper).add(input.lower);
        const ExactBounds& exact = test::madeOnce(key, [&] { return ExactBounds(input); });
        const FilledBounds<T>& first = test::madeOnce(key, [&] {
            HostBackend reference("reference", 1);
            SmoothingOptions options;
            options.rounding = Rounding::Outward;
            FilledBounds<T> bounds(input);
            smooth(reference, bounds.view(), options, silentProgress());
            return bounds;
        });
        for (const Variant variant : tried) {
            SCOPED_TRACE(testing::Message() << toString(variant) << ' ' << toString(formatOf<T>()));
            FilledBounds<T> found(input);
            const SmoothingReport report =
                smoothHere(found.view(), variant, silentProgress(), Rounding::Outward);
            EXPECT_GT(report.step, 0);
            const Excluded excluded = compareWithExact(found, exact, report.step);
            EXPECT_EQ(excluded.pairs, 0U);
            EXPECT_EQ(excluded.tooFar, 0U);
            EXPECT_EQ(largestDifference(found.upper, first.upper), 0);
            EXPECT_EQ(largestDifference(found.lower, first.lower), 0);
        }
    }

    /// Smooths `input` with all variants that support it, or with one, and compares with the reference.
    template <class T>
    void expectAgreement(std::size_t n, Kind kind, std::vector<Variant> tried, std::uint32_t seed = 1) {
        const FilledBounds<T> input = makeBounds<T>(n, kind, seed);
        const FilledBounds<T> expected = smoothedByReference(input);
        for (const Variant variant : tried) {
            SCOPED_TRACE(testing::Message() << toString(variant) << ' ' << toString(formatOf<T>())
                                            << ", n = " << n << ", " << kind);
            FilledBounds<T> found(input);
            const SmoothingReport report = smoothWith(backend(), found, variant);
            if (variant == Variant::Default)
                EXPECT_NE(report.variant, "default");
            else
                EXPECT_EQ(report.variant, toString(variant));
            expectNear(input, expected, found.upper, found.lower, variant, kind);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    ASSERT_EQ(found.upper(i, j), found.upper(j, i));
                    ASSERT_EQ(found.lower(i, j), found.lower(j, i));
                }
        }
    }
};

TEST_P(BoundsBackends, AgreeWithTheReference) {
    onAllFormats([this]<class T>(T) {
        std::vector<Variant> tried = variants<T>();
        tried.push_back(Variant::Default);
        std::vector<std::size_t> sizes =
            sweep({1, 2, 3, 5, 17, 31, 64, 65, 100, 127, 128, 129, 131, 257}, {1, 2, 65, 131, 257});
        if (GetParam().backend == "cuda") sizes.insert(sizes.end(), {300, 400, 513});
        for (const std::size_t n : sizes)
            for (const Kind kind : kindsFor(n))
                expectAgreement<T>(n, kind, forAtoms(n, tried), static_cast<std::uint32_t>(n));
    });
}

// Sums of bounds on the grid are exact in every format, so the results must be identical in any order.
TEST_P(BoundsBackends, ExactSumsGiveTheSameBits) {
    onAllFormats([this]<class T>(T) {
        for (const std::size_t n : sweep({4, 63, 130, 200}, {4, 130, 200}))
            for (const Kind kind : kindsFor(n)) {
                const FilledBounds<T> input = makeBounds<T>(n, kind, 5, true);
                const FilledBounds<T> expected = smoothedByReference(input);
                for (const Variant variant : forAtoms(n, variants<T>())) {
                    SCOPED_TRACE(testing::Message()
                                 << "n = " << n << ", " << kind << ", " << toString(variant));
                    FilledBounds<T> found(input);
                    smoothWith(backend(), found, variant);
                    EXPECT_EQ(largestDifference(found.upper, expected.upper), 0);
                    EXPECT_EQ(largestDifference(found.lower, expected.lower), 0);
                    if (!GetParam().isHost()) continue;  // a device may return the other zero
                    EXPECT_TRUE(haveSameBits(found.upper, expected.upper));
                    EXPECT_TRUE(haveSameBits(found.lower, expected.lower));
                }
            }
    });
}

// Two unconnected groups of atoms.
TEST_P(BoundsBackends, KeepUnknownUpperBounds) {
    onAllFormats([this]<class T>(T) {
        for (const std::size_t n : {2, 40, 130, 300}) {
            if (n == 300 && GetParam().backend == "gl") continue;  // slow with one pass per atom
            FilledBounds<T> input = makeBounds<T>(n, Kind::Unknown, static_cast<std::uint32_t>(n));
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < i; ++j)
                    if ((i % 7 == 0) != (j % 7 == 0))
                        input.set(i, j, 0.5, std::numeric_limits<double>::infinity());
            const FilledBounds<T> expected = smoothedByReference(input);
            for (const Variant variant : variants<T>()) {
                SCOPED_TRACE(testing::Message() << toString(variant) << ", n = " << n);
                FilledBounds<T> found(input);
                smoothWith(backend(), found, variant);
                expectNear(input, expected, found.upper, found.lower, variant, Kind::Unknown);
                EXPECT_TRUE(isUnknownUpper(found.upper(0, 1)));
            }
        }
    });
}

TEST_P(BoundsBackends, NegativeZeroIsZero) {
    onAllFormats([this]<class T>(T) {
        FilledBounds<T> input = makeBounds<T>(40, Kind::Sparse, 2, true);
        for (std::size_t i = 0; i < input.lower.size(); ++i)
            if (input.lower.data()[i] == 0) input.lower.data()[i] = -T(0);
        input.upper(3, 9) = input.upper(9, 3) = -T(0);
        const FilledBounds<T> expected = smoothedByReference(input);
        for (const Variant variant : variants<T>()) {
            SCOPED_TRACE(toString(variant));
            FilledBounds<T> found(input);
            smoothWith(backend(), found, variant);
            EXPECT_EQ(largestDifference(found.upper, expected.upper), 0);
            EXPECT_EQ(largestDifference(found.lower, expected.lower), 0);
        }
    });
}

/// Views into larger matrices filled with `sentinel`, with the bounds of `input`.
template <class T>
struct Windows {
    static constexpr std::size_t kBorder = 5;
    T sentinel = T(-12345);
    Matrix<T> upper, lower;
    BoundMatrices<T> views;
    explicit Windows(const FilledBounds<T>& input)
        : upper(input.atoms() + 2 * kBorder, input.atoms() + 2 * kBorder, sentinel),
          lower(input.atoms() + 2, input.atoms() + 13, sentinel) {
        const std::size_t n = input.atoms();
        views = {upper.view().block(kBorder, kBorder, n, n), lower.view().block(1, 3, n, n)};
        for (std::size_t i = 0; i < n; ++i) {
            std::copy_n(input.upper.row(i), n, views.upper.row(i));
            std::copy_n(input.lower.row(i), n, views.lower.row(i));
        }
    }
    /// Expects that nothing outside the views was written. Overwrites the views.
    void expectIntact() {
        for (std::size_t i = 0; i < views.atoms(); ++i) {
            std::fill_n(views.upper.row(i), views.atoms(), sentinel);
            std::fill_n(views.lower.row(i), views.atoms(), sentinel);
        }
        EXPECT_EQ(std::count(upper.data(), upper.data() + upper.size(), sentinel),
                  std::ptrdiff_t(upper.size()));
        EXPECT_EQ(std::count(lower.data(), lower.data() + lower.size(), sentinel),
                  std::ptrdiff_t(lower.size()));
    }
};

TEST_P(BoundsBackends, OutwardRoundingContainsTheExactBounds) {
    onAllFormats([this]<class T>(T) {
        if constexpr (std::is_floating_point_v<T>) {
            for (const std::size_t n : sweep({1, 2, 3, 65, 130, 200}, {1, 130, 200}))
                for (const Kind kind : kindsFor(n)) {
                    SCOPED_TRACE(testing::Message() << "n = " << n << ", " << kind);
                    FilledBounds<T> input = makeBounds<T>(n, kind, static_cast<std::uint32_t>(n));
                    moveToExactUnits(input);
                    expectOutward(input, forAtoms(n, variants<T>()));
                }
            expectOutward(stringOfAtoms<T>(150, 3), variants<T>());
        }
    });
}

// Result of the test above without outward rounding.
TEST_P(BoundsBackends, RoundingToNearestExcludesSomeOfThem) {
    const FilledBounds<float> input = stringOfAtoms<float>(150, 3);
    static const ExactBounds exact(input);
    for (const Variant variant : variants<float>()) {
        FilledBounds<float> found(input);
        smoothHere(found.view(), variant, silentProgress());
        EXPECT_GT(compareWithExact(found, exact, 1).pairs, 0U) << toString(variant);
    }
}

// Sums of 1,024 Å or more would be read as "unknown".
TEST_P(BoundsBackends, FixedPointRefusesWhatItCannotHold) {
    const auto string = [](double last) {
        FilledBounds<std::int32_t> bounds(4);
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = i + 1; j < 4; ++j)
                bounds.set(i, j, 0,
                           j != i + 1 ? std::numeric_limits<double>::infinity()
                           : j == 3   ? last
                                      : 400);
        return bounds;
    };
    for (const Variant variant : variants<std::int32_t>()) {
        SCOPED_TRACE(toString(variant));
        FilledBounds<std::int32_t> fits = string(223.5);
        smoothWith(backend(), fits, variant);
        EXPECT_EQ(toAngstrom(fits.upper(0, 3)), 1023.5);
        for (const double last : {224.0, 511.0}) {
            FilledBounds<std::int32_t> tooLong = string(last);
            EXPECT_THROW(smoothWith(backend(), tooLong, variant), InputError) << last;
        }
        // Two arms of 700 Å from atom 0: their ends are 1,400 Å apart.
        FilledBounds<std::int32_t> star(5);
        for (std::size_t i = 0; i < 5; ++i)
            for (std::size_t j = i + 1; j < 5; ++j)
                star.set(i, j, 0, std::numeric_limits<double>::infinity());
        for (const auto& [i, j] : {std::pair{0, 1}, {0, 2}, {1, 3}, {2, 4}})
            star.set(std::size_t(i), std::size_t(j), 0, 350);
        EXPECT_THROW(smoothWith(backend(), star, variant), InputError);
    }
}

TEST_P(BoundsBackends, WriteNothingOutsideTheViews) {
    onAllFormats([this]<class T>(T) {
        for (const std::size_t n : {5, 70, 129}) {
            const Kind kind = n == 70 ? Kind::Unknown : Kind::Sparse;
            const FilledBounds<T> input = makeBounds<T>(n, kind, 7);
            const FilledBounds<T> expected = smoothedByReference(input);
            for (const Variant variant : variants<T>()) {
                SCOPED_TRACE(testing::Message() << toString(variant) << ", n = " << n);
                Windows<T> windows(input);
                smoothHere(windows.views, variant, silentProgress());
                expectNear(input, expected, Matrix<T>(windows.views.upper), Matrix<T>(windows.views.lower),
                           variant, kind);
                windows.expectIntact();
            }
        }
    });
}

TEST_P(BoundsBackends, SmoothUpperBoundsAlone) {
    onAllFormats([this]<class T>(T) {
        const FilledBounds<T> input = makeBounds<T>(200, Kind::Sparse, 3);
        const FilledBounds<T> expected = smoothedByReference(input);
        for (const Variant variant : variants<T>()) {
            SCOPED_TRACE(toString(variant));
            FilledBounds<T> found(input);
            smoothHere(BoundMatrices<T>{found.upper.view(), {}}, variant, silentProgress());
            expectNear(input, expected, found.upper, expected.lower, variant, Kind::Sparse);
            EXPECT_TRUE(haveSameBits(input.lower, found.lower));
        }
    });
}

TEST_P(BoundsBackends, StopWhenCancelledAndGoOn) {
    const std::size_t n =
        GetParam().backend == "cuda" ? 1100 : 300;  // several checks even with large portions of work
    for (const Variant variant : variants<float>()) {
        SCOPED_TRACE(toString(variant));
        const auto smoothUntil = [&](Progress& progress) {
            FilledBounds<float> bounds = makeBounds<float>(n, Kind::Sparse);
            smoothHere(bounds.view(), variant, progress);
        };
        test::expectStops({0, 1, 3}, smoothUntil);
        // Devices have large portions of work between two checks.
        if (GetParam().isHost()) test::expectStops({4}, smoothUntil);
        expectAgreement<float>(17, Kind::Dense, {variant});
    }
}

TEST_P(BoundsBackends, EveryStageEndsAtOne) {
    if (!GetParam().isHost()) GTEST_SKIP() << "devices tell their work in portions, whose shares are rounded";
    for (const Variant variant : variants<float>()) {
        SCOPED_TRACE(toString(variant));
        FilledBounds<float> bounds = makeBounds<float>(150, Kind::Sparse);
        std::map<std::string, double> last;
        Progress progress([&](const ProgressUpdate& update) { last[update.stage] = update.fraction; });
        smoothHere(bounds.view(), variant, progress);
        EXPECT_EQ(last.size(), 2U);
        for (const auto& [stage, fraction] : last) EXPECT_DOUBLE_EQ(fraction, 1) << stage;
    }
}

TEST_P(BoundsBackends, RefuseWhatTheyHaveNotAndChangeNothing) {
    const Variant other = GetParam().isHost() ? Variant::Packed : Variant::Dense;
    FilledBounds<float> bounds = makeBounds<float>(5, Kind::Dense);
    const FilledBounds<float> before(bounds);
    EXPECT_THROW(smoothWith(backend(), bounds, other), UnavailableError);
    EXPECT_TRUE(haveSameBits(bounds.upper, before.upper));
    EXPECT_TRUE(haveSameBits(bounds.lower, before.lower));
    if (GetParam().backend != "gl") return;
    EXPECT_THAT(supports<double>(Variant::Default, 10).reason(), HasSubstr("float32 and int32"));
}

INSTANTIATE_TEST_SUITE_P(All, BoundsBackends, testing::ValuesIn(test::allSettings()), test::nameOf);

/// Matrices larger than a texture or than the device's memory. Of cuda: blocks that the device has no room
/// for, in tests/bounds/cuda_smoothing_test.cpp.
class SmallBoundsBackends : public BoundsBackends {
  protected:
    /// About one tile, some tiles plus one atom, and some tiles.
    static std::vector<std::size_t> sizes() { return {129, 257, 300}; }
};

std::vector<test::Setting> smallDevices() {
    std::vector<test::Setting> settings = test::smallSettings(128, std::size_t{512} << 10, 0, 250);
    std::erase_if(settings, [](const test::Setting& setting) { return setting.backend == "cuda"; });
    return settings;
}

TEST_P(SmallBoundsBackends, WorkInTilesOrRefuse) {
    std::size_t ran = 0;
    onAllFormats([&]<class T>(T) {
        for (const std::size_t n : sizes())
            for (const Variant variant : variants<T>()) {
                SCOPED_TRACE(testing::Message() << toString(variant) << ", n = " << n);
                const Support support = supports<T>(variant, n);
                EXPECT_TRUE(support || variant != Variant::Blocked) << support.reason();
                if (!support) {
                    EXPECT_THAT(support.reason(), AnyOf(HasSubstr("exceed the texture limit"),
                                                        HasSubstr("and one may have"), HasSubstr("memory")));
                    continue;
                }
                for (const Kind kind : kAllKinds)
                    if (n == sizes()[1] || kind == Kind::Sparse ||
                        (n == sizes().back() && kind == Kind::Unknown))
                        expectAgreement<T>(n, kind, {variant});
                ++ran;
            }
    });
    EXPECT_GT(ran, 0U);
}

TEST_P(SmallBoundsBackends, WriteNothingOutsideTheViews) {
    onAllFormats([this]<class T>(T) {
        const FilledBounds<T> input = makeBounds<T>(sizes().back(), Kind::Sparse, 7);
        const FilledBounds<T> expected = smoothedByReference(input);
        Windows<T> windows(input);
        smoothHere(windows.views, Variant::Blocked, silentProgress());
        expectNear(input, expected, Matrix<T>(windows.views.upper), Matrix<T>(windows.views.lower),
                   Variant::Blocked, Kind::Sparse);
        windows.expectIntact();
    });
}

TEST_P(SmallBoundsBackends, OutwardRoundingContainsTheExactBounds) {
    onAllFormats([this]<class T>(T) {
        if constexpr (std::is_floating_point_v<T>) {
            FilledBounds<T> input = makeBounds<T>(sizes().back(), Kind::Sparse, 4);
            moveToExactUnits(input);
            expectOutward(input, {Variant::Blocked});
        }
    });
}

INSTANTIATE_TEST_SUITE_P(All, SmallBoundsBackends, testing::ValuesIn(smallDevices()), test::nameOf);

// ---- Checks of tests/backends/limits.hpp for `bounds`: the fewest and the most atoms.

class BoundsLimits : public test::EveryBackend {
  protected:
    template <class T>
    void ask() {
        const auto engine = createImplementation<SmoothingEngine>(backend());
        for (const std::string& name :
             variantsFor(allVariants<SmoothingEngine>(), std::string(toString(formatOf<T>())))) {
            const Variant variant = fromString<Variant>(name);
            const auto takes = [&](std::size_t atoms) {
                return bool(engine->supports({variant, formatOf<T>(), atoms}));
            };
            if (!takes(0)) continue;
            const std::size_t largest = glycine::test::lastTaken(1, kMany, takes);
            if (largest > 0 && largest < kMany)
                glycine::test::expectRefusal(engine->supports({variant, formatOf<T>(), largest + 1}),
                                             largest + 1);
            std::set<std::size_t> sizes{1, 2, 3, 63, 64, 65};
            if (largest <= 300) sizes.insert(largest);
            for (const std::size_t n : sizes) {
                if (n > largest || n == 0) continue;
                SCOPED_TRACE(name + ' ' + std::string(toString(formatOf<T>())) +
                             ", n = " + std::to_string(n));
                // On the grid, where sums are exact in any order.
                const FilledBounds<T> input = makeBounds<T>(n, Kind::Sparse, 3, true);
                const FilledBounds<T> expected = smoothedByReference(input);
                FilledBounds<T> found(input);
                smoothWith(backend(), found, variant);
                EXPECT_EQ(largestDifference(found.upper, expected.upper), 0);
                EXPECT_EQ(largestDifference(found.lower, expected.lower), 0);
            }
        }
    }
    static constexpr std::size_t kMany = 1'000'000;
};

TEST_P(BoundsLimits, FewestAndMostAtoms) {
    ask<float>();
    ask<double>();
    ask<std::int32_t>();
}
INSTANTIATE_TEST_SUITE_P(All, BoundsLimits, testing::ValuesIn(glycine::test::settingsWithSmallOnes()),
                         glycine::test::nameOf);

}  // namespace
}  // namespace glycine::bounds
