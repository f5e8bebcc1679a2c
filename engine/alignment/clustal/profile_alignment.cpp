#include "engine/alignment/clustal/profile_alignment.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

namespace glycine::align::clustalw {

namespace {

constexpr std::size_t kNearGap = 4;
constexpr std::size_t kShortRun = 3;

/// The factors of the 20 amino acids in hundredths, less 20 as in the program. They are those of Thompson,
/// Higgins and Gibson's table 1, taken from Pascarella and Argos, except asparagine, 0.63, which the table
/// rounds differently.
const std::array<int, kMaxCodes>& residueFactors() {
    static const std::array<int, kMaxCodes> factors = [] {
        std::array<int, kMaxCodes> all{};
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
    static const std::array<bool, kMaxCodes> hydrophilic = [] {
        std::array<bool, kMaxCodes> all{};
        for (const char letter : std::string_view("GPSNDQEKR")) all[codeOf(Alphabet::Protein, letter)] = true;
        return all;
    }();
    return hydrophilic[code];
}

/// The number of rows with a gap in each column, without gaps at the ends of rows.
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

/// Columns in which at least 1 % of the rows are in a hydrophilic run.
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

/// For columns without a gap: the distance in columns to the gap that counts as near, 0 if there is none.
/// That gap is the next one to the right if it is less than kNearGap away. Otherwise it is the last one to
/// the left, up to kNearGap away. A near gap to the right wins even if the left one is nearer.
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

/// In hundredths, rounded down. Gaps in such a column can only be at the ends of rows; they have the factor
/// 0.
int residueFactor(const Group& group, std::size_t column) {
    int sum = 0;
    for (const auto* row : group.rows)
        if ((*row)[column] != kGapCode) sum += residueFactors()[(*row)[column]];
    return sum / static_cast<int>(group.rows.size());
}

Profile emptyProfile(const Group& group) {
    Profile profile;
    profile.size = group.columns();
    profile.values.assign(profile.size * kMaxCodes, 0);
    profile.open.assign(profile.size + 1, 0);
    profile.extend.assign(profile.size + 1, 0);
    return profile;
}

std::array<int, kMaxCodes> columnWeights(const Group& group, std::size_t column) {
    std::array<int, kMaxCodes> weights{};
    for (std::size_t k = 0; k < group.rows.size(); ++k) weights[(*group.rows[k])[column]] += group.weights[k];
    return weights;
}

}  // namespace

void setPenalties(Profile& profile, const Group& group, const GapCosts& costs) {
    const std::vector<int> gaps = innerGaps(group);
    const std::vector<bool> runs = hydrophilicRuns(group);
    const std::vector<std::size_t> distances = distancesToGaps(gaps);
    const auto rows = static_cast<float>(group.rows.size());
    // Rounded down after each step. The steps use single precision, except the one for columns near gaps.
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
        const std::array<int, kMaxCodes> weights = columnWeights(group, column);
        const float share = (rows - static_cast<float>(gaps[column])) / rows;
        for (std::size_t code = 0; code < scores.size; ++code) {
            int sum = 0;
            for (std::size_t residue = 0; residue < scores.size; ++residue)
                sum += weights[residue] * scores.scores[residue][code];
            profile.values[column * kMaxCodes + code] =
                static_cast<int>(static_cast<float>(sum) / all * share);
        }
    }
    return profile;
}

Profile frequencyProfile(const Group& group) {
    Profile profile = emptyProfile(group);
    const int all = std::accumulate(group.weights.begin(), group.weights.end(), 0);
    for (std::size_t column = 0; column < profile.size; ++column) {
        const std::array<int, kMaxCodes> weights = columnWeights(group, column);
        for (std::size_t code = 0; code < kGapCode; ++code)
            profile.values[column * kMaxCodes + code] = 10 * weights[code] / all;
    }
    return profile;
}

namespace {

// A gap over columns of the first profile, at `column` of the second.
bool isRowGapFree(const Profile& second, std::size_t column) {
    return column == 0 || column == second.size;
}
int rowOpening(const Profile& first, const Profile& second, std::size_t row, std::size_t column) {
    return isRowGapFree(second, column) ? 0 : first.open[row] + second.open[column];
}

/// Rows are columns of the first profile; columns are columns of the second.
class MatrixDivision {
  public:
    MatrixDivision(const Profile& first, const Profile& second)
        : first_(first),
          second_(second),
          best_(second.size + 1),
          inRowGap_(second.size + 1),
          reverseBest_(second.size + 1),
          reverseInRowGap_(second.size + 1),
          reverseOpen_(second.size + 1),
          sums_(second.size + 1),
          scores_(second.size + 1) {
        for (std::size_t code = 0; code < kMaxCodes; ++code) {
            std::vector<float> values(second.size + 1, 0);
            for (std::size_t column = 1; column <= second.size; ++column)
                values[column] = static_cast<float>(second.column(column)[code]);
            if (std::ranges::any_of(values, [](float value) { return value != 0; }))
                values_.push_back({code, std::move(values)});
        }
    }

