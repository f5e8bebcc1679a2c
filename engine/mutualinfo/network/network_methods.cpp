#include "engine/mutualinfo/network/network_methods.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "engine/core/instruction_set.hpp"
#include "engine/core/parallel.hpp"
#include "engine/pairs/row_visit.hpp"

namespace glycine::mutualinfo {

GeneBackground backgroundOf(const pairs::PairStore& information, Progress& progress) {
    const std::size_t n = information.instances();
    GeneBackground background{std::vector<double>(n), std::vector<double>(n)};
    pairs::visitRows(information, "backgrounds", progress, [&](std::size_t gene, const double* values) {
        const auto overOthers = [&](const auto& term) {
            double sum = 0;
            double count = 0;
            for (std::size_t j = 0; j < n; ++j)
                if (j != gene && !std::isnan(values[j])) sum += term(values[j]), count += 1;
            return count > 0 ? sum / count : 0;
        };
        const double mean = overOthers([](double value) { return value; });
        background.means[gene] = mean;
        background.deviations[gene] =
            std::sqrt(overOthers([&](double value) { return (value - mean) * (value - mean); }));
    });
    return background;
}

double relatedness(const GeneBackground& background, std::size_t i, std::size_t j, double information) {
    const auto above = [&](std::size_t gene) {
        const double deviation = background.deviations[gene];
        return deviation > 0 ? std::max(0.0, (information - background.means[gene]) / deviation) : 0.0;
    };
    return std::hypot(above(i), above(j));
}

double typicalInformation(const pairs::PairStore& information, Progress& progress) {
    const auto medianOf = [](std::vector<double>& values) {
        if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    };
    std::vector<double> medians(information.instances());
    pairs::visitRows(information, "typical information", progress, [&](std::size_t gene, const double* row) {
        std::vector<double> known;
        for (std::size_t j = 0; j < medians.size(); ++j)
            if (j != gene && !std::isnan(row[j])) known.push_back(row[j]);
        medians[gene] = medianOf(known);
    });
    std::erase_if(medians, [](double median) { return std::isnan(median); });
    return medians.empty() ? 0 : medianOf(medians);
}

PairScores::PairScores(std::size_t genes) : values_(1, genes * (genes - (genes > 0 ? 1 : 0)) / 2, 0.0) {}

void PairScores::raise(std::size_t i, std::size_t j, double score) {
    const std::atomic_ref<double> value(values_.data()[index(i, j)]);
    double present = value.load(std::memory_order_relaxed);
    while (present < score && !value.compare_exchange_weak(present, score, std::memory_order_relaxed)) {
    }
}

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// Candidates that are looked through at once.
constexpr std::size_t kAtOnce = 512;

/// Candidates of a target, and what one more selected gene adds.
struct Candidates {
    const double* relevance = nullptr;
    double* redundancy = nullptr;   ///< sum over those selected
    const double* added = nullptr;  ///< the row of the one selected last
    double unknown = 0;             ///< what a pair without a value adds
    double share = 0;               ///< of the sum that counts
};

/// Adds to `count` redundancies, and returns the best relevance − redundancy · share. A whole matrix goes
/// through here for each target.
[[gnu::always_inline]] inline double addRedundancy(Candidates one, std::size_t count) {
    double most = kNever;
#pragma omp simd reduction(max : most)
    for (std::size_t j = 0; j < count; ++j) {
        one.redundancy[j] += one.added[j] == one.added[j] ? one.added[j] : one.unknown;
        const double score = one.relevance[j] - one.redundancy[j] * one.share;
        most = score > most ? score : most;
    }
    return most;
}
double addGeneric(const Candidates& one, std::size_t count) {
    return addRedundancy(one, count);
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] double addAvx2(const Candidates& one, std::size_t count) {
    return addRedundancy(one, count);
}
#endif

/// As this processor does it fastest; the same numbers in each case. (Registers of AVX-512 are no faster:
/// memory is what takes the time.)
auto fastestAddition() {
#if defined(__x86_64__)
    if (detectInstructionSet() >= InstructionSet::Avx2) return addAvx2;
#endif
    return addGeneric;
}

/// The selection of regulators for one target.
class Selection {
  public:
    Selection(const pairs::PairStore& information, const Regulators& regulators, double unknown)
        : information_(information),
          regulators_(regulators),
          unknown_(unknown),
          relevance_(information.instances()),
          redundancy_(information.instances()),
          row_(information.instances()) {}

