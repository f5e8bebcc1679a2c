#include "engine/algorithms/align/clustalw/profile.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

namespace glycine::align::clustalw {

namespace {

constexpr std::size_t kNearGap = 4;
constexpr std::size_t kShortRun = 3;

/// In hundredths, of the 20 amino acids by their codes: the factors of Thompson, Higgins and Gibson's table
/// 1, taken from Pascarella and Argos, less 20, as the program has them; asparagine 0.63, which the table
/// rounds otherwise.
const std::array<int, kMostCodes>& residueFactors() {
    static const std::array<int, kMostCodes> factors = [] {
        std::array<int, kMostCodes> all{};
        constexpr std::string_view kResidues = "ACDEFGHIKLMNPQRSTVYW";
        constexpr std::array<int, 20> kPropensities{113, 113, 96, 131, 120, 61, 100, 132, 96,  121,
                                                    129, 63,  74, 107, 72,  76, 89,  125, 100, 123};
        for (std::size_t k = 0; k < kResidues.size(); ++k)
            all[codeOf(Alphabet::Protein, kResidues[k])] = kPropensities[k] - 20;
        return all;
    }();
    return factors;
}

bool isHydrophilic(std::uint8_t code) {
    static const std::array<bool, kMostCodes> hydrophilic = [] {
        std::array<bool, kMostCodes> all{};
        for (const char letter : std::string_view("GPSNDQEKR")) all[codeOf(Alphabet::Protein, letter)] = true;
        return all;
    }();
    return hydrophilic[code];
}

/// Rows that have a gap in each column, those at the ends of rows left out.
std::vector<int> innerGaps(const Group& group) {
    std::vector<int> gaps(group.columns(), 0);
    for (const auto* row : group.rows) {
        const auto isResidue = [](std::uint8_t code) { return code != kGapCode; };
        const auto first = std::find_if(row->begin(), row->end(), isResidue);
        const auto last = std::find_if(row->rbegin(), row->rend(), isResidue).base();
        for (auto at = first; at < last; ++at)
            if (*at == kGapCode) ++gaps[static_cast<std::size_t>(at - row->begin())];
    }
    return gaps;
}

std::vector<bool> hydrophilicRuns(const Group& group) {
    std::vector<bool> isIn(group.columns(), false);
    for (const auto* row : group.rows)
        for (std::size_t begin = 0; begin < row->size();) {
            std::size_t end = begin;
            while (end < row->size() && isHydrophilic((*row)[end])) ++end;
            if (end - begin > kShortRun)
                std::fill(isIn.begin() + static_cast<std::ptrdiff_t>(begin),
                          isIn.begin() + static_cast<std::ptrdiff_t>(end), true);
            begin = end + 1;
        }
    return isIn;
}

/// Columns to the nearest one with a gap, 0 where there is none: as far as kNearGap to the left, one less to
/// the right.
std::size_t distanceToGap(const std::vector<int>& gaps, std::size_t column) {
    for (std::size_t distance = 1; distance <= kNearGap; ++distance) {
        if (column >= distance && gaps[column - distance] > 0) return distance;
        if (distance < kNearGap && column + distance < gaps.size() && gaps[column + distance] > 0)
            return distance;
    }
    return 0;
}

/// In hundredths, rounded down; a gap, which is one at the end of a row here, has the factor 0.
int residueFactor(const Group& group, std::size_t column) {
    int sum = 0;
    for (const auto* row : group.rows)
        if ((*row)[column] != kGapCode) sum += residueFactors()[(*row)[column]];
    return sum / static_cast<int>(group.rows.size());
}

Profile emptyProfile(const Group& group) {
    Profile profile;
    profile.size = group.columns();
    profile.values.assign(profile.size * kMostCodes, 0);
    profile.open.assign(profile.size + 1, 0);
    profile.extend.assign(profile.size + 1, 0);
    return profile;
}

std::array<int, kMostCodes> columnWeights(const Group& group, std::size_t column) {
    std::array<int, kMostCodes> weights{};
    for (std::size_t k = 0; k < group.rows.size(); ++k) weights[(*group.rows[k])[column]] += group.weights[k];
    return weights;
}

}  // namespace

void setPenalties(Profile& profile, const Group& group, const GapCosts& costs) {
    const std::vector<int> gaps = innerGaps(group);
    const std::vector<bool> runs = hydrophilicRuns(group);
    const auto rows = static_cast<double>(group.rows.size());
    for (std::size_t column = 0; column < profile.size; ++column) {
        double open = costs.open;
        double extend = costs.extend;
        if (gaps[column] > 0) {
            open *= (rows - gaps[column]) / rows;
            extend *= 0.5;
        } else {
            const std::size_t distance = distanceToGap(gaps, column);
            if (distance > 0) open *= 2.0 + 2.0 * static_cast<double>(kNearGap - distance) / kNearGap;
            if (costs.isProtein) open *= runs[column] ? 0.5 : residueFactor(group, column) / 100.0;
        }
        profile.open[column + 1] = std::max(static_cast<int>(open), 1);
        profile.extend[column + 1] = std::max(static_cast<int>(extend), 1);
    }
    for (const std::size_t end : {std::size_t{0}, profile.size}) profile.open[end] = profile.extend[end] = 0;
}

Profile scoreProfile(const Group& group, const SubstitutionMatrix& scores) {
    Profile profile = emptyProfile(group);
    const std::vector<int> gaps = innerGaps(group);
    const auto rows = static_cast<double>(group.rows.size());
    const int all = std::accumulate(group.weights.begin(), group.weights.end(), 0);
    for (std::size_t column = 0; column < profile.size; ++column) {
        const std::array<int, kMostCodes> weights = columnWeights(group, column);
        const double share = (rows - gaps[column]) / rows;
        for (std::size_t code = 0; code < scores.size; ++code) {
            int sum = 0;
            for (std::size_t residue = 0; residue < scores.size; ++residue)
                sum += weights[residue] * scores.scores[residue][code];
            profile.values[column * kMostCodes + code] = static_cast<int>(sum * share / all);
        }
    }
    return profile;
}

Profile frequencyProfile(const Group& group) {
    Profile profile = emptyProfile(group);
    const int all = std::accumulate(group.weights.begin(), group.weights.end(), 0);
    for (std::size_t column = 0; column < profile.size; ++column) {
        const std::array<int, kMostCodes> weights = columnWeights(group, column);
        for (std::size_t code = 0; code < kGapCode; ++code)
            profile.values[column * kMostCodes + code] = 10 * weights[code] / all;
    }
    return profile;
}

}  // namespace glycine::align::clustalw
