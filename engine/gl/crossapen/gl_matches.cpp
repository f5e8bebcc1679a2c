#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/gl/crossapen/fragment_matching.hpp"

namespace glycine::crossapen::gl {

namespace {

/// Shaders hold at most that many samples of a template in registers.
constexpr unsigned kLongestTemplate = 64;
/// Below this length, comparing an epoch is faster than sorting it. Measured on llvmpipe, 16 channels, m = 1,
/// 2 and 5: `packed` wins at 64 samples, `dominance` and `bitset` win at 128.
constexpr std::size_t kShortestRanked = 96;
/// On a graphics processor, a channel's tables pay off from this number of partners on. Measured on an H200
/// when the host still made the tables. At 1024 samples, the tables took 0.15 ms, and `packed` 0.012 ms per
/// pair (14 partners); at 8192 samples, 5.1 ms and 0.77 ms (7 partners). On llvmpipe, tables pay off for a
/// single partner.
constexpr std::size_t kFewestPartners = 12;
/// Ranks are stored in 16 bits.
constexpr std::size_t kMaxRankedSamples = 65535;

const VariantTable<Variant>& variants() {
    static const std::vector<Dialect> modern{Dialect::Gl33, Dialect::Es300};
    static const std::string published = "Martínez-Zarzuela et al. 2013, section 3.1";
    static const VariantTable<Variant> table(
        "gl", {"float32"},
        {{Variant::Scalar, "one template a fragment, compared with all of the partner in one sweep",
          published, allDialects()},
         {Variant::Packed, "the same with four templates in RGBA", published, allDialects()},
         {Variant::Bitset, "sorted partners: prefix bit sets; the default for m > 1", "", modern},
         {Variant::Dominance, "m = 1; sorted partners: prefix counts of ranks, four look-ups a template", "",
          modern, true}},
        {Variant::Bitset, Variant::Packed});
    return table;
}

class GlMatchEngine final : public MatchEngine {
  public:
    explicit GlMatchEngine(glycine::gl::GlBackend& backend) : backend_(backend) {}

    Support supports(const MatchRequest& request) const override {
        if (Support shape = supportsShape(request); !shape) return shape;
        if (request.format != NumberFormat::Float32)
            return Support::no("the backend 'gl' compares in float32: textures hold no float64");
        const glycine::gl::GlFeatures& features = backend_.gl().features;
        if (isLegacy()) {
            if (!features.redTargets)
                return Support::no("one-channel float textures (GL_ARB_texture_rg) are missing");
        } else if (!features.unsignedTargets) {
            return Support::no("crossapen needs RGBA32UI render targets, which this driver lacks");
        } else if (!features.multipleTargets) {
            return Support::no("crossapen needs several render targets at once");
        }
        if (request.rule.m > kLongestTemplate)
            return Support::no(fmt::format("the backend 'gl' takes templates of {} samples at most, not {}",
                                           kLongestTemplate, request.rule.m));
        return supportsVariant(resolve(request), request);
    }

    MatchOutcome match(std::span<const AnyEpoch> epochs, const MatchRule& rule, Variant variant,
                       std::span<const MatrixView<MatchStatistics>> statistics, Progress& progress) override {
        MatchOutcome outcome;
        outcome.variant = variant;
        std::vector<Epoch<float>> typed;
        for (const AnyEpoch& epoch : epochs) typed.push_back(std::get<Epoch<float>>(epoch));
        MatchRequest request;
        request.variant = variant;
        request.rule = rule;
        if (!typed.empty()) {
            request.channels = typed.front().channels();
            request.samples = typed.front().samples();
        }
        outcome.variant = resolve(request);
        if (typed.empty() || request.channels == 0) return outcome;
        backend_.makeCurrent();
        if (const Support support = supportsVariant(outcome.variant, request); !support)
            throw UnavailableError(support.reason());
        const MatchPlan planned = plan(outcome.variant, request).value();
        outcome.times = FragmentMatching(backend_, {typed, rule, statistics}, outcome.variant, planned,
                                         bestStyle(backend_.gl()), progress)
                            .run();
        return outcome;
    }

  private:
    bool isLegacy() const { return backend_.dialect() == Dialect::Gl21; }

    /// The fastest exact variant that is supported.
    Variant resolve(const MatchRequest& request) const {
        const bool isShort = request.samples > 0 && request.samples < kShortestRanked;
        const bool areFew =
            request.channels > 0 && request.channels < kFewestPartners && !backend_.isEmulated();
        const bool isSmall = isShort || areFew;
        return variants().resolve(request.variant, [&](Variant one) {
            const bool isSlower =
                one != Variant::Packed && isSmall && supportsVariant(Variant::Packed, request);
            return !isSlower && supportsVariant(one, request);
        });
    }

    Support supportsVariant(Variant variant, const MatchRequest& request) const {
        if (isLegacy() && (variant == Variant::Dominance || variant == Variant::Bitset))
            return Support::no(fmt::format(
                "{} needs integer textures, which OpenGL 2.1 lacks; packed does not", toString(variant)));
        switch (variant) {
            case Variant::Scalar:
            case Variant::Packed:
                break;
            case Variant::Dominance:
                if (request.rule.m != 1)
                    return Support::no(
                        fmt::format("dominance counts templates of m = 1, not {}", request.rule.m));
                [[fallthrough]];
            case Variant::Bitset:
                if (request.samples > kMaxRankedSamples)
                    return Support::no(fmt::format("{} takes epochs of {} samples at most, not {}",
                                                   toString(variant), kMaxRankedSamples, request.samples));
                break;
            default:
                return variants().supports(variant);
        }
        if (request.samples == 0) return Support::yes();
        const glycine::gl::GlLimits& limits = backend_.gl().limits;
        if (const std::size_t rounds = matchLayout(variant, request.samples, request.rule.m).loopRounds;
            !backend_.loopLimit().allows(rounds))
            return Support::no(fmt::format(
                "{} takes up to {} rounds of loops in a fragment for epochs of {} samples and m = {}, "
                "and this driver ends loops after {}",
                toString(variant), rounds, request.samples, request.rule.m, backend_.loopLimit().rounds));
        if (plan(variant, request)) return Support::yes();
        const std::string pair = fmt::format("a pair of epochs of {} samples", request.samples);
        const std::size_t needed = bytesForOnePair(matchLayout(variant, request.samples, request.rule.m),
                                                   request.samples, request.rule.m, limits);
        if (const std::size_t free = backend_.textures().bytesFree(); needed > free)
            return Support::no(lackOfDeviceMemory(fmt::format("{}: {}", toString(variant), pair),
                                                  static_cast<double>(needed), free));
        return Support::no(fmt::format("{} finds no room for {} in textures of {} x {} texels",
                                       toString(variant), pair, limits.maxTextureSize,
                                       limits.maxTextureSize));
    }

    std::optional<MatchPlan> plan(Variant variant, const MatchRequest& request) const {
        return planMatching(matchLayout(variant, request.samples, request.rule.m), request.samples,
                            request.rule.m, backend_.gl().limits, backend_.textures().bytesFree());
    }

    glycine::gl::GlBackend& backend_;
};

}  // namespace

Implementation<MatchEngine> matchEngine() {
    return implementWith<MatchEngine, GlMatchEngine, glycine::gl::GlBackend>(variants());
}

}  // namespace glycine::crossapen::gl
