// Times the gl variants of `crossapen` on the device of the `gl` backend, and compares them with the ceiling
// of their fragment shaders: the same programs, lookup for lookup, but all lookups read the first texel of a
// table (CEILING in shaders/crossapen/tables.glsl). Both are verified before they are timed. For variants
// that look up ranks, "scattered" spreads the lookups over tables that fit into the cache: the ceiling if
// neighbouring fragments do not read the same texel.
//
// Rates are comparisons per second as brute force would make them: N² per ordered pair. "comparisons" covers
// only the passes; "end_to_end" includes tables, transfers and readback.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engine/core/host_backends.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/crossapen/prepared_signals.hpp"
#include "engine/crossapen/random_signals.hpp"
#include "engine/gl/crossapen/fragment_matching.hpp"
#include "engine/gl/crossapen/match_tables.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace {

using namespace glycine;
using namespace glycine::crossapen;
using namespace glycine::crossapen::gl;

constexpr float kTolerance = 0.2F;

glycine::gl::GlBackend& device() {
    static glycine::gl::GlBackend backend{BackendOptions{}};
    return backend;
}

/// Texels of a ceiling's table: few enough for the cache next to the fragment stage.
constexpr int kTexels = 1024;

/// A texture of one row of texels.
template <class T>
glycine::gl::PooledTexture tableOf(glycine::gl::TextureFormat format, const std::vector<T>& numbers) {
    glycine::gl::PooledTexture texture(device().textures(), {format, {kTexels, 1}});
    texture->upload(numbers.data());
    return texture;
}
/// A texture whose texels all equal `texel`.
template <class T>
glycine::gl::PooledTexture constantTable(glycine::gl::TextureFormat format, const std::vector<T>& texel) {
    std::vector<T> numbers;
    for (int i = 0; i < kTexels; ++i) numbers.insert(numbers.end(), texel.begin(), texel.end());
    return tableOf(format, numbers);
}

/// The texels that a ceiling looks up.
enum class Places {
    First,     ///< always the first
    Scattered  ///< any of the first kTexels, different per fragment, like lookups of ranks
};

/// The matching pass of a variant on small tables: no partner sample is within r, and no search continues.
/// All template samples are 0, with no rank in reach. In the scattered case, samples and ranks are random,
/// and the tables indexed by ranks are empty.
class Ceiling {
  public:
    Ceiling(Variant variant, std::size_t samples, unsigned m, Places places)
        : variant_(variant),
          samples_(samples),
          m_(m),
          places_(places),
          style_(bestStyle(device().gl())),
          layout_(matchLayout(variant, samples, m)),
          columns_(static_cast<int>(layout_.fragments(shortTemplates(samples, m)))),
          target_(device().textures(), {glycine::gl::TextureFormat::RGBA32UI, {columns_, kRows}, 2}) {
        const std::vector<float> far(4, 1000.0F);
        const std::vector<float> none(4, 0.0F);
        const auto add = [&](const char* name, glycine::gl::PooledTexture texture) {
            tables_.emplace_back(name, std::move(texture));
        };
        add("logarithms", constantTable<std::uint32_t>(glycine::gl::TextureFormat::RGBA32UI, {0, 0, 0, 0}));
        add("pairs", tableOf(glycine::gl::TextureFormat::RGBA32F, pairs()));
        const bool isScalar = variant == Variant::Scalar;
        const auto samplesTable = [&](const std::vector<float>& texel) {
            return isScalar ? constantTable<float>(glycine::gl::TextureFormat::R32F, {texel[0]})
                            : constantTable<float>(glycine::gl::TextureFormat::RGBA32F, texel);
        };
        if (isScalar || variant == Variant::Packed) {
            add("signals", samplesTable(none));
            add("partners", samplesTable(far));
            return;
        }
        add("signals", tableOf(glycine::gl::TextureFormat::RGBA32F, signals()));
        add("bins", tableOf(glycine::gl::TextureFormat::RGBA32F, bins(far[0])));
        add("sortedSamples", constantTable<float>(glycine::gl::TextureFormat::R32F, {far[0]}));
        if (variant == Variant::Bitset)
            add("prefixSets",
                constantTable<std::uint32_t>(glycine::gl::TextureFormat::RGBA32UI, {1, 2, 3, 4}));
        else
            add("prefixCounts", constantTable<std::int32_t>(glycine::gl::TextureFormat::R32I, {12345}));
    }

    /// Comparisons per second; 0 if a sum is wrong.
    double measure() {
        int rows = 4;
        double best = std::numeric_limits<double>::infinity();
        draw(rows);
        if (!isRight(rows)) return 0;
        for (int repeat = 0; repeat < 6; ++repeat) {
            const Stopwatch watch;
            draw(rows);
            const double seconds = watch.seconds();
            if (seconds < kEnoughSeconds && rows < kRows) {
                rows = std::min(kRows, rows * 4);
                repeat = 0;
                continue;
            }
            best = std::min(best, seconds);
        }
        if (!isRight(rows)) return 0;
        return static_cast<double>(samples_) * static_cast<double>(samples_) * rows / best;
    }

