// Every backend of `crossapen` must count the reference's patterns: entropies may differ by the rounding of
// their sums alone.
#include "engine/core/guarded_matrix.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "tests/backends/every_backend.hpp"
#include "tests/backends/limits.hpp"
#include "tests/crossapen/crossapen_fixtures.hpp"
#include "tests/made_once.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

using fixtures::Kind;

const Measure kMeasures[] = {Measure::PermEn, Measure::CrossPermEn, Measure::DispEn};

template <class T>
std::vector<Matrix<PatternEntropy>> entropiesWith(PatternEngine& engine,
                                                  const std::vector<Matrix<T>>& signals,
                                                  const PatternRule& rule,
                                                  Progress& progress = silentProgress()) {
    std::vector<AnyEpoch> items;
    std::vector<GuardedMatrix<PatternEntropy>> guarded;
    std::vector<MatrixView<PatternEntropy>> views;
    guarded.reserve(signals.size());
    for (const Matrix<T>& item : signals) {
        items.push_back(Epoch<T>{item.view(), {}});
        views.push_back(guarded.emplace_back(item.rows(), item.rows()).view());
    }
    EXPECT_EQ(engine.count(items, rule, views, progress).variant, Variant::Patterns);
    std::vector<Matrix<PatternEntropy>> entropies;
    for (std::size_t i = 0; i < signals.size(); ++i) {
        EXPECT_TRUE(guarded[i].isIntact()) << "item " << i;
        Matrix<PatternEntropy>& copy = entropies.emplace_back(views[i].rows(), views[i].columns());
        for (std::size_t a = 0; a < copy.rows(); ++a)
            std::copy_n(views[i].row(a), copy.columns(), copy.row(a));
    }
    return entropies;
}

template <class T>
const std::vector<Matrix<PatternEntropy>>& expectedEntropies(const std::vector<Matrix<T>>& signals,
                                                             const PatternRule& rule) {
    test::InputKey key;
    key.add(rule.measure).add(rule.m).add(rule.delay).add(rule.classes).add(rule.deviation);
    for (const Matrix<T>& item : signals) key.add(item);
    return test::madeOnce(key, [&] {
        HostBackend reference("reference", 1);
        return entropiesWith(*createImplementation<PatternEngine>(reference), signals, rule);
    });
}

template <class T>
std::vector<Matrix<T>> itemsOf(std::size_t items, std::size_t channels, std::size_t samples, Kind kind) {
    std::vector<Matrix<T>> all;
    for (std::size_t i = 0; i < items; ++i)
        all.push_back(fixtures::makeSignals<T>(channels, samples, kind, samples + i));
    return all;
}

class CountPatterns : public test::WithImplementation<test::EveryBackend, PatternEngine> {
  protected:
    template <class T>
    void expectAgrees(const std::vector<Matrix<T>>& signals, const PatternRule& rule) {
        SCOPED_TRACE(testing::Message()
                     << toString(rule.measure) << ", m = " << rule.m << ", delay " << rule.delay << ", "
                     << rule.classes << " classes, " << signals.size() << " × " << signals[0].rows() << " × "
                     << signals[0].columns());
        const PatternRequest request{
            .rule = rule, .samples = signals[0].columns(), .channels = signals[0].rows()};
        const Support support = engine_->supports(request);
        if (isSmall() && !support) {
            EXPECT_THAT(support.reason(), AnyOf(HasSubstr("memory"), HasSubstr("texels")));
            return;
        }
        ASSERT_TRUE(support) << support.reason();
        const auto found = entropiesWith(*engine_, signals, rule);
        const auto& expected = expectedEntropies(signals, rule);
        for (std::size_t i = 0; i < signals.size(); ++i)
            for (std::size_t a = 0; a < signals[i].rows(); ++a)
                for (std::size_t b = 0; b < signals[i].rows(); ++b) {
                    const double nats = found[i](a, b).nats, expectedNats = expected[i](a, b).nats;
                    ASSERT_TRUE(std::abs(nats - expectedNats) <= 1e-12 ||
                                (std::isnan(nats) && std::isnan(expectedNats)))
                        << nats << " in place of " << expectedNats << " at (" << a << ", " << b
                        << ") of item " << i;
                }
    }
    /// The least m of a measure.
    static unsigned least(Measure measure) {
        return measure == Measure::DispEn ? 1 : measure == Measure::PermEn ? 2 : 3;
    }
};

TEST_P(CountPatterns, AgreeWithTheReference) {
    // Drivers are slow to compile a program for each m.
    for (const Measure measure : kMeasures)
        for (const std::size_t m : sweep({least(measure), 3, 4, 5, 6, 7, 8, 11, 12}, {least(measure), 7, 12}))
            for (const unsigned delay : {1U, 3U}) {
                PatternRule rule{measure, static_cast<unsigned>(m), delay};
                for (const Kind kind : fixtures::kAllKinds)
                    for (const std::size_t samples : {minimumSamples(rule.m, delay), std::size_t{91},
                                                      std::size_t{256} + (m - 1) * delay}) {
                        // Rounding could move a tied sample to DispEn's next class.
                        if (measure == Measure::DispEn && kind == Kind::Quantised) continue;
                        if (samples != 91 && kind != Kind::Quantised && kind != Kind::Smooth) continue;
                        expectAgrees(itemsOf<double>(1, 3, samples, kind), rule);
                        if (HasFatalFailure()) return;
                    }
            }
}