    ProfileAlignment run(std::span<const MatrixPart> parts) {
        ProfileAlignment result;
        for (const MatrixPart& part : parts) result.score = find(part);
        // Between two paired columns, steps over the second profile come before steps over the first.
        for (auto begin = steps_.begin(); begin != steps_.end();) {
            const auto end = std::find(begin, steps_.end(), Step::Both);
            std::partition(begin, end, [](Step step) { return step == Step::Second; });
            begin = std::find_if(end, steps_.end(), [](Step step) { return step != Step::Both; });
        }
        result.steps = std::move(steps_);
        return result;
    }

  private:
    /// Sets scores_[j] for `row` and each column j of the `columns` after `column`. Single precision is exact
    /// here: products and their sums are integers far below 2²⁴, and the rounded quotient truncates to the
    /// same integer.
    void scoreRow(std::size_t row, std::size_t column, std::size_t columns) {
        const int* const weights = first_.column(row);
        float* const sums = sums_.data();
        const std::size_t begin = column + 1, end = column + 1 + columns;
        std::fill(sums + begin, sums + end, 0.0F);
        constexpr std::size_t kAtOnce = 4;
        for (std::size_t k = 0; k < values_.size(); k += kAtOnce) {
            float weight[kAtOnce];
            const float* values[kAtOnce];
            for (std::size_t c = 0; c < kAtOnce; ++c) {
                const bool isCode = k + c < values_.size();
                const CodeValues& of = values_[isCode ? k + c : k];
                weight[c] = isCode ? static_cast<float>(weights[of.code]) : 0;
                values[c] = of.values.data();
            }
            const float *first = values[0], *second = values[1], *third = values[2], *fourth = values[3];
#pragma omp simd
            for (std::size_t j = begin; j < end; ++j)
                sums[j] += (weight[0] * first[j] + weight[1] * second[j]) +
                           (weight[2] * third[j] + weight[3] * fourth[j]);
        }
        int* const scores = scores_.data();
#pragma omp simd
        for (std::size_t j = begin; j < end; ++j) scores[j] = static_cast<int>(sums[j] / kScoreUnit);
    }

