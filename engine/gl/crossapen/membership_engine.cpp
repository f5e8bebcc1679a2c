#include "engine/gl/crossapen/membership_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/tiling.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/crossapen/prepared_signals.hpp"
#include "engine/gl/framework/framebuffer.hpp"

namespace glycine::crossapen::gl {

namespace {

/// Texels of a partner's templates that one fragment processes. Enough to hide the cost of starting and
/// writing, and few enough for pairs of short channels to keep a GPU busy.
constexpr std::size_t kTexelsPerBlock = 256;
constexpr std::size_t kBytesPerTexel = 16;
/// Size of a texture of sums beyond which nothing is gained.
constexpr std::size_t kMaxSumBytes = std::size_t{64} << 20;
/// Two textures of templates and one of sums; each has a third of the memory.
constexpr std::size_t kTextures = 3;

/// The longest templates with a specialised program.
constexpr unsigned kLongestKnown = 4;
constexpr double kLog2E = 1.44269504088896340736;

glycine::gl::TextureShape sumShape(const MembershipPlan& plan) {
    return {glycine::gl::TextureFormat::RGBA32F, {plan.texels, plan.rows * plan.channels * plan.blocks}};
}

float largestSize(MatrixView<const float> values) {
    float largest = 0;
    for (std::size_t row = 0; row < values.rows(); ++row)
        for (std::size_t column = 0; column < values.columns(); ++column)
            largest = std::max(largest, std::abs(values(row, column)));
    return largest;
}

class GlMemberships final : public MembershipEngine {
  public:
    explicit GlMemberships(glycine::gl::GlBackend& backend) : backend_(backend) {}

    Support supports(const MembershipRequest& request) const override {
        if (Support any = supportsMemberships(request); !any) return any;
        if (request.format != NumberFormat::Float32)
            return Support::misuse("the backend 'gl' sums memberships in float32: textures hold no float64");
        if (!(distanceWithoutMembership(request.rule) <= kLargestDistance))
            return Support::no(fmt::format(
                "memberships with n = {} and r = {} reach beyond float32; the backend 'cpu' takes them",
                request.rule.power, request.rule.tolerance));
        if (plan(request)) return Support::yes();
        const std::string templates = fmt::format("memberships of a channel of {} samples with m = {}",
                                                  samplesOf(request), request.rule.m);
        constexpr std::size_t kAnyMemory = std::numeric_limits<std::size_t>::max();
        const unsigned m = request.rule.m;
        if (planMemberships(1, templatesOf(request), m, backend_.gl().limits, backend_.loopLimit(),
                            kAnyMemory))
            return Support::no(lackOfDeviceMemory(
                templates, static_cast<double>(bytesForOneChannel(templatesOf(request), m)),
                backend_.textures().bytesFree()));
        return Support::no(fmt::format("{0} do not fit into textures of {1} x {1} texels", templates,
                                       backend_.gl().limits.maxTextureSize));
    }

    MatchOutcome sum(std::span<const AnyEpoch> epochs, const FuzzyRule& rule,
                     std::span<const MatrixView<MembershipSums>> sums, Progress& progress) override {
        MatchOutcome outcome;
        outcome.variant = Variant::Membership;
        if (epochs.empty()) return outcome;
        const auto& first = std::get<Epoch<float>>(epochs.front());
        if (first.channels() == 0) return outcome;
        MembershipRequest request;
        request.rule = rule;
        request.channels = first.channels();
        request.samples = first.samples();
        backend_.makeCurrent();
        const std::optional<MembershipPlan> planned = plan(request);
        if (!planned) throw UnavailableError(supports(request).reason());
        MembershipRun run(backend_, rule, *planned, first.samples(), progress);
        for (std::size_t e = 0; e < epochs.size(); ++e) run.sum(std::get<Epoch<float>>(epochs[e]), sums[e]);
        outcome.times = run.times();
        return outcome;
    }

  private:
    /// An unknown length counts as the shortest one.
    static std::size_t samplesOf(const MembershipRequest& request) {
        return request.samples != 0 ? request.samples : minimumSamples(request.rule.m, request.rule.delay);
    }
    static std::size_t templatesOf(const MembershipRequest& request) {
        return longTemplates(samplesOf(request), request.rule.m, request.rule.delay);
    }
    std::optional<MembershipPlan> plan(const MembershipRequest& request) const {
        return planMemberships(std::max<std::size_t>(request.channels, 1), templatesOf(request),
                               request.rule.m, backend_.gl().limits, backend_.loopLimit(),
                               backend_.textures().bytesFree());
    }

