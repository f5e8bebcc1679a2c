#include <omp.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/core/host_backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/mutualinfo/network/selection_engine.hpp"

namespace glycine::mutualinfo::cpu {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// Candidates per block.
constexpr std::size_t kAtOnce = 512;

struct Candidates {
    const double* relevance = nullptr;  ///< kNever if the gene is no candidate, or already selected
    double* sums = nullptr;             ///< Σ (relevance − redundancy) over the selected genes
    const double* added = nullptr;      ///< the row of the gene selected last
    double unknown = 0;                 ///< redundancy of a pair without a value
};

/// Adds to `count` sums and returns the largest.
[[gnu::always_inline]] inline double addSome(const Candidates& one, std::size_t count) {
    double most = kNever;
#pragma omp simd reduction(max : most)
    for (std::size_t j = 0; j < count; ++j) {
        one.sums[j] += one.relevance[j] - (one.added[j] == one.added[j] ? one.added[j] : one.unknown);
        most = one.sums[j] > most ? one.sums[j] : most;
    }
    return most;
}

/// The same. Reading the row from memory takes most of the time, so AVX-512 registers are no faster, and the
/// row is requested ahead of its use.
[[gnu::always_inline]] inline double addRedundancy(Candidates one, std::size_t count) {
    constexpr std::size_t kLine = 64 / sizeof(double), kStep = 8 * kLine, kAhead = 8 * kStep;
    double most = kNever;
    for (; count >= kStep; count -= kStep) {
        for (std::size_t line = 0; line < kStep; line += kLine) __builtin_prefetch(one.added + kAhead + line);
        most = std::max(most, addSome(one, kStep));
        one.relevance += kStep;
        one.sums += kStep;
        one.added += kStep;
    }
    return std::max(most, addSome(one, count));
}
double addGeneric(const Candidates& one, std::size_t count) {
    return addRedundancy(one, count);
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] double addAvx2(const Candidates& one, std::size_t count) {
    return addRedundancy(one, count);
}
#endif

using Addition = double (*)(const Candidates&, std::size_t);

/// The fastest version for this processor. All versions give the same numbers.
Addition additionFor(InstructionSet set) {
#if defined(__x86_64__)
    if (set >= InstructionSet::Avx2) return addAvx2;
#endif
    static_cast<void>(set);
    return addGeneric;
}

/// The rows of information, which targets read again and again in random order: copied into huge pages if
/// memory is plenty, else as the store has them.
class Rows {
  public:
    Rows(const pairs::PairStore& store, int threads) : store_(store) {
        const std::size_t n = store.instances();
        const std::size_t bytes = n * n * sizeof(double);
        if (bytes > availableHostMemory().bytes / 2) return;
        copy_ = Matrix<double>(n, n);
        parallelFor(threads, n,
                    [&](std::size_t row, std::size_t) { store_.readRow(row, 0, n, copy_.row(row)); });
    }
    /// `buffer` has room for a row, which may be read into it.
    const double* row(std::size_t gene, double* buffer) const {
        if (!copy_.empty()) return copy_.row(gene);
        if (const double* row = store_.rowInPlace(gene)) return row;
        store_.readRow(gene, 0, store_.instances(), buffer);
        return buffer;
    }

  private:
    const pairs::PairStore& store_;
    Matrix<double> copy_;
};

/// Selects regulators for one target at a time.
class TargetSelection {
  public:
    TargetSelection(const SelectionRequest& request, const Rows& rows, Addition add)
        : request_(request),
          rows_(rows),
          add_(add),
          relevance_(request.information->instances()),
          sums_(relevance_.size()),
          row_(relevance_.size()) {}

    void run(std::size_t target, double* scores, Progress& progress) {
        const std::size_t n = relevance_.size();
        request_.information->readRow(target, 0, n, relevance_.data());
        for (std::size_t j = 0; j < n; ++j)
            if (!request_.isCandidate(target, j, relevance_[j])) relevance_[j] = kNever;
        std::ranges::fill(sums_, 0);
        std::fill_n(scores, n, kNever);
        auto next = static_cast<std::size_t>(std::ranges::max_element(relevance_) - relevance_.begin());
        double score = n > 0 ? relevance_[next] : kNever;
        for (std::size_t selected = 1; score >= 0; ++selected) {
            scores[next] = score;
            relevance_[next] = kNever;
            const double largest = addRow(next);
            if (selected == request_.selections) {
                for (std::size_t j = 0; j < n; ++j)
                    if (relevance_[j] != kNever) scores[j] = sums_[j] / static_cast<double>(selected);
                return;
            }
            score = largest / static_cast<double>(selected);
            next = place_;
            if (selected % 64 == 0) progress.throwIfCancelled();
        }
    }

  private:
    /// Adds the redundancy with `gene` to the sums. Returns the largest sum and stores its first index in
    /// place_.
    double addRow(std::size_t gene) {
        const std::size_t n = relevance_.size();
        const double* const added = rows_.row(gene, row_.data());
        double largest = kNever;
        std::size_t block = 0;
        for (std::size_t begin = 0; begin < n; begin += kAtOnce) {
            const double most =
                add_({relevance_.data() + begin, sums_.data() + begin, added + begin, request_.unknown},
                     std::min(kAtOnce, n - begin));
            if (most > largest) {
                largest = most;
                block = begin;
            }
        }
        place_ = static_cast<std::size_t>(
            std::find(sums_.begin() + static_cast<std::ptrdiff_t>(block), sums_.end(), largest) -
            sums_.begin());
        return largest;
    }

    const SelectionRequest& request_;
    const Rows& rows_;
    Addition add_;
    std::vector<double> relevance_;
    std::vector<double> sums_;
    std::vector<double> row_;  ///< for rows that the store has in another form
    std::size_t place_ = 0;
};

class RowSelection final : public SelectionRun {
  public:
    RowSelection(const SelectionRequest& request, int threads, Addition add)
        : request_(request), rows_(*request.information, threads), threads_(threads) {
        for (int t = 0; t < threads; ++t)
            selections_.push_back(std::make_unique<TargetSelection>(request_, rows_, add));
    }
    std::string_view variantName() const override { return "rows"; }

    void score(Range targets, MatrixView<double> scores, Progress& progress) override {
        parallelFor(threads_, targets.size(), [&](std::size_t index, std::size_t thread) {
            selections_[thread]->run(targets.begin + index, scores.row(index), progress);
            progress.advance(1);
        });
    }

  private:
    SelectionRequest request_;
    Rows rows_;
    int threads_;
    std::vector<std::unique_ptr<TargetSelection>> selections_;
};

class CpuSelection final : public SelectionEngine {
  public:
    CpuSelection(int threads, InstructionSet set) : threads_(threads), add_(additionFor(set)) {}
    std::size_t preferredTargets(std::size_t) const override {
        return 128 * static_cast<std::size_t>(threads_);
    }
    std::unique_ptr<SelectionRun> start(const SelectionRequest& request) override {
        return std::make_unique<RowSelection>(request, threads_, add_);
    }

  private:
    int threads_;
    Addition add_;
};

}  // namespace

SelectionEngineEntry selectionEngine() {
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