    // A gap over columns of the second profile, at `row` of the first.
    bool isColumnGapFree(std::size_t row) const {
        return row == 0 || row == first_.size;
    }
    int columnOpen(std::size_t row, std::size_t column) const {
        return isColumnGapFree(row) ? 0 : first_.open[row] + second_.open[column];
    }
    int columnExtend(std::size_t row, std::size_t column) const {
        return isColumnGapFree(row) ? 0 : second_.extend[column];
    }
    int columnGap(std::size_t row, std::size_t column, std::size_t length) const {
        if (length == 0 || isColumnGapFree(row)) return 0;
        int cost = columnOpen(row, column);
        for (std::size_t k = 0; k < length; ++k) cost += columnExtend(row, column + k);
        return cost;
    }
    // A gap over columns of the first profile.
    int rowOpen(std::size_t row, std::size_t column) const {
        return rowOpening(first_, second_, row, column);
    }
    int rowExtend(std::size_t row, std::size_t column) const {
        return isRowGapFree(second_, column) ? 0 : first_.extend[row];
    }
    int rowGap(std::size_t row, std::size_t column, std::size_t length) const {
        if (length == 0 || isRowGapFree(second_, column)) return 0;
        int cost = rowOpen(row, column);
        for (std::size_t k = 0; k < length; ++k) cost += rowExtend(row + k, column);
        return cost;
    }

    void put(Step step, std::size_t count) {
        steps_.insert(steps_.end(), count, step);
    }

    /// Appends the steps of the part's best path to steps_.
    int find(const MatrixPart& part) {
        const std::size_t row = part.row, column = part.column, rows = part.rows, columns = part.columns;
        if (columns == 0) {
            put(Step::First, rows);
            return -rowGap(row + 1, column, rows);
        }
        if (rows == 0) {
            put(Step::Second, columns);
            return -columnGap(row, column + 1, columns);
        }
        if (rows == 1) return placeRow(row, column, columns, part.opensBefore);
        const std::size_t middle = rows / 2;
        forward(row, column, middle, columns, part.opensBefore);
        backward(row, column, middle, rows, columns, part.opensAfter);
        const auto ofPart = [&](const std::vector<int>& numbers) {
            return std::span(numbers).subspan(column, columns + 1);
        };
        const Cut cut =
            cutOf(first_, second_, part,
                  {ofPart(best_), ofPart(inRowGap_), ofPart(reverseBest_), ofPart(reverseInRowGap_)});
        std::vector<MatrixPart> parts;
        divide(part, cut, parts);
        for (const MatrixPart& one : parts) find(one);
        return cut.score;
    }

    /// Solves a part of one row: the row is either in a gap or paired with the column where it scores best.
    int placeRow(std::size_t row, std::size_t column, std::size_t columns, bool opensBefore) {
        scoreRow(row + 1, column, columns);
        int best = -columnGap(row + 1, column + 1, columns) - (opensBefore ? rowGap(row + 1, column, 1) : 0);
        std::size_t at = 0;
        for (std::size_t j = 1; j <= columns; ++j) {
            const int sum = scores_[column + j] - columnGap(row, column + 1, j - 1) -
                            columnGap(row + 1, column + j + 1, columns - j);
            if (sum > best) {
                best = sum;
                at = j;
            }
        }
        if (at == 0) {
            put(Step::First, 1);
            put(Step::Second, columns);
        } else {
            put(Step::Second, at - 1);
            put(Step::Both, 1);
            put(Step::Second, columns - at);
        }
        return best;
    }

