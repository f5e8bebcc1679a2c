#include <fmt/format.h>

#include <array>
#include <utility>

#include "engine/alignment/fast/fast_alignment.hpp"
#include "engine/alignment/method.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::align {

namespace {

class FastMethod final : public Method {
  public:
    MethodTraits traits() const override {
        static constexpr std::array<LackedOption, 6> kLacks{{
            {"--distances-out", "is not for --fast"},
            {"--heat-map", "is not for --fast"},
            {"--guide-tree", "is not for --fast"},
            {"--tile", "is for --clustalw and --thesis"},
            {"--restart", "is not for --fast, of which nothing is kept"},
            {"--variant", "is of posteriors and pairs; --fast takes none of them"},
        }};
        return {.flag = "--fast",
                .description = "fast (profiles, along a tree of longest common subsequences)",
                .hasVariants = false,
                .hasTreeMethods = false,
                .lacks = kLacks};
    }

    Support supports(Backend& backend, const Sequences&, const AlignOptions&) const override {
        if (dynamic_cast<const HostBackend*>(&backend) == nullptr)
            return Support::no("profiles are aligned on the processor alone: backend cpu or reference");
        return Support::yes();
    }

    /// Rows have at least as many columns as the longest sequence has letters; beside them each residue's
    /// place.
    void requireMemory(const Sequences& sequences, const AlignOptions&) const override {
        const auto count = static_cast<double>(sequences.size()),
                   longest = static_cast<double>(sequences.longest());
        requireHostMemory(
            fmt::format("an alignment of {} of up to {}, at least", formatCount(sequences.size(), "sequence"),
                        formatCount(sequences.longest(), "letter")),
            count * longest + static_cast<double>(sequences.total()) * sizeof(std::uint32_t));
    }

    AlignmentResult align(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                          Progress& progress) const override {
        if (const Support support = supports(backend, sequences, options); !support)
            throw UnavailableError(support.reason());
        FastOptions how{.instructions = dynamic_cast<const HostBackend&>(backend).instructions(),
                        .isDouble = backend.name() == "reference",
                        .refinements = usualRefinements(sequences.size()),
                        .seed = options.seed};
        const std::optional<trees::Tree> guideTree = givenTree(sequences.size(), options, progress);
        if (guideTree) how.guideTree = resolved(rooted(*guideTree));
        FastAlignment found = alignFast(sequences, how, progress);
        AlignmentResult result;
        result.alignment.alphabet = sequences.alphabet;
        result.alignment.names = sequences.names;
        requireHostMemory(fmt::format("an alignment of {} with {}", formatCount(sequences.size(), "sequence"),
                                      formatCount(found.width, "column")),
                          static_cast<double>(sequences.size()) * static_cast<double>(found.width));
        result.alignment.rows = letteredRows(sequences, found.columns, found.width);
        result.alignment.order = std::move(found.order);
        result.alignment.guideTree = guideTree ? *guideTree : std::move(found.guideTree);
        result.report.stages = std::move(found.stages);
        result.report.variant = found.variant;
        if (found.repeated > 0)
            result.report.note = fmt::format("{} in double precision, whose sums float32 does not hold",
                                             formatCount(found.repeated, "join"));
        return result;
    }
};

}  // namespace

const Method& fastMethod() {
    static const FastMethod method;
    return method;
}

}  // namespace glycine::align
