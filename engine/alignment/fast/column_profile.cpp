#include "engine/alignment/fast/column_profile.hpp"

#include <algorithm>

#include "engine/alignment/cpu/profile_kernel.hpp"
#include "engine/alignment/posterior/heaviest_chain.hpp"
#include "engine/alignment/posterior/pair_model.hpp"

namespace glycine::align {

struct ProfileJoiner::Memory::Parts {
    template <class Number>
    struct Of {
        cpu::ProfileMemory<Number> kernel;
        cpu::JoinedProfiles<Number> pair;
        std::vector<Number> shares, odds[2], gaps;
    };
    Of<float> floats;
    Of<double> doubles;
    cpu::ProfileEntries found;
    std::vector<std::uint32_t> begins;
    std::vector<PosteriorEntry> entries;

    template <class Number>
    Of<Number>& of() {
        if constexpr (sizeof(Number) == sizeof(float))
            return floats;
        else
            return doubles;
    }
};

ProfileJoiner::Memory::Memory() : parts_(std::make_unique<Parts>()) {}
ProfileJoiner::Memory::~Memory() = default;
ProfileJoiner::Memory::Memory(Memory&&) noexcept = default;

ProfileJoiner::ProfileJoiner(const Sequences& sequences, InstructionSet instructions, bool isDouble)
    : alphabet_(sequences.alphabet), instructions_(instructions), isDouble_(isDouble) {
    std::array<bool, kMaxCodes> isPresent{};
    for (const auto& codes : sequences.codes)
        for (const std::uint8_t code : codes) isPresent[code] = true;
    for (std::uint8_t code = 0; code < kMaxCodes; ++code)
        if (isPresent[code]) {
            places_[code] = static_cast<std::uint8_t>(codes_.size());
            codes_.push_back(code);
        }
    const PairModel* const models[] = {&hiddenMarkovModel(alphabet_), &partitionModel(alphabet_)};
    for (std::size_t m = 0; m < 2; ++m)
        for (const std::uint8_t code : codes_)
            for (const std::uint8_t other : codes_) odds_[m].push_back(models[m]->odds[code][other]);
}

ColumnProfile ProfileJoiner::profileOf(std::span<const std::uint8_t> codes, double weight) const {
    ColumnProfile profile{.width = codes.size(), .counts = {}, .weight = weight};
    profile.counts.assign(codes.size() * letters(), 0);
    for (std::size_t i = 0; i < codes.size(); ++i)
        profile.counts[i * letters() + places_[codes[i]]] = static_cast<float>(weight);
    return profile;
}

ColumnProfile joined(const ColumnProfile& first, const ColumnProfile& second,
                     std::span<const JoinStep> steps) {
    const std::size_t letters = first.counts.size() / first.width;
    ColumnProfile both{.width = steps.size(), .counts = {}, .weight = first.weight + second.weight};
    both.counts.resize(steps.size() * letters);
    const float* left = first.counts.data();
    const float* right = second.counts.data();
    float* target = both.counts.data();
    for (const JoinStep step : steps) {
        if (step == JoinStep::Both)
            for (std::size_t k = 0; k < letters; ++k) target[k] = *left++ + *right++;
        else
            for (std::size_t k = 0; k < letters; ++k)
                target[k] = step == JoinStep::First ? *left++ : *right++;
        target += letters;
    }
    return both;
}

namespace {

// Chosen on the families of docs/results/align.md. They set how columns that already hold gaps are weighted.
/// Smaller posteriors of columns count as 0. The limit is below that for residues (kSmallestPosterior),
/// because columns with few letters have no large posterior and would stay unpaired.
constexpr double kSmallestOfColumns = 0.0005;
/// The odds of a letter against a gap, and of two gaps.
constexpr double kOddsOfLetterAndGap = 0.25;
constexpr double kOddsOfGaps = 0.25;
/// A gap that opens at a column in which a share o of the sequences has a letter weighs 1 + this (1 − o)
/// times as much.
constexpr double kOpenNextToGaps = 5;
/// For the partition function, whose gap opening was fitted to sequences: gaps in groups weigh this much
/// more.
constexpr double kPartitionOpen = 2;

/// The share of each letter in each column, and the share of sequences with a letter there.
struct Shares {
    std::vector<float> letters, occupancy;
    Shares(const ColumnProfile& profile, std::size_t count)
        : letters(profile.counts), occupancy(profile.width) {
        for (std::size_t column = 0; column < profile.width; ++column) {
            float* const here = letters.data() + column * count;
            double sum = 0;
            for (std::size_t k = 0; k < count; ++k) sum += static_cast<double>(here[k]);
            for (std::size_t k = 0; k < count; ++k)
                here[k] = static_cast<float>(static_cast<double>(here[k]) / sum);
            occupancy[column] = static_cast<float>(std::min(sum / profile.weight, 1.0));
        }
    }
};

template <class Number>
struct GapArrays {
    Number* open[kMaxGapKinds];
    Number* extend[kMaxGapKinds];
};

/// The weights of opening a gap at each column and of extending it; extending over missing letters costs
/// nothing.
template <class Number>
void fillGaps(const PairModel& model, double openFactor, const std::vector<float>& occupancy,
              GapArrays<Number>& arrays, bool isReversed) {
    for (std::size_t i = 0; i < occupancy.size(); ++i) {
        const std::size_t place = isReversed ? occupancy.size() - 1 - i : i + 1;
        const double occupied = static_cast<double>(occupancy[i]);
        const double factor = openFactor * (1 + kOpenNextToGaps * (1 - occupied));
        for (std::size_t kind = 0; kind < model.gapKinds; ++kind) {
            arrays.open[kind][place] = static_cast<Number>(factor * model.open[kind]);
            arrays.extend[kind][place] = static_cast<Number>(occupied * model.extend[kind] + (1 - occupied));
        }
    }
}

}  // namespace

template <class Number>
bool ProfileJoiner::findPosteriors(const ColumnProfile& first, const ColumnProfile& second,
                                   std::span<const std::uint32_t> path, Memory& memory) const {
    constexpr std::size_t kPadding = cpu::kProfilePadding;
    Memory::Parts& parts = *memory.parts_;
    auto& numbers = parts.of<Number>();
    cpu::JoinedProfiles<Number>& pair = numbers.pair;
    const std::size_t count = letters();
    Shares rows(first, count), columns(second, count);
    pair.rows = first.width;
    pair.columns = second.width;
    pair.components = count + 2;
    pair.rowStride = first.width + 1 + 2 * kPadding;
    pair.columnStride = second.width + 2 * kPadding;
    pair.cutoff = static_cast<Number>(kSmallestOfColumns);
    pair.cellsAtOnce = std::size_t{1} << 24;
    pair.path = path;
    pair.reach = kReach;

    // Let o and o' be the shares of letters in both columns, g the odds of a letter against a gap, and h the
    // odds of two gaps. Then o o' odds + (o (1 − o') + (1 − o) o') g + (1 − o) (1 − o') h equals o o' odds +
    // 1 (h + (g − h) o') + o (g − h + (h − 2 g) o').
    const auto gapToLetter = static_cast<Number>(kOddsOfLetterAndGap - kOddsOfGaps);
    const auto gapToLetters = static_cast<Number>(kOddsOfGaps - 2 * kOddsOfLetterAndGap);
    numbers.shares.assign(pair.components * pair.columnStride, 0);
    pair.shares = numbers.shares.data() + kPadding;
    for (std::size_t j = 0; j < second.width; ++j) {
        Number* const place = numbers.shares.data() + kPadding + second.width - 1 - j;
        const auto o = static_cast<Number>(columns.occupancy[j]);
        for (std::size_t k = 0; k < count; ++k)
            place[k * pair.columnStride] = o * static_cast<Number>(columns.letters[j * count + k]);
        place[count * pair.columnStride] = static_cast<Number>(kOddsOfGaps) + gapToLetter * o;
        place[(count + 1) * pair.columnStride] = gapToLetter + gapToLetters * o;
    }
    numbers.gaps.assign(8 * kMaxGapKinds * (pair.rowStride + pair.columnStride), 0);
    Number* next = numbers.gaps.data();
    const PairModel* const models[] = {&hiddenMarkovModel(alphabet_), &partitionModel(alphabet_)};
    for (std::size_t m = 0; m < 2; ++m) {
        const PairModel& model = *models[m];
        cpu::ProfileModel<Number>& target = pair.models[m];
        std::vector<Number>& odds = numbers.odds[m];
        odds.assign(pair.components * pair.rowStride, 0);
        target.odds = odds.data() + kPadding;
        for (std::size_t i = 0; i < first.width; ++i) {
            Number* const place = odds.data() + kPadding + 1 + i;
            const auto o = static_cast<Number>(rows.occupancy[i]);
            std::array<double, kMaxCodes> sums{};
            for (std::size_t l = 0; l < count; ++l) {
                // Most columns have few letters.
                const auto share = static_cast<double>(rows.letters[i * count + l]);
                if (share == 0) continue;
                const double* const beside = odds_[m].data() + l * count;
                for (std::size_t k = 0; k < count; ++k) sums[k] += share * beside[k];
            }
            for (std::size_t k = 0; k < count; ++k)
                place[k * pair.rowStride] = o * static_cast<Number>(sums[k]);
            place[count * pair.rowStride] = 1;
            place[(count + 1) * pair.rowStride] = o;
        }
        target.gapKinds = model.gapKinds;
        target.match = static_cast<Number>(model.match);
        GapArrays<Number> ofRows{}, ofColumns{};
        for (std::size_t kind = 0; kind < model.gapKinds; ++kind) {
            target.close[kind] = static_cast<Number>(model.close[kind]);
            const auto take = [&](std::size_t length) {
                Number* const taken = next + kPadding;
                next += length;
                return taken;
            };
            target.rowOpen[kind] = ofRows.open[kind] = take(pair.rowStride);
            target.rowExtend[kind] = ofRows.extend[kind] = take(pair.rowStride);
            target.columnOpen[kind] = ofColumns.open[kind] = take(pair.columnStride);
            target.columnExtend[kind] = ofColumns.extend[kind] = take(pair.columnStride);
        }
        const double openFactor = m == 0 ? 1 : kPartitionOpen;
        fillGaps(model, openFactor, rows.occupancy, ofRows, false);
        fillGaps(model, openFactor, columns.occupancy, ofColumns, true);
        target.rowLeads = model.leads(first.width);
        target.rowTrails = model.trails(first.width);
        target.columnLeads = model.leads(second.width);
        target.columnTrails = model.trails(second.width);
    }
    kernelFor<cpu::ProfileKernel<Number>>(instructions_).compute(pair, numbers.kernel, parts.found);
    return parts.found.isSound;
}

ProfileJoin ProfileJoiner::join(const ColumnProfile& first, const ColumnProfile& second,
                                std::span<const std::uint32_t> path, Memory& memory) const {
    ProfileJoin result;
    result.isRepeated = !isDouble_ && !findPosteriors<float>(first, second, path, memory);
    if (isDouble_ || result.isRepeated) findPosteriors<double>(first, second, path, memory);
    Memory::Parts& parts = *memory.parts_;
    const cpu::ProfileEntries& found = parts.found;
    // Sort by rows with ascending columns; the entries of a row come with descending columns.
    std::vector<std::uint32_t>& begins = parts.begins;
    begins.assign(first.width + 1, 0);
    for (const std::uint32_t row : found.rowOf) ++begins[row];
    for (std::size_t row = 1; row <= first.width; ++row) begins[row] += begins[row - 1];
    parts.entries.resize(found.entries.size());
    for (std::size_t k = 0; k < found.entries.size(); ++k)
        parts.entries[--begins[found.rowOf[k]]] = found.entries[k];
    HeaviestChain chain(second.width);
    for (std::size_t row = 0; row < first.width; ++row) {
        for (std::uint32_t k = begins[row]; k < begins[row + 1]; ++k)
            chain.offer(static_cast<std::uint32_t>(row), parts.entries[k].column,
                        static_cast<double>(parts.entries[k].value));
        chain.endRow();
    }
    std::vector<JoinStep>& steps = result.steps;
    steps.reserve(first.width + second.width);
    std::size_t i = 0, j = 0;
    const auto advanceTo = [&](std::size_t row, std::size_t column) {
        for (; i < row; ++i) steps.push_back(JoinStep::First);
        for (; j < column; ++j) steps.push_back(JoinStep::Second);
    };
    for (const auto& [row, column] : chain.best()) {
        advanceTo(row, column);
        steps.push_back(JoinStep::Both);
        ++i;
        ++j;
    }
    advanceTo(first.width, second.width);
    return result;
}

}  // namespace glycine::align