    /// Along both edges, ClustalW charges the first column's extension for all columns; so does this code.
    void forward(std::size_t row, std::size_t column, std::size_t rows, std::size_t columns,
                 bool opensBefore) {
        best_[column] = 0;
        int edge = -columnOpen(row, column + 1);
        for (std::size_t j = column + 1; j <= column + columns; ++j) {
            edge -= columnExtend(row, column + 1);
            best_[j] = edge;
            inRowGap_[j] = edge - rowOpen(row + 1, j);
        }
        edge = opensBefore ? -rowOpen(row + 1, column) : 0;
        for (std::size_t i = row + 1; i <= row + rows; ++i) {
            scoreRow(i, column, columns);
            int diagonal = best_[column];
            edge -= rowExtend(row + 1, column);
            int here = best_[column] = edge;
            int inColumnGap = edge - columnOpen(i, column + 1);
            const bool isFree = isColumnGapFree(i);
            const int opening = first_.open[i], rowStep = first_.extend[i];
            const auto step = [&](std::size_t j, int open, int rowOpening, int rowExtension) {
                const int extend = isFree ? 0 : second_.extend[j];
                const int fromHere = here - (isFree ? 0 : open) - extend;
                const int fromAbove = best_[j] - rowOpening - rowExtension;
                inColumnGap = std::max(fromHere, inColumnGap - extend);
                const int inRowGap = std::max(fromAbove, inRowGap_[j] - rowExtension);
                inRowGap_[j] = inRowGap;
                const int pair = diagonal + scores_[j];
                here = std::max(std::max(pair, inColumnGap), inRowGap);
                diagonal = best_[j];
                best_[j] = here;
            };
            const std::size_t last = column + columns;
            for (std::size_t j = column + 1; j <= std::min(last, second_.size - 1); ++j) {
                const int open = opening + second_.open[j];
                step(j, open, open, rowStep);
            }
            if (last == second_.size) step(last, opening + second_.open[last], 0, 0);
        }
        inRowGap_[column] = best_[column];
    }

    /// The same from the other end. The opening of a gap is charged at its left end, so it moves as the gap
    /// grows.
    void backward(std::size_t row, std::size_t column, std::size_t middle, std::size_t rows,
                  std::size_t columns, bool opensAfter) {
        const std::size_t last = column + columns;
        const std::size_t lastRow = row + rows;
        reverseBest_[last] = 0;
        int extended = 0;
        for (std::size_t j = last; j-- > column;) {
            extended -= columnExtend(lastRow, j + 1);
            reverseBest_[j] = extended - columnOpen(lastRow, j + 1);
            reverseOpen_[j] = rowOpen(lastRow, j);
            reverseInRowGap_[j] = reverseBest_[j] - reverseOpen_[j];
        }
        extended = 0;
        for (std::size_t i = lastRow; i-- > row + middle;) {
            scoreRow(i + 1, column, columns);
            int diagonal = reverseBest_[last];
            extended -= rowExtend(i + 1, last);
            const int edge = extended - (opensAfter ? rowOpen(i + 1, last) : 0);
            int here = reverseBest_[last] = edge;
            int opened = columnOpen(i, last);
            int inColumnGap = edge - opened;
            const bool isFree = isColumnGapFree(i);
            const int opening = first_.open[i], rowsOpening = first_.open[i + 1], step = first_.extend[i + 1];
            const auto stepTo = [&](std::size_t j, int rowOpening, int rowStep) {
                const int open = isFree ? 0 : opening + second_.open[j + 1];
                const int extend = isFree ? 0 : second_.extend[j + 1];
                const int fromHere = here - open - extend;
                inColumnGap = std::max(fromHere, inColumnGap - extend - open + opened);
                opened = open;
                const int fromBelow = reverseBest_[j] - rowOpening - rowStep;
                const int inRowGap =
                    std::max(fromBelow, reverseInRowGap_[j] - rowStep - rowOpening + reverseOpen_[j]);
                reverseInRowGap_[j] = inRowGap;
                reverseOpen_[j] = rowOpening;
                const int pair = diagonal + scores_[j + 1];
                here = std::max(std::max(pair, inColumnGap), inRowGap);
                diagonal = reverseBest_[j];
                reverseBest_[j] = here;
            };
            const std::size_t end = std::max<std::size_t>(column, 1);
            for (std::size_t j = last; j-- > end;) stepTo(j, rowsOpening + second_.open[j], step);
            if (column == 0) stepTo(0, 0, 0);
        }
        reverseInRowGap_[last] = reverseBest_[last];
    }

    /// The second profile's values for one code.
    struct CodeValues {
        std::size_t code = 0;
        std::vector<float> values;  ///< one per column, from column 1
    };

