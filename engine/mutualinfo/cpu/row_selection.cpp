#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "engine/core/host_backends.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/mutualinfo/cpu/selection_kernel.hpp"
#include "engine/mutualinfo/network/selection_engine.hpp"

namespace glycine::mutualinfo::cpu {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// Candidates per block whose largest bound is kept.
constexpr std::size_t kBlock = 512;

/// Bound of a gene that is no candidate, or already selected. Bounds of candidates stay above its half.
constexpr std::int32_t kExcluded = -(1 << 30);

/// Information as whole numbers of 16 bits: a quarter of the bytes, so rows are read in a quarter of the
/// time. A step is a power of two, so that scaling is exact.
class Steps {
  public:
    Steps() = default;
    /// Steps for sums of up to `selections` values, each at most `largest`.
    Steps(double largest, std::size_t selections) {
        const double most = std::min(65534.0, static_cast<double>(1 << 29) / static_cast<double>(selections));
        scale_ = largest > 0 ? std::exp2(std::floor(std::log2(most / largest))) : 1;
    }
    /// The value in steps, not rounded.
    double of(double value) const { return value * scale_; }
    std::uint16_t below(double value) const {
        return static_cast<std::uint16_t>(std::clamp(of(value), 0.0, 65535.0));
    }
    std::uint16_t above(double value) const { return static_cast<std::uint16_t>(std::ceil(of(value))); }

  private:
    double scale_ = 1;
};

/// The information of all genes, and the same in steps.
class Rows {
  public:
    Rows(const SelectionRequest& request, int threads)
        : store_(*request.information), unknown_(request.unknown) {
        const std::size_t n = genes();
        std::vector<double> largest(n, unknown_);
        parallelFor(threads, n, [&](std::size_t gene, std::size_t) {
            std::vector<double> buffer;
            const double* const values = row(gene, buffer);
            for (std::size_t j = 0; j < n; ++j)
                if (j != gene && values[j] > largest[gene]) largest[gene] = values[j];
        });
        steps_ = {n > 0 ? *std::ranges::max_element(largest) : 0.0,
                  std::clamp<std::size_t>(request.selections, 1, std::max<std::size_t>(n, 1))};
        redundancy_ = Matrix<std::uint16_t>(n, n);
        parallelFor(threads, n, [&](std::size_t gene, std::size_t) {
            std::vector<double> buffer;
            const double* const values = row(gene, buffer);
            for (std::size_t j = 0; j < n; ++j)
                redundancy_(gene, j) = steps_.below(std::isnan(values[j]) ? unknown_ : values[j]);
        });
    }

    std::size_t genes() const { return store_.instances(); }
    const Steps& steps() const { return steps_; }
    /// Redundancy with `gene`, rounded down to steps.
    const std::uint16_t* redundancy(std::size_t gene) const { return redundancy_.row(gene); }
    /// Reads information with the genes `columns` (at most kColumns): kColumns numbers for each gene.
    void readColumns(Range columns, std::vector<double>& values) const {
        values.resize(genes() * SelectionKernel::kColumns);
        store_.readBlock({0, genes()}, columns,
                         {values.data(), genes(), columns.size(), SelectionKernel::kColumns});
    }

  private:
    const double* row(std::size_t gene, std::vector<double>& buffer) const {
        if (const double* values = store_.rowInPlace(gene)) return values;
        buffer.resize(genes());
        store_.readRow(gene, 0, genes(), buffer.data());
        return buffer.data();
    }

    const pairs::PairStore& store_;
    double unknown_;
    Steps steps_;
    Matrix<std::uint16_t> redundancy_;
};

/// Selects regulators for one target at a time.
///
/// A selection needs to know which candidate has the largest sum D_j, but not the sums. Their bounds are
/// cheap: relevance is rounded up to steps and redundancy down, so that a bound exceeds D_j by less than two
/// steps for each gene selected. Only candidates that this cannot tell from the best one get their sum.
class TargetSelection {
  public:
    TargetSelection(const SelectionRequest& request, const Rows& rows, const SelectionKernel& kernel)
        : request_(request),
          rows_(rows),
          kernel_(kernel),
          relevance_(rows.genes()),
          steps_(rows.genes()),
          bounds_(rows.genes()),
          most_((rows.genes() + kBlock - 1) / kBlock),
          sums_(rows.genes()) {}

