#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/tiling.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/patterns.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"

/// Entropies of patterns. The host replaces samples by ranks, which fragments can compare exactly, or by
/// classes. Tables lie in textures of floats, which all dialects have; whole numbers up to 2²⁴ are exact
/// there. For PermEn and DispEn, passes find the pattern of each template, sort the patterns of each channel
/// and measure runs of equal ones. For Cross-PermEn, which has at most 56 patterns, passes count the
/// crossings of each template of each pair, and how often each number of crossings occurs.
namespace glycine::crossapen::gl {

namespace {

using glycine::gl::RenderTexture;
using glycine::gl::TableTexture;
using glycine::gl::TextureFormat;
using glycine::gl::toInt;

/// Of a table: nothing is gained by more, and indices must be exact as floats.
constexpr std::size_t kMaxTexels = std::size_t{1} << 22;
constexpr int kMaxRowBits = 12;
constexpr int kMinRowBits = 5;
constexpr std::size_t kCrossingsPerTexel = 4;
/// Texels of crossings that a fragment counts. Drivers do not end loops that short.
constexpr std::size_t kTexelsPerCrossingBlock = 64;

/// How a pattern is stored as up to four numbers below 2²⁴ (shaders/crossapen/fill_patterns.frag).
struct Digits {
    std::size_t base = 16;
    unsigned perNumber = 6;
    bool isSplit = false;

    /// A channel has no more classes than samples (samplesOf).
    Digits(const PatternRule& rule, std::size_t samples) {
        if (rule.measure != Measure::DispEn) return;
        base = std::min<std::size_t>(rule.classes, samples);
        perNumber = 1;
        for (std::size_t power = base * base; perNumber < rule.m && power <= std::size_t{1} << 24;
             power *= base)
            ++perNumber;
        // At most 2⁶³ patterns leave only five of more than 4096 classes each without room.
        isSplit = rule.m > 4 * perNumber;
    }
};

/// Sizes of the tables of a run.
struct Plan {
    glycine::gl::TableWidth width;
    std::size_t templates = 0;
    std::size_t stride = 0;    ///< texels of the patterns of a channel
    std::size_t channels = 0;  ///< at a time
    std::size_t pairs = 0;     ///< at a time, Cross-PermEn

