#include "engine/alignment/fast/profile_refinement.hpp"

#include <utility>
#include <vector>

#include "engine/alignment/gap_split.hpp"
#include "engine/core/random.hpp"

namespace glycine::align {

namespace {

/// Some of the sequences of an alignment, without the columns in which none of them has a residue.
struct Part {
    std::vector<std::size_t> sequences;
    std::vector<std::uint32_t> columns;  ///< of the alignment
    ColumnProfile profile;
};

void fillPart(Part& part, const JoinedSequences& alignment, const Sequences& sequences,
              std::span<const double> weights, const ProfileJoiner& joiner) {
    std::vector<std::uint32_t> places(alignment.width, 0);
    for (const std::size_t x : part.sequences)
        for (const std::uint32_t column : alignment.columns[x]) places[column] = 1;
    for (std::uint32_t column = 0; column < places.size(); ++column)
        if (places[column] != 0) {
            places[column] = static_cast<std::uint32_t>(part.columns.size());
            part.columns.push_back(column);
        }
    part.profile = {.width = part.columns.size(), .counts = {}, .weight = 0};
    part.profile.counts.assign(part.columns.size() * joiner.letters(), 0);
    for (const std::size_t x : part.sequences) {
        part.profile.weight += weights[x];
        for (std::size_t i = 0; i < alignment.columns[x].size(); ++i)
            joiner.count(part.profile, places[alignment.columns[x][i]], sequences.codes[x][i], weights[x]);
    }
}

/// Moves the part's residues to the columns that the join gives to its own; `other` takes those of the rest.
void moveTo(const Part& part, std::span<const JoinStep> steps, JoinStep other, JoinedSequences& alignment) {
    std::vector<std::uint32_t> places(alignment.width, 0);
    std::size_t next = 0;
    for (std::uint32_t column = 0; column < steps.size(); ++column)
        if (steps[column] != other) places[part.columns[next++]] = column;
    for (const std::size_t x : part.sequences)
        for (std::uint32_t& column : alignment.columns[x]) column = places[column];
}

}  // namespace

void refineByProfiles(JoinedSequences& alignment, const Sequences& sequences, std::span<const double> weights,
                      const ProfileJoiner& joiner, std::size_t times, std::uint64_t seed,
                      Progress& progress) {
    progress.begin("refinement", static_cast<double>(times));
    RandomSequence random(seed);
    ProfileJoiner::Memory memory;
    for (std::size_t turn = 0; turn < times; ++turn) {
        progress.advance(1);
        GapSplit split = splitAtGap(alignment.order, alignment.columns, alignment.width, random);
        if (split.without.empty()) continue;
        Part with, without;
        with.sequences = std::move(split.with);
        without.sequences = std::move(split.without);
        fillPart(with, alignment, sequences, weights, joiner);
        fillPart(without, alignment, sequences, weights, joiner);
        const ProfileJoin join = joiner.join(with.profile, without.profile, memory);
        if (join.isRepeated) ++alignment.repeated;
        moveTo(with, join.steps, JoinStep::Second, alignment);
        moveTo(without, join.steps, JoinStep::First, alignment);
        alignment.width = join.steps.size();
    }
}

}  // namespace glycine::align
