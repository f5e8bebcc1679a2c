#include "engine/alignment/check_arguments.hpp"

#include <fmt/format.h>

#include <cmath>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/sequences/check_sequences.hpp"

namespace glycine::align {

namespace {

/// What only some methods have.
void checkMethodOptions(const AlignOptions& options) {
    const bool isAuto = options.method == AlignMethod::Auto;
    const bool isForAccuracy = options.method == AlignMethod::Accuracy || isAuto;
    const auto refuse = [&](const char* option) {
        throw UsageError(fmt::format("{} is not for the method {}", option, toString(options.method)));
    };
    if (options.method == AlignMethod::Fast && options.variant != pairwise::Variant::Default)
        refuse("a variant");
    if (options.method == AlignMethod::Fast && options.treeMethod) refuse("a tree method");
    if (!isForAccuracy && options.endsWithTree) refuse("an end with the tree");
    if (!isForAccuracy && options.kept != nullptr) refuse("a file of kept posteriors");
    if (!isForAccuracy && options.consistencyRounds) refuse("a number of rounds of consistency");
    if (!isForAccuracy && options.refinements) refuse("a number of refinements");
    constexpr std::size_t kMostRounds = 100;
    if (options.consistencyRounds.value_or(0) > kMostRounds)
        throw UsageError(fmt::format("{} rounds of consistency; expected 0 … {}", *options.consistencyRounds,
                                     kMostRounds));
    checkNumber("the budget of work", options.budgetSeconds,
                options.budgetSeconds > 0 && std::isfinite(options.budgetSeconds),
                "a finite number of seconds above 0");
    if (options.guideTree && options.distances)
        throw UsageError("a guide tree and distances exclude each other: the tree comes from the distances");
}

void checkDistances(std::size_t sequences, const std::vector<double>& distances) {
    checkCount("the distances", distances.size(), sequences * (sequences - 1) / 2,
               fmt::format("one for each pair of {} sequences", sequences));
    for (std::size_t j = 1, pair = 0; j < sequences; ++j)
        for (std::size_t i = 0; i < j; ++i, ++pair)
            if (!std::isfinite(distances[pair]))
                throw InputError(
                    fmt::format("the distance of sequences {} and {} is {}; expected a finite number", j + 1,
                                i + 1, distances[pair]));
}

}  // namespace

void checkAlignment(const Sequences& sequences, const AlignOptions& options) {
    checkKnown(options.method);
    checkKnown(options.variant);
    if (options.treeMethod) checkKnown(*options.treeMethod);
    checkMethodOptions(options);
    if (sequences.size() < 2) throw UsageError("an alignment needs at least two sequences");
    checkSequences(sequences);
    if (options.guideTree) checkGuideTree(*options.guideTree, sequences.size());
    if (options.distances) checkDistances(sequences.size(), *options.distances);
}

}  // namespace glycine::align