    std::size_t crossingTexels() const { return roundUp(templates, kCrossingsPerTexel) / kCrossingsPerTexel; }
    std::size_t blocks() const {
        return roundUp(crossingTexels(), kTexelsPerCrossingBlock) / kTexelsPerCrossingBlock;
    }
};

/// Numbers of crossings, four per texel.
std::size_t quadsOf(const PatternRule& rule) {
    return roundUp(crossingPatterns(rule.m), 4) / 4;
}

struct Table {
    TextureFormat format;
    std::size_t texels;
};

/// Bytes of tables, or nothing if one of them has no room in a texture.
std::optional<std::size_t> bytesOf(std::initializer_list<Table> tables, glycine::gl::TableWidth width,
                                   const glycine::gl::GlLimits& limits) {
    std::size_t bytes = 0;
    for (const Table& table : tables) {
        if (table.texels > kMaxTexels ||
            width.rows(table.texels) >= static_cast<std::size_t>(limits.maxTextureSize))
            return {};
        const std::size_t one = width.shape(table.format, table.texels).bytes();
        if (one > limits.maxTextureBytes) return {};
        bytes += one;
    }
    return bytes;
}

/// The largest tables of this width for `channels` of `samples` each. Returns nothing if not even one channel
/// or pair fits.
std::optional<Plan> planWidth(int rowBits, const PatternRule& rule, std::size_t channels, std::size_t samples,
                              const glycine::gl::GlLimits& limits, std::size_t freeBytes) {
    Plan plan;
    plan.width.rowBits = rowBits;
    plan.templates = shortTemplates(samples, rule.m, rule.delay);
    const bool isCross = rule.measure == Measure::CrossPermEn;
    plan.stride = isCross ? plan.templates : std::bit_ceil(plan.templates);
    const auto fit = [&](std::initializer_list<Table> tables, std::size_t most) {
        const std::optional<std::size_t> bytes = bytesOf(tables, plan.width, limits);
        return bytes && *bytes <= most;
    };
    using enum TextureFormat;
    plan.channels = largestFitting(channels, [&](std::size_t n) {
        const Table signals{R32F, n * samples}, sorted{RGBA32F, n * plan.stride};
        return isCross ? fit({signals, sorted}, freeBytes / 2)
                       : fit({signals, sorted, sorted, {R32F, n * plan.stride}}, freeBytes);
    });
    if (plan.channels == 0) return {};
    if (!isCross) return plan;
    plan.pairs = largestFitting(plan.channels * plan.channels, [&](std::size_t n) {
        return fit({{RGBA32F, n * plan.crossingTexels()}, {RGBA32F, n * plan.blocks() * quadsOf(rule)}},
                   freeBytes / 2);
    });
    if (plan.pairs == 0) return {};
    return plan;
}

/// The same for the widest tables that fit: whole rows of narrow ones waste less memory.
std::optional<Plan> planPatterns(const PatternRule& rule, std::size_t channels, std::size_t samples,
                                 const glycine::gl::GlLimits& limits, std::size_t freeBytes) {
    std::optional<Plan> plan;
    const int widest = std::bit_width(static_cast<unsigned>(limits.maxTextureSize)) - 1;
    for (int bits = std::min(kMaxRowBits, widest); bits >= kMinRowBits && !plan; --bits)
        plan = planWidth(bits, rule, channels, samples, limits, freeBytes);
    return plan;
}

/// What the textures hold of a channel: ranks, or classes; empty if it has none. Classes that are more than
/// samples are replaced by their ranks.
std::vector<std::uint32_t> samplesOf(const AnyEpoch& item, std::size_t channel, const PatternRule& rule) {
    return std::visit(
        [&]<class T>(const Epoch<T>& epoch) {
            const std::span<const T> signal(epoch.signals.row(channel), epoch.samples());
            if (rule.measure != Measure::DispEn) return denseRanks(signal);
            const std::vector<std::uint32_t> classes = dispersionClasses(signal, rule);
            if (classes.empty() || rule.classes <= epoch.samples()) return classes;
            return denseRanks<double>(std::vector<double>(classes.begin(), classes.end()));
        },
        item);
}

/// A channel of an item.
struct ChannelPlace {
    std::size_t item;
    std::size_t channel;
};

class PatternRun {
  public:
    PatternRun(glycine::gl::GlBackend& backend, std::span<const AnyEpoch> items, const PatternRule& rule,
               std::span<const MatrixView<PatternEntropy>> results, std::size_t channels, std::size_t samples,
               const Plan& plan, Progress& progress)
        : backend_(backend),
          items_(items),
          rule_(rule),
          results_(results),
          progress_(progress),
          threads_(backend.isEmulated() ? 1 : omp_get_max_threads()),
          channels_(channels),
          samples_(samples),
          digits_(rule, samples_),
          plan_(plan),
          signals_(backend.textures(), TextureFormat::R32F, plan.width, plan.channels * samples_),
          patterns_(backend.textures(),
                    plan.width.shape(TextureFormat::RGBA32F, plan.channels * plan.stride)),
          clock_(backend) {}

    /// PermEn, DispEn.
    void countChannels() {
        const std::size_t all = items_.size() * channels_;
        RenderTexture other(backend_.textures(), patterns_.shape());
        const RenderTexture counts(backend_.textures(),
                                   plan_.width.shape(TextureFormat::R32F, plan_.channels * plan_.stride));
        for (const Range batch : splitRange(all, plan_.channels)) {
            backend_.budget().restart(kWork);
            const std::vector<char> areDefined = upload(batch);
            const std::size_t texels = batch.size() * plan_.stride;
            const int stages = std::countr_zero(plan_.stride);
            passes_ = 2.0 + stages * (stages + 1) / 2;
            work_ = static_cast<double>(batch.size() * channels_ * samples_);
            fillPatterns(batch.size());
            RenderTexture* source = &patterns_;
            RenderTexture* target = &other;
            for (std::size_t run = 2; run <= plan_.stride; run *= 2)
                for (std::size_t reach = run / 2; reach > 0; reach /= 2) {
                    draw("crossapen/sort_patterns.frag", {}, *target, texels, 2,
                         [&](glycine::gl::FragmentPass& pass) {
                             inputSorted(pass, source->texture());
                             pass.uniform("reach", static_cast<float>(reach))
                                 .uniform("inverseReach", 1.0F / static_cast<float>(reach))
                                 .uniform("inverseRun", 1.0F / static_cast<float>(run));
                         });
                    std::swap(source, target);
                }
            draw("crossapen/count_patterns.frag", {}, counts, texels, 4,
                 [&](glycine::gl::FragmentPass& pass) {
                     inputSorted(pass, source->texture());
                     pass.uniform("templates", static_cast<float>(plan_.templates))
                         .uniform("highest", static_cast<float>(std::bit_floor(plan_.templates)));
                 });
            clock_.finishStage(times_.compute);
            const std::vector<float> found = read(counts, texels);
            parallelFor(threads_, batch.size(), [&](std::size_t c, std::size_t) {
                const PatternEntropy entropy =
                    entropyOfCounts(std::span(found).subspan(c * plan_.stride, plan_.stride), plan_.templates,
                                    backend_.device());
                const ChannelPlace place = placeOf(batch.begin + c);
                std::fill_n(results_[place.item].row(place.channel), channels_,
                            areDefined[c] != 0 ? entropy : kUndefinedPatterns);
            });
            clock_.finishHostStage(times_.download);
        }
    }