    /// Returns the genes selected for `target`, in their order.
    const std::vector<std::uint32_t>& run(std::size_t target, Progress& progress) {
        const std::size_t n = relevance_.size();
        selected_.clear();
        request_.information->readRow(target, 0, n, relevance_.data());
        std::size_t next = n;
        for (std::size_t j = 0; j < n; ++j) {
            const bool isCandidate = request_.isCandidate(target, j, relevance_[j]);
            steps_[j] = isCandidate ? rows_.steps().above(relevance_[j]) : std::uint16_t{0};
            bounds_[j] = isCandidate ? 0 : kExcluded;
            sums_[j] = {};
            if (isCandidate && (next == n || relevance_[j] > relevance_[next])) next = j;
        }
        while (next < n) {
            steps_[next] = 0;
            bounds_[next] = kExcluded;
            selected_.push_back(static_cast<std::uint32_t>(next));
            if (selected_.size() == request_.selections) break;
            raiseBounds(next);
            next = best();
            if (selected_.size() % 64 == 0) progress.throwIfCancelled();
        }
        return selected_;
    }

  private:
    /// D_j of a candidate for the first `genes` genes selected.
    struct Sum {
        double sum = 0;
        std::size_t genes = 0;
    };

    /// A candidate that may be the best one: D_j is at most `most` steps.
    struct Close {
        std::size_t gene = 0;
        double most = 0;
    };

    void raiseBounds(std::size_t gene) {
        const std::uint16_t* const redundancy = rows_.redundancy(gene);
        for (std::size_t block = 0; block < most_.size(); ++block) {
            const std::size_t begin = block * kBlock;
            most_[block] = kernel_.raise({bounds_.data() + begin, steps_.data() + begin, redundancy + begin,
                                          std::min(kBlock, bounds_.size() - begin)});
        }
    }

    /// D_j of a candidate.
    double sumOf(std::size_t gene) {
        Sum& one = sums_[gene];
        const double* const row = request_.information->rowInPlace(gene);
        for (; one.genes < selected_.size(); ++one.genes) {
            const std::uint32_t other = selected_[one.genes];
            const double value = row != nullptr ? row[other] : request_.information->value(gene, other);
            one.sum += relevance_[gene] - (std::isnan(value) ? request_.unknown : value);
        }
        return one.sum;
    }

    /// The first candidate with the largest D_j, or the number of genes if that is negative or there is none.
    std::size_t best() {
        const std::int32_t bound = *std::ranges::max_element(most_);
        if (bound < 0) return bounds_.size();
        const auto genes = static_cast<std::int32_t>(selected_.size());
        // The best candidate has at least `least`. With exact relevance, bounds are `genes` steps wide; one
        // step more, in case sums above 2¹³ are rounded.
        double least = 0;
        close_.clear();
        for (std::size_t block = 0; block < most_.size(); ++block) {
            if (most_[block] < bound - 2 * genes - 1) continue;
            const std::size_t end = std::min((block + 1) * kBlock, bounds_.size());
            for (std::size_t j = block * kBlock; j < end; ++j) {
                if (bounds_[j] < bound - 2 * genes - 1) continue;
                const double most = bounds_[j] - genes * (steps_[j] - rows_.steps().of(relevance_[j]));
                close_.push_back({j, most});
                least = std::max(least, most - genes - 1);
            }
        }
        std::erase_if(close_, [&](const Close& one) { return one.most < least; });
        if (close_.size() == 1 && least > 0) return close_.front().gene;
        std::size_t found = bounds_.size();
        double largest = 0;
        for (const Close& one : close_) {
            const double sum = sumOf(one.gene);
            if (sum > largest || (sum == largest && found == bounds_.size())) {
                largest = sum;
                found = one.gene;
            }
        }
        return found;
    }

    const SelectionRequest& request_;
    const Rows& rows_;
    const SelectionKernel& kernel_;
    std::vector<double> relevance_;
    std::vector<std::uint16_t> steps_;  ///< relevance of candidates, rounded up
    std::vector<std::int32_t> bounds_;  ///< of D_j, in steps
    std::vector<std::int32_t> most_;    ///< the largest bound of each block
    std::vector<Sum> sums_;
    std::vector<Close> close_;
    std::vector<std::uint32_t> selected_;
};

class RowSelection final : public SelectionRun {
  public:
    RowSelection(const SelectionRequest& request, int threads, const SelectionKernel& kernel)
        : request_(request), rows_(request_, threads), threads_(threads), kernel_(kernel) {
        for (int t = 0; t < threads; ++t)
            selections_.push_back(std::make_unique<TargetSelection>(request_, rows_, kernel_));
    }
    std::string_view variantName() const override { return "rows"; }