TEST_P(CountPatterns, TakeSamplesThatOnlyDoublesTellApart) {
    Matrix<double> close(2, 60);
    RandomSequence random(3);
    for (std::size_t channel = 0; channel < 2; ++channel)
        for (std::size_t i = 0; i < 60; ++i)
            close(channel, i) = 1 + std::ldexp(static_cast<double>(random.below(9)), -52);
    close(0, 7) = -0.0;
    close(0, 8) = 0.0;
    close(0, 9) = -std::numeric_limits<double>::max();
    close(0, 10) = std::numeric_limits<double>::denorm_min();
    std::vector<Matrix<double>> items;
    items.push_back(std::move(close));
    for (const unsigned m : {3U, 5U}) expectAgrees(items, {Measure::PermEn, m, 1});
    for (const unsigned delay : {1U, 2U}) {
        // The reference multiplies differences, whose product may underflow: these do not.
        std::vector<Matrix<double>> scaled = itemsOf<double>(1, 2, 60, Kind::Quantised);
        for (std::size_t i = 0; i < scaled[0].size(); ++i)
            scaled[0].data()[i] = 1 + scaled[0].data()[i] * 0x1p-48;
        expectAgrees(scaled, {Measure::CrossPermEn, 4, delay});
    }
    // Epochs may be in float32, too.
    for (const Measure measure : kMeasures)
        expectAgrees(itemsOf<float>(2, 2, 70, Kind::Smooth), {measure, 3, 1});
}