    /// Cross-PermEn.
    void countPairs() {
        const RenderTexture crossings(
            backend_.textures(),
            plan_.width.shape(TextureFormat::RGBA32F, plan_.pairs * plan_.crossingTexels()));
        const RenderTexture counts(
            backend_.textures(),
            plan_.width.shape(TextureFormat::RGBA32F, plan_.pairs * plan_.blocks() * quadsOf(rule_)));
        for (std::size_t item = 0; item < items_.size(); ++item)
            for (const Range rows : splitRange(channels_, plan_.channels)) {
                backend_.budget().restart(kWork);
                upload({item * channels_ + rows.begin, item * channels_ + rows.end});
                work_ = 0;  // counts with the pairs
                fillPatterns(rows.size());
                clock_.finishStage(times_.compute);
                std::size_t there = rows.begin;
                for (const Range columns : splitRange(channels_, plan_.channels)) {
                    if (there != columns.begin)
                        upload({item * channels_ + columns.begin, item * channels_ + columns.end});
                    there = columns.begin;
                    for (const Range pairs : splitRange(rows.size() * columns.size(), plan_.pairs))
                        countPairs(item, rows, columns, pairs, crossings, counts);
                }
            }
    }

    const MatchTimes& times() const { return times_; }

  private:
    static constexpr const char* kWork = "crossapen patterns";

    ChannelPlace placeOf(std::size_t number) const { return {number / channels_, number % channels_}; }

    /// Uploads channels, numbered through all items. Returns for each whether it has patterns.
    std::vector<char> upload(const Range& channels) {
        std::vector<char> areDefined(channels.size(), 1);
        parallelFor(threads_, channels.size(), [&](std::size_t c, std::size_t) {
            const ChannelPlace place = placeOf(channels.begin + c);
            const std::vector<std::uint32_t> samples = samplesOf(items_[place.item], place.channel, rule_);
            float* const texels = signals_.texel(c * samples_);
            areDefined[c] = samples.empty() ? 0 : 1;
            if (samples.empty()) std::fill_n(texels, samples_, 0.0F);
            std::transform(samples.begin(), samples.end(), texels,
                           [](std::uint32_t number) { return static_cast<float>(number); });
        });
        clock_.finishHostStage(times_.prepare);
        signals_.upload(channels.size() * samples_);
        clock_.finishStage(times_.upload);
        return areDefined;
    }

    void input(glycine::gl::FragmentPass& pass, const std::string& name,
               const glycine::gl::Texture& texture) const {
        pass.input(name, texture);
        if (isNormalised()) pass.uniform(name + "Texel", glycine::gl::texelSize(texture));
    }
    /// The patterns of all channels of a batch (shaders/crossapen/pattern_order.glsl).
    void inputSorted(glycine::gl::FragmentPass& pass, const glycine::gl::Texture& texture) const {
        input(pass, "patterns", texture);
        pass.uniform("stride", static_cast<float>(plan_.stride))
            .uniform("inverseStride", 1.0F / static_cast<float>(plan_.stride));
    }
    bool isLegacy() const { return backend_.dialect() == Dialect::Gl21; }
    bool isNormalised() const { return backend_.gl().bugs.slowTexelFetch && !isLegacy(); }