    const Profile& first_;
    const Profile& second_;
    std::vector<int> best_;             ///< paths that end in the current row
    std::vector<int> inRowGap_;         ///< such paths that end in a gap over rows
    std::vector<int> reverseBest_;      ///< paths that begin after the current row
    std::vector<int> reverseInRowGap_;  ///< such paths that begin with a gap over rows
    std::vector<int> reverseOpen_;      ///< cost of opening that gap
    std::vector<CodeValues> values_;    ///< only codes that occur
    std::vector<float> sums_;
    std::vector<int> scores_;  ///< of the current row
    std::vector<Step> steps_;
};

}  // namespace

Cut cutOf(const Profile& first, const Profile& second, const MatrixPart& part, const MiddleRow& row) {
    Cut cut{row.best[0] + row.reverseBest[0]};
    for (std::size_t j = 0; j <= part.columns; ++j) {
        const int sum = row.best[j] + row.reverseBest[j];
        if (sum > cut.score || (sum == cut.score && row.best[j] != row.inRowGap[j] &&
                                row.reverseBest[j] == row.reverseInRowGap[j]))
            cut = {sum, j};
    }
    // Both halves have charged the opening of a gap that continues here. In the part's last column the
    // opening is added back even if the gap was not opened after the cut; ClustalW does the same.
    for (std::size_t j = part.columns + 1; j-- > 0;) {
        const int sum = row.inRowGap[j] + row.reverseInRowGap[j] +
                        rowOpening(first, second, part.middle() + 1, part.column + j);
        if (sum > cut.score) cut = {sum, j, true};
    }
    return cut;
}

void divide(const MatrixPart& part, const Cut& cut, std::vector<MatrixPart>& parts) {
    const std::size_t skipped = cut.isInGap ? 1 : 0;
    MatrixPart before = part, after = part;
    before.rows = part.rows / 2 - skipped;
    before.columns = cut.column;
    before.opensAfter = after.opensBefore = !cut.isInGap;
    after.row = part.middle() + skipped;
    after.rows = part.row + part.rows - after.row;
    after.column = part.column + cut.column;
    after.columns = part.columns - cut.column;
    parts.push_back(before);
    if (cut.isInGap) parts.push_back({part.middle() - 1, after.column, 2, 0});
    parts.push_back(after);
}

StepsSum sumOfSteps(const Profile& first, const Profile& second, std::span<const Step> steps) {
    StepsSum sum;
    std::size_t i = 0, j = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        i += steps[k] == Step::Second ? 0 : 1;
        j += steps[k] == Step::First ? 0 : 1;
        if (steps[k] == Step::Both) {
            int products = 0;
            for (std::size_t code = 0; code < kMaxCodes; ++code)
                products += first.column(i)[code] * second.column(j)[code];
            sum.score += products / kScoreUnit;
            continue;
        }
        const bool isRowGap = steps[k] == Step::First;
        if (isRowGap ? isRowGapFree(second, j) : i == 0 || i == first.size) continue;
        sum.score -= isRowGap ? first.extend[i] : second.extend[j];
        if (k == 0 || steps[k - 1] != steps[k]) sum.openings += first.open[i] + second.open[j];
    }
    sum.score -= sum.openings;
    return sum;
}

ProfileAlignment alignParts(const Profile& first, const Profile& second, std::span<const MatrixPart> parts) {
    return MatrixDivision(first, second).run(parts);
}

ProfileAlignment alignProfiles(const Profile& first, const Profile& second) {
    const MatrixPart all{0, 0, first.size, second.size};
    return alignParts(first, second, {&all, 1});
}

void insertGaps(Rows& rows, std::span<const std::size_t> members, std::span<const Step> steps, Step gap) {
    for (const std::size_t member : members) {
        std::vector<std::uint8_t> row;
        row.reserve(steps.size());
        std::size_t next = 0;
        for (const Step step : steps) row.push_back(step == gap ? kGapCode : rows[member][next++]);
        rows[member] = std::move(row);
    }
}

}  // namespace glycine::align::clustalw