  private:
    std::vector<float> pairs() const {
        std::vector<float> numbers;
        for (int slot = 0; slot < kTexels; ++slot)
            numbers.insert(numbers.end(),
                           {places_ == Places::First ? 0 : static_cast<float>(slot), 0, kTolerance, 0});
        return numbers;
    }
    std::vector<float> signals() const {
        std::vector<float> numbers(4 * kTexels, 0.0F);
        if (places_ == Places::First) return numbers;
        std::mt19937 random(1);
        std::uniform_real_distribution<float> sample(-kRange, kRange);
        for (float& number : numbers) number = sample(random);
        return numbers;
    }
    std::vector<float> bins(float far) const {
        std::mt19937 random(2);
        std::uniform_int_distribution<std::size_t> rank(0, samples_);
        std::vector<float> numbers;
        for (int bin = 0; bin < kTexels; ++bin)
            numbers.insert(numbers.end(),
                           {places_ == Places::First ? 1 : static_cast<float>(rank(random)), far, far, far});
        if (places_ == Places::Scattered) {  // the first texel states where the bins are
            numbers[0] = -kRange;
            numbers[1] = static_cast<float>(intervalBins(samples_)) / (2 * kRange);
        }
        return numbers;
    }

    static constexpr int kRows = 4096;
    static constexpr float kRange = 3;  // range of scattered samples
    static constexpr double kEnoughSeconds = 0.1;

    void draw(int rows) {
        glycine::gl::ShaderDefines defines = matchingDefines(variant_, m_, 4, style_);
        defines.push_back({"CEILING", ""});
        glycine::gl::FragmentPass pass = device().pass(matchingShader(variant_), defines);
        for (const auto& [name, table] : tables_) {
            pass.input(name, *table);
            if (style_.normalised) pass.uniform(name + "Texel", glycine::gl::texelSize(*table));
        }
        pass.output(target_.framebuffer())
            .uniform("rowMask", places_ == Places::First ? 0 : kTexels - 1)
            .uniform("rowShift", 31)
            .uniform("firstColumn", 0)
            .uniform("sampleStride", static_cast<int>(layout_.signal.texels))
            .uniform("samples", static_cast<int>(samples_))
            .uniform("lastTemplate", static_cast<int>(samples_ - m_));
        if (layout_.partner.size() > 1) pass.uniform("binCount", static_cast<int>(intervalBins(samples_)));
        if (variant_ == Variant::Bitset) pass.uniform("setTexels", static_cast<int>(setTexels(samples_)));
        pass.draw({{0, 0}, {columns_, rows}});
        device().finish();
    }

    /// Checks that no template of the first fragments of the last row has a match, at either length; in the
    /// scattered case, at the greater length.
    bool isRight(int rows) const {
        for (const int target : {0, 1}) {
            const auto templates = static_cast<std::uint32_t>(layout_.templatesPerFragment);
            const std::uint32_t without = target == 0 ? 0 : templates | templates << 10;
            std::uint32_t texel[4];
            glycine::gl::readPixels(target_.framebuffer(), target, glycine::gl::TextureFormat::RGBA32UI,
                                    {{1, rows - 1}, {1, 1}}, texel);
            if (places_ == Places::Scattered && target == 1) {
                texel[0] = texel[1] = 0;
                texel[3] = (texel[3] & 0x3ffU << 10) | templates;
            }
            if (texel[0] != 0 || texel[1] != 0 || texel[2] != 0 || texel[3] != without) return false;
        }
        return true;
    }

    Variant variant_;
    std::size_t samples_;
    unsigned m_;
    Places places_;
    MatchingStyle style_;
    MatchLayout layout_;
    int columns_;
    glycine::gl::RenderTexture target_;
    std::vector<std::pair<std::string, glycine::gl::PooledTexture>> tables_;
};

/// Epochs of z-scored noise with an EEG-like spectrum, and the `cpu` backend's results for them.
class Data {
  public:
    Data(std::size_t epochs, std::size_t channels, std::size_t samples, unsigned m) : rule_{m, false} {
        for (std::size_t e = 0; e < epochs; ++e) {
            const Matrix<double> raw = randomSignals({}, channels, samples, e + 1);
            normalise<float>(raw.view(), Deviation::Sample, signals_.emplace_back(channels, samples).view());
        }
        for (const Matrix<float>& one : signals_)
            epochs_.emplace_back(Epoch<float>{one.view(), {&kTolerance, 1}});
        HostBackend cpu("cpu", 0);
        match(*crossapen::cpu::matchEngine().create(cpu), Variant::Default, expected_);
    }