    /// Draws the first `texels` texels of a table; each takes `lookups` lookups.
    template <class Describe>
    void draw(const char* shader, glycine::gl::ShaderDefines defines, const RenderTexture& target,
              std::size_t texels, double lookups, Describe&& describe) {
        if (isLegacy())
            defines.push_back({"ROW_TEXELS", fmt::format("{}.0", plan_.width.texels())});
        else
            defines.push_back({"ROW_BITS", std::to_string(plan_.width.rowBits)});
        if (isNormalised()) defines.push_back({"NORMALISED", ""});
        glycine::gl::FragmentPass pass = backend_.pass(shader, defines);
        pass.output(target.framebuffer());
        describe(pass);
        const glycine::gl::Rectangle region = regionOf(texels);
        const double area = static_cast<double>(region.size.x) * region.size.y;
        glycine::gl::drawInPieces(backend_.budget(), region, lookups,
                                  [&](const glycine::gl::Rectangle& piece) {
                                      pass.draw(piece);
                                      progress_.advance(work_ / passes_ * piece.size.x * piece.size.y / area);
                                  });
    }
    glycine::gl::Rectangle regionOf(std::size_t texels) const {
        return {{0, 0}, {std::min(texels, plan_.width.texels()), plan_.width.rows(texels)}};
    }

    /// The patterns of the first `channels` uploaded channels.
    void fillPatterns(std::size_t channels) {
        glycine::gl::ShaderDefines defines{{"LENGTH", std::to_string(rule_.m)},
                                           {"PER_NUMBER", std::to_string(digits_.perNumber)}};
        if (rule_.measure != Measure::DispEn) defines.push_back({"ORDINAL", ""});
        if (digits_.isSplit) defines.push_back({"SPLIT", ""});
        const std::size_t texels = channels * plan_.stride;
        draw("crossapen/fill_patterns.frag", defines, patterns_, texels, 4.0 * rule_.m,
             [&](glycine::gl::FragmentPass& pass) {
                 input(pass, "samples", signals_.texture());
                 pass.uniform("sampleCount", toInt(samples_))
                     .uniform("templates", toInt(plan_.templates))
                     .uniform("stride", toInt(plan_.stride))
                     .uniform("lastTexel", toInt(texels - 1));
                 // Compilers remove what they need not.
                 if (rule_.m > 1) pass.uniform("delay", toInt(rule_.delay));
                 if (digits_.perNumber > 1) pass.uniform("base", static_cast<float>(digits_.base));
             });
    }

    /// Pairs of a group of rows, whose patterns are there, and of columns, whose ranks are.
    void countPairs(std::size_t item, const Range& rows, const Range& columns, const Range& pairs,
                    const RenderTexture& crossings, const RenderTexture& counts) {
        const std::size_t quads = quadsOf(rule_);
        const std::size_t texels = pairs.size() * plan_.crossingTexels();
        const std::size_t countTexels = pairs.size() * plan_.blocks() * quads;
        passes_ = 2;
        work_ = static_cast<double>(pairs.size() * samples_);
        draw("crossapen/cross_patterns.frag",
             {{"LENGTH", std::to_string(rule_.m)}, {"PER_NUMBER", std::to_string(digits_.perNumber)}},
             crossings, texels, 4.0 * rule_.m * rule_.m, [&](glycine::gl::FragmentPass& pass) {
                 input(pass, "orders", patterns_.texture());
                 input(pass, "samples", signals_.texture());
                 pass.uniform("sampleCount", toInt(samples_))
                     .uniform("templates", toInt(plan_.templates))
                     .uniform("texels", toInt(plan_.crossingTexels()))
                     .uniform("partners", toInt(columns.size()))
                     .uniform("firstPair", toInt(pairs.begin))
                     .uniform("delay", toInt(rule_.delay))
                     .uniform("lastTexel", toInt(texels - 1));
             });
        draw("crossapen/count_crossings.frag", {}, counts, countTexels, kTexelsPerCrossingBlock,
             [&](glycine::gl::FragmentPass& pass) {
                 input(pass, "crossings", crossings.texture());
                 pass.uniform("texels", toInt(plan_.crossingTexels()))
                     .uniform("texelsPerBlock", toInt(kTexelsPerCrossingBlock))
                     .uniform("blocks", toInt(plan_.blocks()))
                     .uniform("quads", toInt(quads))
                     .uniform("lastTexel", toInt(countTexels - 1));
             });
        clock_.finishStage(times_.compute);
        const std::vector<float> found = read(counts, countTexels);
        const std::size_t numbers = 4 * quads;
        std::vector<float> sums(numbers);
        for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
            std::fill(sums.begin(), sums.end(), 0.0F);
            for (std::size_t block = 0; block < plan_.blocks(); ++block)
                for (std::size_t k = 0; k < numbers; ++k)
                    sums[k] += found[(pair * plan_.blocks() + block) * numbers + k];
            const std::size_t number = pairs.begin + pair;
            results_[item](rows.begin + number / columns.size(), columns.begin + number % columns.size()) =
                entropyOfCounts(std::span<const float>(sums), plan_.templates, backend_.device());
        }
        clock_.finishHostStage(times_.download);
    }

