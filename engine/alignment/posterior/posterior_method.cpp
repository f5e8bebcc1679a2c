#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "engine/alignment/method.hpp"
#include "engine/alignment/method_choice.hpp"
#include "engine/alignment/posterior/posterior_alignment.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::align {

namespace {

PosteriorRequest posteriorRequestFor(const Sequences& sequences, const AlignOptions& options) {
    return {.variant = options.variant, .sequences = sequences.size(), .longest = sequences.longest()};
}

class PosteriorMethod final : public Method {
  public:
    MethodTraits traits() const override {
        static constexpr std::array<LackedOption, 1> kLacks{{{"--tile", "is for --clustalw and --thesis"}}};
        return {.flag = "--accurate",
                .description = "maximum expected accuracy over posteriors of residue pairs",
                .similarity = "expected accuracy of pairs",
                .hasPosteriors = true,
                .lacks = kLacks};
    }

    Support supports(Backend& backend, const Sequences& sequences,
                     const AlignOptions& options) const override {
        return supportsRequest(backend, posteriorRequestFor(sequences, options));
    }

    void requireMemory(const Sequences& sequences, const AlignOptions& options) const override {
        requireHostMemory(fmt::format("the posteriors of all pairs of {}; --fast takes much less",
                                      formatCount(sequences.size(), "sequence")),
                          bytesOfPosteriors(sequences, posteriorOptionsOf(sequences.size(), options)));
    }

    AlignmentResult align(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                          Progress& progress) const override {
        const std::unique_ptr<PosteriorEngine> engine = createPosteriorEngine(backend);
        if (const Support support = engine->supports(posteriorRequestFor(sequences, options)); !support)
            throw UnavailableError(support.reason());
        PosteriorAlignmentOptions how = posteriorOptionsOf(sequences.size(), options);
        how.seed = options.seed;
        how.endsWithTree = options.endsWithTree;
        how.kept = options.kept;
        how.recount = options.recount;
        how.joinsNeighbours = options.treeMethod == trees::TreeMethod::NeighbourJoining;
        const std::optional<trees::Tree> guideTree = givenTree(sequences.size(), options, progress);
        if (guideTree) how.guideTree = resolved(rooted(*guideTree));
        const std::unique_ptr<PosteriorRun> run = engine->start(sequences);
        PosteriorAlignment found = alignByPosteriors(sequences, *run, how, progress);
        AlignmentResult result;
        result.alignment.alphabet = sequences.alphabet;
        result.alignment.names = sequences.names;
        if (!options.endsWithTree)
            result.alignment.rows = letteredRows(sequences, found.columns, found.width);
        result.distances = std::move(found.distances);
        result.alignment.order = std::move(found.order);
        result.alignment.confidence = std::move(found.confidences);
        result.alignment.guideTree = guideTree ? *guideTree : std::move(found.guideTree);
        result.report.stages = std::move(found.stages);
        result.report.variant = run->variantName();
        result.report.note = std::move(found.note);
        return result;
    }
};

}  // namespace

const Method& posteriorMethod() {
    static const PosteriorMethod method;
    return method;
}

}  // namespace glycine::align
