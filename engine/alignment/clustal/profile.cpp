#include "engine/alignment/clustal/profile.hpp"

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

/// Columns in which at least one row of a hundred is in such a run.
std::vector<bool> hydrophilicRuns(const Group& group) {
    std::vector<std::size_t> rowsIn(group.columns(), 0);
    for (const auto* row : group.rows)
        for (std::size_t begin = 0; begin < row->size();) {
            std::size_t end = begin;
            while (end < row->size() && isHydrophilic((*row)[end])) ++end;
            if (end - begin > kShortRun)
                for (std::size_t column = begin; column < end; ++column) ++rowsIn[column];
            begin = end + 1;
        }
    std::vector<bool> isIn;
    for (const std::size_t rows : rowsIn) isIn.push_back(100 * rows >= group.rows.size());
    return isIn;
}

/// Of columns without a gap: how many columns away the one is that counts as near, 0 where none does. It is
/// the next one to the right that is less than kNearGap away, else the last one to the left up to kNearGap
/// away, even where that is nearer.
std::vector<std::size_t> distancesToGaps(const std::vector<int>& gaps) {
    std::vector<std::size_t> distances(gaps.size(), 0);
    std::size_t away = kNearGap + 1;
    for (std::size_t column = 0; column < gaps.size(); ++column) {
        away = gaps[column] > 0 ? 0 : std::min(away + 1, kNearGap + 1);
        if (away <= kNearGap) distances[column] = away;
    }
    away = kNearGap;
    for (std::size_t column = gaps.size(); column-- > 0;) {
        away = gaps[column] > 0 ? 0 : std::min(away + 1, kNearGap);
        if (away < kNearGap) distances[column] = away;
    }
    return distances;
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
    const std::vector<std::size_t> distances = distancesToGaps(gaps);
    const auto rows = static_cast<float>(group.rows.size());
    // Rounded down after each step, which are in single precision but for those near gaps.
    const int usual = static_cast<int>(costs.open);
    const auto opening = [&](std::size_t column) {
        if (gaps[column] > 0)
            return static_cast<int>((rows - static_cast<float>(gaps[column])) / rows *
                                    static_cast<float>(usual));
        if (!costs.isProtein) return usual;
        const auto factor = static_cast<float>(runs[column] ? 0.5 : residueFactor(group, column) / 100.0);
        const int open = static_cast<int>(factor * static_cast<float>(usual));
        if (distances[column] == 0) return open;
        return static_cast<int>(open *
                                (2.0 + 2.0 * static_cast<double>(kNearGap - distances[column]) / kNearGap));
    };
    const int extend = static_cast<int>(costs.extend);
    for (std::size_t column = 0; column < profile.size; ++column) {
        profile.open[column + 1] = std::max(opening(column), 1);
        profile.extend[column + 1] = std::max(gaps[column] > 0 ? extend / 2 : extend, 1);
    }
    for (const std::size_t end : {std::size_t{0}, profile.size}) profile.open[end] = profile.extend[end] = 0;
}

Profile scoreProfile(const Group& group, const SubstitutionMatrix& scores) {
    Profile profile = emptyProfile(group);
    const std::vector<int> gaps = innerGaps(group);
    const auto rows = static_cast<float>(group.rows.size());
    const auto all = static_cast<float>(std::accumulate(group.weights.begin(), group.weights.end(), 0));
    for (std::size_t column = 0; column < profile.size; ++column) {
        const std::array<int, kMostCodes> weights = columnWeights(group, column);
        const float share = (rows - static_cast<float>(gaps[column])) / rows;
        for (std::size_t code = 0; code < scores.size; ++code) {
            int sum = 0;
            for (std::size_t residue = 0; residue < scores.size; ++residue)
                sum += weights[residue] * scores.scores[residue][code];
            profile.values[column * kMostCodes + code] =
                static_cast<int>(static_cast<float>(sum) / all * share);
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