    std::vector<float> read(const RenderTexture& table, std::size_t texels) {
        backend_.canary().check("counting patterns");
        const glycine::gl::Rectangle region = regionOf(texels);
        const TextureFormat format = table.shape().format;
        std::vector<float> numbers(static_cast<std::size_t>(region.size.x) * region.size.y *
                                   glycine::gl::info(format).channels);
        glycine::gl::readPixels(table.framebuffer(), 0, format, region, numbers.data());
        return numbers;
    }

    glycine::gl::GlBackend& backend_;
    std::span<const AnyEpoch> items_;
    PatternRule rule_;
    std::span<const MatrixView<PatternEntropy>> results_;
    Progress& progress_;
    int threads_;
    std::size_t channels_;
    std::size_t samples_;
    Digits digits_;
    Plan plan_;
    TableTexture<float> signals_;
    RenderTexture patterns_;
    double passes_ = 1;  ///< that share the progress of `work_`
    double work_ = 0;
    MatchTimes times_;
    glycine::gl::StageClock clock_;
};

class GlPatterns final : public PatternEngine {
  public:
    explicit GlPatterns(glycine::gl::GlBackend& backend) : backend_(backend) {}

    Support supports(const PatternRequest& request) const override {
        if (Support any = supportsPatterns(request); !any) return any;
        if (!backend_.gl().features.redTargets)
            return Support::no("patterns need one-channel float render targets, which this driver lacks");
        if (request.samples == 0 || plan(request, std::max<std::size_t>(request.channels, 1)))
            return Support::yes();
        return Support::no(fmt::format(
            "patterns of {} samples find no room in textures of {} × {} texels and {} of device memory",
            request.samples, backend_.gl().limits.maxTextureSize, backend_.gl().limits.maxTextureSize,
            formatBytes(backend_.textures().bytesFree())));
    }

    MatchOutcome count(std::span<const AnyEpoch> items, const PatternRule& rule,
                       std::span<const MatrixView<PatternEntropy>> results, Progress& progress) override {
        return countOnDevice(items, rule, results, [&](std::size_t channels, std::size_t samples) {
            const PatternRequest request{Variant::Patterns, rule, samples};
            const std::size_t atOnce = rule.measure == Measure::CrossPermEn ? 1 : items.size();
            backend_.makeCurrent();
            const std::optional<Plan> planned = plan(request, channels * atOnce);
            if (!planned) throw UnavailableError(supports(request).reason());
            return PatternRun(backend_, items, rule, results, channels, samples, *planned, progress);
        });
    }

  private:
    std::optional<Plan> plan(const PatternRequest& request, std::size_t channels) const {
        return planPatterns(request.rule, channels, request.samples, backend_.gl().limits,
                            backend_.textures().bytesFree());
    }

    glycine::gl::GlBackend& backend_;
};

}  // namespace

Implementation<PatternEngine> patternEngine() {
    static const VariantTable<Variant> variants(
        "gl", {"float64"},
        {{Variant::Patterns,
          "ranks from the host; patterns as digits in RGBA, sorted by bitonic passes; crossings counted",
          "Bandt and Pompe 2002; Shi et al. 2015; Rostaghi and Azami 2016; Batcher 1968", allDialects()}});
    return implementWith<PatternEngine, GlPatterns, glycine::gl::GlBackend>(variants);
}

}  // namespace glycine::crossapen::gl
