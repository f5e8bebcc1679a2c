#include "engine/gl/crossapen/fragment_matching.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/core/parallel.hpp"
#include "engine/crossapen/pair_entropies.hpp"
#include "engine/gl/crossapen/match_tables.hpp"

namespace glycine::crossapen::gl {

namespace {

/// The budget's unit of work is a step of a fragment's inner loop.
double workOfFragment(Variant variant, std::size_t samples, std::size_t templates) {
    const double lookups = variant == Variant::Dominance ? 8
                           : variant == Variant::Bitset  ? static_cast<double>(setTexels(samples)) * 4
                                                         : static_cast<double>(samples);
    return lookups * static_cast<double>(templates);
}

}  // namespace

MatchingStyle bestStyle(const glycine::gl::GlCapabilities& capabilities) {
    return {capabilities.features.bitCount, capabilities.bugs.slowBitCount, capabilities.bugs.slowTexelFetch};
}

const char* matchingShader(Variant variant) {
    switch (variant) {
        case Variant::Scalar:
            return "crossapen/match_scalar.frag";
        case Variant::Packed:
            return "crossapen/match_packed.frag";
        case Variant::Bitset:
            return "crossapen/match_bitset.frag";
        default:
            return "crossapen/match_dominance.frag";
    }
}

glycine::gl::ShaderDefines matchingDefines(Variant variant, unsigned m, int rowBits,
                                           const MatchingStyle& style, bool isLegacy) {
    if (isLegacy) return {{"ROW_TEXELS", fmt::format("{}.0", 1 << rowBits)}, {"M", std::to_string(m)}};
    glycine::gl::ShaderDefines result{
        {"UNSIGNED", ""}, {"OUTPUTS", "2"}, {"ROW_BITS", std::to_string(rowBits)}};
    if (variant == Variant::Dominance)
        result.push_back({"TEMPLATES", std::to_string(kTemplatesPerSearch)});
    else
        result.push_back({"M", std::to_string(m)});
    if (variant == Variant::Bitset) result.push_back({"TEMPLATES", std::to_string(kTemplatesPerSets)});
    const bool counts = variant == Variant::Dominance || variant == Variant::Bitset;
    if (counts && style.bitCount) result.push_back({"BIT_COUNT", ""});
    if (variant == Variant::Bitset && style.carrySave) result.push_back({"CARRY_SAVE", ""});
    if (style.normalised) result.push_back({"NORMALISED", ""});
    return result;
}

FragmentMatching::FragmentMatching(glycine::gl::GlBackend& backend, const Task& task, Variant variant,
                                   const MatchPlan& plan, const MatchingStyle& style, Progress& progress)
    : clock_(backend),
      backend_(backend),
      threads_(backend.isEmulated() ? 1 : omp_get_max_threads()),
      epochs_(task.epochs),
      rule_(task.rule),
      variant_(variant),
      style_(style),
      statistics_(task.statistics),
      progress_(progress),
      channels_(epochs_.front().channels()),
      samples_(epochs_.front().samples()),
      layout_(matchLayout(variant, samples_, rule_.m)),
      plan_([&] {
          const std::size_t all = epochs_.size() * channels_;
          MatchPlan needed = plan;
          needed.partners = std::min(plan.partners, all);
          needed.templates = std::min(plan.templates, all);
          needed.rows = std::min(plan.rows, all * channels_);
          return needed;
      }()),
      sums_(backend, plan_.rows, plan_.columns, layout_.templatesPerFragment),
      pairs_(backend.textures(), glycine::gl::TextureFormat::RGBA32F, plan_.width, plan_.rows),
      signals_(backend.textures(), layout_.signal.format, plan_.width,
               plan_.templates * layout_.signal.texels) {
    // Compile while the host sorts channels.
    backend.beginCompiling(matchingShader(variant), defines());
    if (variant == Variant::Scalar || variant == Variant::Packed)
        partnerSignals_.emplace(backend.textures(), layout_.signal.format, plan_.width,
                                plan_.partners * layout_.signal.texels);
    else
        tables_.emplace(backend, variant, samples_, rule_.m, plan_, style_);
}

MatchTimes FragmentMatching::run() {
    parallelFor(threads_, statistics_.size(), [&](std::size_t e, std::size_t) {
        for (std::size_t a = 0; a < channels_; ++a)
            std::fill_n(statistics_[e].row(a), channels_, MatchStatistics{});
    });
    uploadLogarithms();
    const std::size_t epochsAtOnce =
        std::max<std::size_t>(1, std::min(plan_.partners, plan_.templates) / channels_);
    for (const Range epochs : splitRange(epochs_.size(), epochsAtOnce))
        for (const Range partners : splitRange(channels_, plan_.partners)) {
            preparePartners({epochs, partners});
            for (const Range templates : splitRange(channels_, plan_.templates)) {
                prepareTemplates({epochs, templates});
                matchGroups({epochs, templates}, {epochs, partners});
            }
            backend_.canary().check("matching templates");
        }
    return times_;
}

glycine::gl::ShaderDefines FragmentMatching::defines() const {
    return matchingDefines(variant_, rule_.m, plan_.width.rowBits, style_,
                           backend_.dialect() == Dialect::Gl21);
}

void FragmentMatching::uploadLogarithms() {
    const LogTable table(samples_);
    if (backend_.dialect() == Dialect::Gl21) {
        sums_.addOnHost(table, samples_ - rule_.m);
        return;
    }
    logarithms_.emplace(backend_.textures(), glycine::gl::TextureFormat::RGBA32UI, plan_.width, samples_ + 1);
    for (std::size_t count = 0; count <= samples_; ++count) {
        const auto logarithm = static_cast<std::uint64_t>(table[count]);
        std::uint32_t* const texel = logarithms_->texel(count);
        texel[0] = static_cast<std::uint32_t>(logarithm & ((1U << kLowerLogarithmBits) - 1));
        texel[1] = static_cast<std::uint32_t>(logarithm >> kLowerLogarithmBits);
    }
    clock_.finishHostStage(times_.prepare);
    logarithms_->upload(samples_ + 1);
    clock_.finishStage(times_.upload);
}

float FragmentMatching::toleranceOf(const Epoch<float>& epoch, std::size_t a, std::size_t b) const {
    const float r = epoch.toleranceOf(a, b);
    if (!rule_.isStrict) return r;
    // Distances are never below 0. The number before 0 must not go to a device, which may flush it to 0.
    return r > 0 ? std::nextafter(r, 0.0F) : -1.0F;
}

void FragmentMatching::storeSamples(FloatTable& table, const TableShape& shape, std::size_t slot,
                                    std::size_t lead, const Epoch<float>& epoch, std::size_t channel) const {
    float* const first = table.texel(slot * shape.texels) + lead;
    float* const end = std::copy_n(epoch.signals.row(channel), samples_, first);
    std::fill(end, table.texel((slot + 1) * shape.texels), 0.0F);
}

void FragmentMatching::preparePartners(const Group& group) {
    std::vector<float> largest;  // largest tolerance per epoch
    for (std::size_t e = group.epochs.begin; e < group.epochs.end; ++e)
        largest.push_back(std::max(1.0F, *std::ranges::max_element(epochs_[e].tolerance)));
    parallelFor(threads_, group.size(), [&](std::size_t slot, std::size_t) {
        const std::size_t e = slot / group.channels.size();
        const Epoch<float>& epoch = epochs_[group.epochs.begin + e];
        const std::size_t channel = group.channels.begin + slot % group.channels.size();
        if (tables_)
            tables_->sort(slot, {epoch.signals.row(channel), samples_}, largest[e]);
        else
            storeSamples(*partnerSignals_, layout_.signal, slot, 0, epoch, channel);
    });
    clock_.finishHostStage(times_.prepare);
    if (tables_)
        tables_->upload(group.size());
    else
        partnerSignals_->upload(group.size() * layout_.signal.texels);
    clock_.finishStage(times_.upload);
    if (tables_) tables_->draw(group.size());
    clock_.finishStage(times_.compute);
    backend_.budget().restart(glycine::gl::nameOf(
        matchingShader(variant_), matchingDefines(variant_, rule_.m, plan_.width.rowBits, style_)));
}

void FragmentMatching::prepareTemplates(const Group& group) {
    for (std::size_t slot = 0; slot < group.size(); ++slot)
        storeSamples(signals_, layout_.signal, slot, layout_.sampleLead,
                     epochs_[group.epochs.begin + slot / group.channels.size()],
                     group.channels.begin + slot % group.channels.size());
    clock_.finishHostStage(times_.prepare);
    signals_.upload(group.size() * layout_.signal.texels);
    clock_.finishStage(times_.upload);
}

void FragmentMatching::matchGroups(const Group& templates, const Group& partners) {
    std::vector<EpochPair> places;
    const auto flush = [&] {
        if (!places.empty()) matchRows(places, templates, partners);
        places.clear();
    };
    // Rows with the same partner lie side by side, because they look up the same tables.
    for (std::size_t e = partners.epochs.begin; e < partners.epochs.end; ++e)
        for (std::size_t b = partners.channels.begin; b < partners.channels.end; ++b)
            for (std::size_t a = templates.channels.begin; a < templates.channels.end; ++a) {
                places.push_back({e, a, b});
                if (places.size() == plan_.rows) flush();
            }
    flush();
}

glycine::gl::FragmentPass FragmentMatching::matchingPass() {
    glycine::gl::FragmentPass pass = backend_.pass(matchingShader(variant_), defines());
    const auto input = [&](const std::string& name, const glycine::gl::Texture& texture) {
        pass.input(name, texture);
        if (style_.normalised) pass.uniform(name + "Texel", glycine::gl::texelSize(texture));
    };
    pass.output(sums_.target())
        .uniform("sampleStride", static_cast<int>(layout_.signal.texels))
        .uniform("samples", static_cast<int>(samples_));
    if (logarithms_) {
        input("logarithms", logarithms_->texture());
        pass.uniform("lastTemplate", static_cast<int>(samples_ - rule_.m));
    }
    input("pairs", pairs_.texture());
    input("signals", signals_.texture());
    if (partnerSignals_) input("partners", partnerSignals_->texture());
    if (tables_) {
        const bool isBitset = variant_ == Variant::Bitset;
        input("bins", tables_->bins());
        input("sortedSamples", tables_->sortedSamples());
        input(isBitset ? "prefixSets" : "prefixCounts", tables_->prefixes());
        pass.uniform("binCount", static_cast<int>(intervalBins(samples_)));
        if (isBitset) pass.uniform("setTexels", static_cast<int>(setTexels(samples_)));
    }
    return pass;
}

void FragmentMatching::matchRows(std::span<const EpochPair> places, const Group& templates,
                                 const Group& partners) {
    const auto slot = [](const Group& group, std::size_t epoch, std::size_t channel) {
        return static_cast<float>((epoch - group.epochs.begin) * group.channels.size() + channel -
                                  group.channels.begin);
    };
    for (std::size_t row = 0; row < places.size(); ++row) {
        const auto [e, a, b] = places[row];
        float* const texel = pairs_.texel(row);
        texel[0] = slot(templates, e, a);
        texel[1] = slot(partners, e, b);
        texel[2] = toleranceOf(epochs_[e], a, b);
        texel[3] = 0;
    }
    clock_.finishHostStage(times_.prepare);
    pairs_.upload(places.size());
    clock_.finishStage(times_.upload);

    const std::size_t all = layout_.fragments(shortTemplates(samples_, rule_.m));
    const double workOfPair = static_cast<double>(samples_) * static_cast<double>(samples_);
    for (const Range columns : splitRange(all, plan_.columns)) {
        const glycine::gl::Rectangle region{{0, 0}, {columns.size(), places.size()}};
        glycine::gl::FragmentPass pass = matchingPass();
        pass.uniform("firstColumn", static_cast<int>(columns.begin));
        glycine::gl::drawInPieces(
            backend_.budget(), region, workOfFragment(variant_, samples_, layout_.templatesPerFragment),
            [&](const glycine::gl::Rectangle& piece) {
                pass.draw(piece);
                progress_.advance(workOfPair * piece.size.y * piece.size.x / static_cast<double>(all));
            });
        sums_.reduce(places.size(), columns);
        clock_.finishStage(times_.compute);
        sums_.read(threads_, [&](std::size_t row, const MatchStatistics& sums) {
            const auto [e, a, b] = places[row];
            MatchStatistics& total = statistics_[e](a, b);
            total.logShort += sums.logShort;
            total.logLong += sums.logLong;
            total.noShort += sums.noShort;
            total.noLong += sums.noLong;
            total.noLongOnly += sums.noLongOnly;
            total.matchesShort += sums.matchesShort;
            total.matchesWithin += sums.matchesWithin;
            total.matchesLong += sums.matchesLong;
        });
        clock_.finishStage(times_.download);
    }
}

}  // namespace glycine::crossapen::gl