    /// Calls select(gene, score) for one after the other.
    template <class Select>
    void run(std::size_t target, Progress& progress, const Select& select) {
        const std::size_t n = relevance_.size();
        information_.readRow(target, 0, n, relevance_.data());
        for (std::size_t j = 0; j < n; ++j)
            if (j == target || std::isnan(relevance_[j]) || !regulators_.includes(j)) relevance_[j] = kNever;
        std::ranges::fill(redundancy_, 0);
        std::ranges::fill(row_, 0);
        added_ = row_.data();
        for (std::size_t selected = 0; selected + 1 < n; ++selected) {
            const double share = selected == 0 ? 0 : 1 / static_cast<double>(selected);
            const auto [next, score] = addRow(share);
            if (next == n || score < 0) return;
            select(next, score);
            relevance_[next] = kNever;
            added_ = information_.rowInPlace(next);
            if (added_ == nullptr) {
                information_.readRow(next, 0, n, row_.data());
                added_ = row_.data();
            }
            if (selected % 64 == 0) progress.throwIfCancelled();
        }
    }

  private:
    /// The first gene of those with the largest score, n for none.
    struct Best {
        std::size_t gene;
        double score;
    };

    /// Adds the row of the gene selected last to the redundancies, and finds the best score.
    Best addRow(double share) {
        const std::size_t n = relevance_.size();
        const double* relevance = relevance_.data();
        double* redundancy = redundancy_.data();
        Best best{n, kNever};
        std::size_t where = n;
        for (std::size_t begin = 0; begin < n; begin += kAtOnce) {
            const double most = add_({relevance + begin, redundancy + begin, added_ + begin, unknown_, share},
                                     std::min(kAtOnce, n - begin));
            if (most > best.score) {
                best.score = most;
                where = begin;
            }
        }
        for (std::size_t j = where; j < n; ++j)
            if (relevance[j] - redundancy[j] * share == best.score) return {j, best.score};
        return best;
    }

    const pairs::PairStore& information_;
    const Regulators& regulators_;
    double unknown_;                  ///< redundancy of a pair without a value
    std::vector<double> relevance_;   ///< kNever: no candidate, or selected
    std::vector<double> redundancy_;  ///< sum over those selected
    std::vector<double> row_;         ///< of the one selected last, where the store has it in another form
    const double* added_ = nullptr;   ///< the same, wherever it lies
    double (*add_)(const Candidates&, std::size_t) = fastestAddition();
};

}  // namespace

PairScores relevanceWithoutRedundancy(const pairs::PairStore& information, const Regulators& regulators,
                                      double unknown, Progress& progress) {
    const std::size_t n = information.instances();
    PairScores scores(n);
    std::vector<std::unique_ptr<Selection>> selections(static_cast<std::size_t>(omp_get_max_threads()));
    progress.begin("selecting regulators", static_cast<double>(n));
    parallelFor(omp_get_max_threads(), n, [&](std::size_t target, std::size_t thread) {
        std::unique_ptr<Selection>& selection = selections[thread];
        if (!selection) selection = std::make_unique<Selection>(information, regulators, unknown);
        selection->run(target, progress,
                       [&](std::size_t gene, double score) { scores.raise(target, gene, score); });
        progress.advance(1);
    });
    return scores;
}

ScoreRanks::ScoreRanks(std::vector<double> positive, std::size_t total)
    : descending_(std::move(positive)), total_(total) {
    std::sort(descending_.begin(), descending_.end(), std::greater());
}

double ScoreRanks::of(double score) const {
    const auto [first, last] =
        std::equal_range(descending_.begin(), descending_.end(), score, std::greater());
    const auto before = static_cast<double>(first - descending_.begin());
    const auto upTo =
        first == last ? static_cast<double>(total_) : static_cast<double>(last - descending_.begin());
    return (before + 1 + upTo) / 2;
}

double meanOfLogRanks(double firstRank, double secondRank, std::size_t total) {
    return std::log(static_cast<double>(total)) - (std::log(firstRank) + std::log(secondRank)) / 2;
}

}  // namespace glycine::mutualinfo