TEST_P(CountPatterns, AgreeForAnyNumberOfClasses) {
    struct Case {
        unsigned m, classes;
        std::size_t samples;
    };
    // Both ends of m and of classes^m <= 2^63; more classes than samples; and digits of every width.
    std::vector<Case> cases{{1, 2, 90},  {1, 4'000'000'000U, 90}, {2, 3'037'000'499U, 90},
                            {12, 2, 90}, {12, 38, 120},           {5, 6208, 4700},
                            {3, 90, 90}};
    if (isSwept())
        for (const Case more : {Case{11, 52, 90},
                                {10, 78, 90},
                                {9, 128, 300},
                                {8, 234, 300},
                                {7, 512, 600},
                                {6, 1448, 1600},
                                {5, 4096, 4700},
                                {4, 55'108, 90},
                                {3, 2'000'000, 4700}})
            cases.push_back(more);
    for (const auto& [m, classes, samples] : cases)
        // Templates of constants with outliers agree in their first digits, and differ in any later one.
        for (const Kind kind : {Kind::Constant, Kind::Smooth}) {
            const bool isLong = samples > 2000;  // the serial reference is slow
            if (isLong && kind == Kind::Smooth) continue;
            const Deviation deviation = kind == Kind::Smooth ? Deviation::Population : Deviation::Sample;
            expectAgrees(itemsOf<double>(1, isLong ? 1 : 2, samples, kind),
                         {Measure::DispEn, m, 1, classes, deviation});
            if (HasFatalFailure()) return;
        }
}

TEST_P(CountPatterns, ConstantChannels) {
    std::vector<Matrix<double>> items = itemsOf<double>(2, 3, 40, Kind::Smooth);
    std::fill_n(items[0].row(1), 40, 0.1);
    std::fill_n(items[1].row(0), 40, 0.0);
    for (const Measure measure : kMeasures) expectAgrees(items, {measure, 3, 2});
    if (GetParam().isHost()) return;
    const auto found = entropiesWith(*engine_, items, {Measure::DispEn, 3, 2});
    EXPECT_TRUE(std::isnan(found[0](1, 0).nats) && std::isnan(found[1](0, 2).nats));
    EXPECT_FALSE(std::isnan(found[0](0, 1).nats));
}

// More items, channels and samples than one texture row, block, batch or group holds.
TEST_P(CountPatterns, AgreeForLongEpochs) {
    for (const Measure measure : kMeasures) {
        expectAgrees(itemsOf<double>(1, 2, 4711, Kind::Smooth), {measure, 4, 1});
        expectAgrees(itemsOf<double>(7, 5, 131, Kind::Smooth), {measure, 3, 2});
        expectAgrees(itemsOf<double>(1, 1, 259, Kind::Smooth), {measure, 3, 1});
    }
    if (!isSwept()) return;
    expectAgrees(itemsOf<double>(1, 1, 40'001, Kind::Smooth), {Measure::PermEn, 6, 1});
    expectAgrees(itemsOf<double>(1, 2, 40'001, Kind::Quantised), {Measure::CrossPermEn, 5, 1});
}

TEST_P(CountPatterns, ReportProgressAndStop) {
    for (const Measure measure : kMeasures) {
        const auto items = itemsOf<double>(5, 3, 90, Kind::Smooth);
        double fraction = 0;
        Progress progress([&](const ProgressUpdate& update) { fraction = update.fraction; });
        // Rounding may lose up to a millionth of the progress.
        const double work = 5.0 * 9 * 90;
        progress.begin("patterns", work * (1 - 1e-6));
        entropiesWith(*engine_, items, {measure, 3, 1}, progress);
        EXPECT_EQ(fraction, 1);
        test::expectStops({0}, [&](Progress& one) { entropiesWith(*engine_, items, {measure, 3, 1}, one); });
        expectAgrees(items, {measure, 3, 1});
    }
}

TEST_P(CountPatterns, RefuseWithAReason) {
    const auto reason = [&](const PatternRequest& request) { return engine_->supports(request).reason(); };
    for (const Measure measure : kMeasures) {
        EXPECT_EQ(reason({.rule = {measure, 12, 3}, .samples = 8192, .channels = 8}), "");
        EXPECT_EQ(reason({.variant = Variant::Patterns, .rule = {measure, 3}}), "");
        EXPECT_THAT(reason({.rule = {measure, 13}}), HasSubstr("12 samples, not 13"));
        EXPECT_THAT(reason({.rule = {measure, 3, 5}, .samples = 16}), HasSubstr("3 · 5 + 2 = 17"));
        EXPECT_THAT(reason({.rule = {measure, 3}, .samples = kMaximumSamples + 1}), HasSubstr("too long"));
    }
    EXPECT_EQ(reason({.rule = {Measure::PermEn, 3}, .samples = kMaximumSamples, .channels = 1}), "");
    EXPECT_THAT(reason({.variant = Variant::Packed}), HasSubstr("variant 'packed'"));
    EXPECT_THAT(reason({.rule = {Measure::DispEn, 12, 1, 39}}), HasSubstr("2^63"));
}

INSTANTIATE_TEST_SUITE_P(Patterns, CountPatterns, testing::ValuesIn(test::allSettings()), test::nameOf);

/// Counts that cannot be those of all templates are refused before any recount.
TEST(CountPatternsOfAWrongDevice, IsRefused) {
    test::registerBackends();
    struct Case {
        Measure measure;
        const char *shader, *right, *wrong;
    };
    const Case cases[] = {{Measure::PermEn, "count_patterns.frag", "vec4(count)", "vec4(count * 2.0)"},
                          {Measure::DispEn, "count_patterns.frag", "vec4(count)", "vec4(-count)"},
                          {Measure::CrossPermEn, "count_crossings.frag", "] = counts",
                           "] = counts * vec4(0.5, 1.0, 1.0, 1.0)"}};
    for (const auto& [measure, shader, right, wrong] : cases) {
        const std::string name = std::string("crossapen/") + shader;
        std::string text = readFile(fs::path(GLYCINE_SOURCE_DIR) / "shaders" / name);
        ASSERT_NE(text.find(right), std::string::npos);
        text.replace(text.find(right), std::strlen(right), wrong);
        const TemporaryFolder shaders;
        fs::create_directories((shaders.path() / name).parent_path());
        writeFile(shaders.path() / name, text);
        BackendOptions options;
        options.shaderFolder = shaders.path().string();
        std::unique_ptr<Backend> backend;
        try {
            backend = std::make_unique<glycine::gl::GlBackend>(options);
        } catch (const UnavailableError& error) {
            GTEST_SKIP() << error.what();
        }
        const PatternRule rule{measure, 3, 1};
        const auto items = itemsOf<double>(1, 2, 90, Kind::Smooth);
        const std::unique_ptr<PatternEngine> engine = createImplementation<PatternEngine>(*backend);
        EXPECT_THAT(messageOf<WrongResultError>(
                        [engine = engine.get(), &items, &rule] { entropiesWith(*engine, items, rule); }),
                    HasSubstr("counted other patterns than those of 88 templates"))
            << toString(measure);
    }
}

/// Small devices take channels and pairs in groups, or refuse.
class CountPatternsOnSmallDevices : public CountPatterns {};

TEST_P(CountPatternsOnSmallDevices, AgreeInGroups) {
    bool hasRun = false;
    for (const Measure measure : kMeasures)
        for (const std::size_t channels : {1, 5})
            for (const std::size_t samples : {40, 700}) {
                const PatternRule rule{measure, 3, 1};
                hasRun =
                    hasRun || engine_->supports({.rule = rule, .samples = samples, .channels = channels});
                expectAgrees(itemsOf<double>(2, channels, samples, Kind::Smooth), rule);
                if (HasFatalFailure()) return;
            }
    EXPECT_TRUE(hasRun);
    const PatternRequest longest{
        .rule = {Measure::CrossPermEn, 3}, .samples = kMaximumSamples, .channels = 9};
    EXPECT_THAT(engine_->supports(longest).reason(), AnyOf(HasSubstr("memory"), HasSubstr("texels")));
}

INSTANTIATE_TEST_SUITE_P(Patterns, CountPatternsOnSmallDevices,
                         testing::ValuesIn(test::smallSettings(64, std::size_t{256} << 10,
                                                               std::size_t{1} << 20)),
                         test::nameOf);

}  // namespace
}  // namespace glycine::crossapen