    /// Runs the variant and returns its times; nothing if a statistic is wrong.
    std::optional<MatchTimes> run(MatchEngine& engine, Variant variant) const {
        std::vector<Matrix<MatchStatistics>> found;
        const MatchTimes times = match(engine, variant, found);
        for (std::size_t e = 0; e < found.size(); ++e)
            if (!std::equal(found[e].data(), found[e].data() + found[e].size(), expected_[e].data()))
                return std::nullopt;
        return times;
    }

  private:
    MatchTimes match(MatchEngine& engine, Variant variant,
                     std::vector<Matrix<MatchStatistics>>& statistics) const {
        std::vector<MatrixView<MatchStatistics>> views;
        for (const Matrix<float>& one : signals_) statistics.emplace_back(one.rows(), one.rows());
        for (Matrix<MatchStatistics>& one : statistics) views.push_back(one.view());
        Progress progress;
        return engine.match(epochs_, rule_, variant, views, progress).times;
    }

    MatchRule rule_;
    std::vector<Matrix<float>> signals_;
    std::vector<AnyEpoch> epochs_;
    std::vector<Matrix<MatchStatistics>> expected_;
};

/// Numbers of epochs and channels that keep the device busy without taking long.
struct Load {
    std::size_t epochs;
    std::size_t channels;
};
Load loadOf(Variant variant) {
    const bool isBruteForce = variant == Variant::Scalar || variant == Variant::Packed;
    if (device().isEmulated()) return isBruteForce ? Load{1, 12} : Load{1, 64};
    return isBruteForce ? Load{1, 64} : Load{8, 64};
}

void matchPairs(benchmark::State& state, Variant variant, unsigned m, std::size_t samples) {
    const double ceiling = Ceiling(variant, samples, m, Places::First).measure();
    const bool looksUpRanks = variant == Variant::Bitset || variant == Variant::Dominance;
    const double scattered =
        looksUpRanks ? Ceiling(variant, samples, m, Places::Scattered).measure() : ceiling;
    if (ceiling == 0 || scattered == 0) {
        state.SkipWithError("the ceiling's sums are wrong");
        return;
    }
    const auto engine = crossapen::gl::matchEngine().create(device());
    MatchRequest request;
    request.variant = variant;
    request.rule = {m, false};
    request.samples = samples;
    if (const Support support = engine->supports(request); !support) {
        state.SkipWithError(support.reason().c_str());
        return;
    }
    const auto [epochs, channels] = loadOf(variant);
    const Data data(epochs, channels, samples, m);
    // The first run compiles the shader and is not timed.
    bool verified = data.run(*engine, variant).has_value();
    double seconds = 0;
    MatchTimes times;
    for (auto iteration : state) {
        const std::optional<MatchTimes> run = data.run(*engine, variant);
        verified = verified && run;
        times = run.value_or(times);
        state.SetIterationTime(times.compute);
        seconds += times.compute;
    }
    if (!verified) state.SkipWithError("statistics are wrong");
    const double comparisons = static_cast<double>(epochs * channels * channels) *
                               static_cast<double>(samples) * static_cast<double>(samples);
    const auto rate = [](double value) {
        return benchmark::Counter(value, benchmark::Counter::kDefaults, benchmark::Counter::kIs1000);
    };
    const double reached = comparisons * static_cast<double>(state.iterations()) / seconds;
    state.counters["comparisons"] = rate(reached);
    state.counters["end_to_end"] = rate(comparisons / times.total());
    state.counters["ceiling"] = rate(ceiling);
    state.counters["share"] = reached / ceiling;
    if (looksUpRanks) {
        state.counters["scattered"] = rate(scattered);
        state.counters["share_scattered"] = reached / scattered;
    }
    state.counters["prepare_s"] = times.prepare;
    state.counters["upload_s"] = times.upload;
    state.counters["download_s"] = times.download;
    state.SetLabel(device().device() + ", " + std::to_string(epochs) + " epochs of " +
                   std::to_string(channels) + " channels");
}

bool registerVariants() {
    struct Case {
        Variant variant;
        unsigned m;
        std::size_t samples;
    };
    const Case cases[] = {
        {Variant::Scalar, 1, 1024},    {Variant::Packed, 1, 1024},    {Variant::Packed, 2, 1024},
        {Variant::Bitset, 1, 1024},    {Variant::Bitset, 2, 1024},    {Variant::Bitset, 3, 1024},
        {Variant::Dominance, 1, 1024}, {Variant::Dominance, 1, 2048},
    };
    for (const auto& [variant, m, samples] : cases)
        benchmark::RegisterBenchmark(
            (std::string(toString(variant)) + "/m:" + std::to_string(m) + "/N:" + std::to_string(samples))
                .c_str(),
            matchPairs, variant, m, samples)
            ->Iterations(5)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
    return true;
}

const bool kRegistered = registerVariants();

}  // namespace