    void score(Range targets, MatrixView<double> scores, Progress& progress) override {
        std::vector<std::vector<std::uint32_t>> selected(targets.size());
        parallelFor(threads_, targets.size(), [&](std::size_t index, std::size_t thread) {
            selected[index] = selections_[thread]->run(targets.begin + index, progress);
            // For the time being, the number of genes selected before.
            double* const before = scores.row(index);
            std::fill_n(before, rows_.genes(), kNever);
            for (std::size_t k = 0; k < selected[index].size(); ++k)
                before[selected[index][k]] = static_cast<double>(k);
            progress.advance(1);
        });
        const std::vector<Range> columns = splitRange(rows_.genes(), SelectionKernel::kColumns);
        std::vector<std::vector<double>> values(static_cast<std::size_t>(threads_));
        parallelFor(threads_, columns.size(), [&](std::size_t index, std::size_t thread) {
            rows_.readColumns(columns[index], values[thread]);
            for (std::size_t t = 0; t < targets.size(); ++t)
                scoreGenes(targets.begin + t, selected[t], columns[index], values[thread].data(),
                           scores.row(t));
            if (index % 64 == 0) progress.throwIfCancelled();
        });
    }

  private:
    /// Replaces the numbers of genes selected before by scores, and scores the other candidates after the
    /// last selection. `values` are the columns of `genes`.
    void scoreGenes(std::size_t target, const std::vector<std::uint32_t>& selected, Range genes,
                    const double* values, double* scores) const {
        const double* const relevance = values + target * SelectionKernel::kColumns;
        std::array<double, SelectionKernel::kColumns> sums;
        const bool scoresOthers = selected.size() == request_.selections;
        if (scoresOthers)
            kernel_.sum({values, selected.data(), selected.size(), relevance, request_.unknown, sums.data()});
        for (std::size_t c = 0; c < genes.size(); ++c) {
            double& score = scores[genes.begin + c];
            if (score >= 0) {
                const auto before = static_cast<std::size_t>(score);
                double sum = 0;
                for (std::size_t s = 0; s < before; ++s) {
                    const double value = values[selected[s] * SelectionKernel::kColumns + c];
                    sum += relevance[c] - (std::isnan(value) ? request_.unknown : value);
                }
                score = before == 0 ? relevance[c] : sum / score;
            } else if (scoresOthers && request_.isCandidate(target, genes.begin + c, relevance[c])) {
                score = sums[c] / static_cast<double>(selected.size());
            }
        }
    }

    SelectionRequest request_;
    Rows rows_;
    int threads_;
    SelectionKernel kernel_;
    std::vector<std::unique_ptr<TargetSelection>> selections_;
};

class CpuSelection final : public SelectionEngine {
  public:
    CpuSelection(int threads, InstructionSet set)
        : threads_(threads), kernel_(kernelFor<SelectionKernel>(set)) {}
    /// Many, as all columns are read again for each call, but no more scores than 128 MiB.
    std::size_t preferredTargets(std::size_t genes) const override {
        const auto threads = static_cast<std::size_t>(threads_);
        return std::clamp((std::size_t{16} << 20) / std::max<std::size_t>(genes, 1), 64 * threads,
                          1024 * threads);
    }
    std::unique_ptr<SelectionRun> start(const SelectionRequest& request) override {
        return std::make_unique<RowSelection>(request, threads_, kernel_);
    }

  private:
    int threads_;
    SelectionKernel kernel_;
};

}  // namespace

Implementation<SelectionEngine> selectionEngine() {
    return {"cpu", {}, [](Backend& backend) -> std::unique_ptr<SelectionEngine> {
                const HostBackend& host = backendAs<HostBackend>(backend);
                return std::make_unique<CpuSelection>(host.threads(), host.instructions());
            }};
}

}  // namespace glycine::mutualinfo::cpu

namespace glycine::mutualinfo {

std::unique_ptr<SelectionEngine> processorSelection() {
    return std::make_unique<cpu::CpuSelection>(omp_get_max_threads(), detectInstructionSet());
}

}  // namespace glycine::mutualinfo