    glycine::gl::GlBackend& backend_;
};

}  // namespace

std::size_t bytesForOneChannel(std::size_t templates, unsigned m) {
    const std::size_t texels = roundUp(templates, kTemplatesPerTexel) / kTemplatesPerTexel;
    const std::size_t blocks = (texels + kTexelsPerBlock - 1) / kTexelsPerBlock;
    return kTextures * texels * kBytesPerTexel * std::max<std::size_t>(std::size_t{m} + 1, blocks);
}

std::optional<MembershipPlan> planMemberships(std::size_t channels, std::size_t templates, unsigned m,
                                              const glycine::gl::GlLimits& limits,
                                              const glycine::gl::LoopLimit& loops, std::size_t freeBytes) {
    const auto side = static_cast<std::size_t>(limits.maxTextureSize);
    MembershipPlan plan;
    plan.texels = roundUp(templates, kTemplatesPerTexel) / kTemplatesPerTexel;
    if (plan.texels > side) return {};
    plan.texelsPerBlock = std::min(plan.texels, kTexelsPerBlock);
    // One round per texel, one per sample, and those of the groups.
    const std::size_t rounds = std::size_t{m} + 2;
    while (plan.texelsPerBlock > 0 && !loops.allows(plan.texelsPerBlock * rounds)) --plan.texelsPerBlock;
    if (plan.texelsPerBlock == 0) return {};
    plan.blocks = roundUp(plan.texels, plan.texelsPerBlock) / plan.texelsPerBlock;

    const std::size_t most = std::min(freeBytes / kTextures, limits.maxTextureBytes);
    const std::size_t lineBytes = plan.texels * kBytesPerTexel;
    const std::size_t templateLines = std::min(side, most / lineBytes);
    const std::size_t sumLines = std::min(side, std::min(most, kMaxSumBytes) / lineBytes);
    plan.channels = std::min(
        {channels, templateLines / (std::size_t{m} + 1), std::min(side, most / lineBytes) / plan.blocks});
    if (plan.channels == 0) return {};
    plan.rows = std::clamp<std::size_t>(sumLines / (plan.channels * plan.blocks), 1, plan.channels);
    return plan;
}

double distanceWithoutMembership(const FuzzyRule& rule) {
    // Memberships below 2⁻¹²⁵ are zero, and 2⁷ > 125.
    return 2 * std::pow(128 / kLog2E * rule.tolerance, 1 / rule.power);
}

MembershipRun::MembershipRun(glycine::gl::GlBackend& backend, const FuzzyRule& rule,
                             const MembershipPlan& plan, std::size_t samples, Progress& progress)
    : backend_(backend),
      rule_(rule),
      plan_(plan),
      samples_(samples),
      templates_(longTemplates(samples, rule.m, rule.delay)),
      progress_(progress),
      target_(backend.textures(), sumShape(plan)),
      clock_(backend) {}

void MembershipRun::sum(const Epoch<float>& epoch, MatrixView<MembershipSums> sums) {
    backend_.budget().restart("crossapen/sum_memberships.frag");
    clock_.restart();
    const std::vector<Range> groups = splitRange(epoch.channels(), plan_.channels);
    for (const Range& rows : groups) {
        const Group rowGroup = upload(epoch, rows);
        const auto sumWith = [&](const Group& partners) {
            for (const Range& part : splitRange(rows.size(), plan_.rows))
                sumRows({rows.begin + part.begin, rows.begin + part.end}, rowGroup, partners, sums);
        };
        sumWith(rowGroup);
        for (const Range& partners : groups)
            if (partners.begin > rows.begin) sumWith(upload(epoch, partners));
    }
    backend_.canary().check("summing memberships");

    const auto templates = static_cast<double>(templates_);
    for (std::size_t a = 0; a < epoch.channels(); ++a)
        for (std::size_t b = a; b < epoch.channels(); ++b) {
            // Without their baseline, templates of one sample are all zero.
            if (rule_.m == 1) sums(a, b).shortSum = templates * (a == b ? templates - 1 : templates);
            sums(b, a) = sums(a, b);
        }
}

/// The last texel may have room for more templates than there are. Padding templates are so far away that
/// they have no membership with any template.
MembershipRun::Group MembershipRun::upload(const Epoch<float>& epoch, const Range& channels) {
    const std::size_t length = std::size_t{rule_.m} + 1;
    Matrix<float> texels(channels.size() * length, plan_.texels * kTemplatesPerTexel, 0);
    for (std::size_t c = 0; c < channels.size(); ++c)
        subtractBaselines(epoch.signals.row(channels.begin + c), 0, rule_.delay,
                          texels.view().block(c * length, 0, length, templates_));
    const float far = 4 * largestSize(texels.view()) + static_cast<float>(distanceWithoutMembership(rule_));
    for (std::size_t c = 0; c < channels.size(); ++c)
        for (std::size_t i = templates_; i < texels.columns(); ++i) {
            texels(c * length, i) = -far;
            texels(c * length + 1, i) = far;
        }
    clock_.finishStage(times_.prepare);
    Group group{
        {backend_.textures(), {glycine::gl::TextureFormat::RGBA32F, {plan_.texels, plan_.channels * length}}},
        channels};
    group.texture->upload(texels.data(), {{0, 0}, {plan_.texels, texels.rows()}},
                          static_cast<int>(plan_.texels));
    clock_.finishStage(times_.upload);
    return group;
}

void MembershipRun::sumRows(const Range& rows, const Group& rowGroup, const Group& partners,
                            MatrixView<MembershipSums> sums) {
    for (std::size_t a = rows.begin; a < rows.end; ++a) {
        const std::size_t firstLine = (a - rows.begin) * plan_.channels * plan_.blocks;
        // Compute each pair once: pairs with earlier channels are done.
        const Range others{std::max(a + 1, partners.channels.begin), partners.channels.end};
        if (a >= partners.channels.begin) draw(a, firstLine, rowGroup, partners, {a, a + 1}, true);
        if (others.begin < others.end) draw(a, firstLine, rowGroup, partners, others, false);
    }
    clock_.finishStage(times_.compute);
    read(rows, partners.channels, sums);
    clock_.finishStage(times_.download);
}

void MembershipRun::draw(std::size_t row, std::size_t firstLine, const Group& rowGroup, const Group& partners,
                         const Range& partnerRange, bool isSelf) {
    const bool isAnyLength = rule_.m > kLongestKnown;
    const bool isSquare = rule_.power == 2;
    glycine::gl::ShaderDefines defines;
    if (!isAnyLength) defines.push_back({"LENGTH", std::to_string(rule_.m)});
    if (isSquare) defines.push_back({"SQUARE", ""});
    if (isSelf) defines.push_back({"SELF", ""});
    glycine::gl::FragmentPass pass = backend_.pass("crossapen/sum_memberships.frag", defines);
    pass.input("rowTemplates", *rowGroup.texture)
        .input("columnTemplates", *partners.texture)
        .output(target_.framebuffer())
        .uniform("row", static_cast<int>(row - rowGroup.channels.begin))
        .uniform("templates", static_cast<int>(templates_))
        .uniform("firstLine", static_cast<int>(firstLine))
        .uniform("blocks", static_cast<int>(plan_.blocks))
        .uniform("texels", static_cast<int>(plan_.texels))
        .uniform("texelsPerBlock", static_cast<int>(plan_.texelsPerBlock))
        .uniform("scale", static_cast<float>(-kLog2E / rule_.tolerance));
    if (!isSquare) pass.uniform("power", static_cast<float>(rule_.power));
    if (isAnyLength) pass.uniform("m", static_cast<int>(rule_.m));

    const std::size_t skipped = partnerRange.begin - partners.channels.begin;
    const glycine::gl::Rectangle region{{0, firstLine + skipped * plan_.blocks},
                                        {plan_.texels, partnerRange.size() * plan_.blocks}};
    // Work is counted in comparisons of samples.
    const double workPerTexel = static_cast<double>(kTemplatesPerTexel * kTemplatesPerTexel *
                                                    plan_.texelsPerBlock * (std::size_t{rule_.m} + 1));
    const double samples = static_cast<double>(samples_);
    const double ordered =
        (isSelf ? 1.0 : 2.0) * static_cast<double>(partnerRange.size()) * samples * samples;
    const double area = static_cast<double>(region.size.x) * region.size.y;
    glycine::gl::drawInPieces(backend_.budget(), region, workPerTexel,
                              [&](const glycine::gl::Rectangle& rect) {
                                  pass.draw(rect);
                                  progress_.advance(ordered * rect.size.x * rect.size.y / area);
                              });
}

void MembershipRun::read(const Range& rows, const Range& partners, MatrixView<MembershipSums> sums) {
    const std::size_t lines = plan_.channels * plan_.blocks;
    for (std::size_t a = rows.begin; a < rows.end; ++a)
        for (std::size_t b = std::max(a, partners.begin); b < partners.end; ++b) sums(a, b) = {};
    glycine::gl::readInBands<float>(target_, 0, [&](int firstLine, int count, const float* texels) {
        for (int line = 0; line < count; ++line, texels += 4 * plan_.texels) {
            const std::size_t place = static_cast<std::size_t>(firstLine + line);
            const std::size_t a = rows.begin + place / lines;
            const std::size_t b = partners.begin + place % lines / plan_.blocks;
            if (a >= rows.end || b >= partners.end || b < a) continue;
            for (std::size_t x = 0; x < plan_.texels; ++x) {
                sums(a, b).shortSum += double{texels[4 * x]} + double{texels[4 * x + 1]};
                sums(a, b).longSum += double{texels[4 * x + 2]} + double{texels[4 * x + 3]};
            }
        }
    });
}

Implementation<MembershipEngine> membershipEngine() {
    static const VariantTable<Variant> variants(
        "gl", {"float32"},
        {{Variant::Membership, "four templates by four a step, sums in groups; each pair of channels once",
          "Chen et al. 2007; Xie et al. 2010", allDialects()}});
    return implementWith<MembershipEngine, GlMemberships, glycine::gl::GlBackend>(variants);
}

}  // namespace glycine::crossapen::gl
