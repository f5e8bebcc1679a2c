#include "engine/alignment/clustal/quick_pairs.hpp"

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>

#include "engine/core/parallel.hpp"

namespace glycine::align::clustalw {

namespace {

/// Positions of the k-tuples of a sequence. Positions are counted from 1; 0 means none.
struct Tuples {
    std::vector<int> codes;     ///< [position]; -1: contains a letter that matches nothing
    std::vector<int> previous;  ///< [position]: previous position of the same tuple
    std::vector<int> last;      ///< [code]: last position of the tuple
};

Tuples tuplesOf(std::string_view letters, bool isNucleotide, int tuple) {
    // ClustalW accepts all protein letters except J, and four nucleotides.
    constexpr int kProteinLetters = 26, kNucleotides = 4;
    const auto codeOf = [&](char letter) {
        if (!isNucleotide) return letter < 'A' || letter > 'Z' || letter == 'J' ? -1 : letter - 'A';
        const std::size_t code = std::string_view("ACGT").find(letter == 'U' ? 'T' : letter);
        return code == std::string_view::npos ? -1 : static_cast<int>(code);
    };
    const int each = isNucleotide ? kNucleotides : kProteinLetters;
    const int places = static_cast<int>(letters.size()) - tuple + 1;
    Tuples found;
    found.codes.assign(static_cast<std::size_t>(std::max(places, 0)) + 1, -1);
    found.previous.assign(found.codes.size(), 0);
    int codes = 1;
    for (int k = 0; k < tuple; ++k) codes *= each;
    found.last.assign(static_cast<std::size_t>(codes), 0);
    for (int place = 1; place <= places; ++place) {
        int code = 0;
        for (int k = tuple - 1; k >= 0 && code >= 0; --k) {
            const int letter = codeOf(letters[static_cast<std::size_t>(place - 1 + k)]);
            code = letter < 0 ? -1 : code * each + letter;
        }
        if (code < 0) continue;
        found.codes[static_cast<std::size_t>(place)] = code;
        found.previous[static_cast<std::size_t>(place)] =
            std::exchange(found.last[static_cast<std::size_t>(code)], place);
    }
    return found;
}

/// A chain of tuples, represented by its last tuple.
struct Chain {
    int score = 0;
    int first = 0, second = 0;  ///< positions of the tuple
    std::size_t next = 0;       ///< the chain with the next lower score; 0: none
};

/// Scores pairs one after another, reusing its memory.
class QuickPair {
  public:
    QuickPair(const QuickRules& rules, std::size_t longest) : rules_(rules), mostChains_(4 * longest) {}

    int score(const Tuples& one, const Tuples& other, std::size_t letters, std::size_t others) {
        const auto shift = static_cast<int>(others);
        diagonals_ = letters + others - 1;
        const auto diagonalOf = [shift](int i, int j) { return static_cast<std::size_t>(i - j + shift); };
        chooseDiagonals(one, other, diagonalOf);
        lastOf_.assign(diagonals_ + 1, 0);
        chains_.assign(1, {});
        best_ = 0;
        for (int i = 1; i < static_cast<int>(one.codes.size()); ++i) {
            const int code = one.codes[static_cast<std::size_t>(i)];
            if (code < 0) continue;
            for (int j = other.last[static_cast<std::size_t>(code)]; j != 0;
                 j = other.previous[static_cast<std::size_t>(j)]) {
                const std::size_t diagonal = diagonalOf(i, j);
                if (!isNear_[diagonal]) continue;
                const int found = scoreAt(i, j, diagonal);
                if (chains_.size() >= mostChains_) return chains_[best_].score;
                lastOf_[diagonal] = chains_.size();
                insert({found, i, j, 0});
            }
        }
        return chains_[best_].score;
    }

  private:
    template <class DiagonalOf>
    void chooseDiagonals(const Tuples& one, const Tuples& other, const DiagonalOf& diagonalOf) {
        counts_.assign(diagonals_ + 1, 0);
        numbers_.resize(diagonals_ + 1);
        std::iota(numbers_.begin(), numbers_.end(), std::size_t{0});
        for (std::size_t code = 0; code < one.last.size(); ++code)
            for (int i = one.last[code]; i != 0; i = one.previous[static_cast<std::size_t>(i)])
                for (int j = other.last[code]; j != 0; j = other.previous[static_cast<std::size_t>(j)])
                    ++counts_[diagonalOf(i, j)];
        // ClustalW does not sort the last diagonal.
        if (diagonals_ > 2) sort(1, diagonals_ - 1);
        isNear_.assign(diagonals_ + 1, false);
        const auto window = static_cast<std::size_t>(rules_.window);
        const auto chosen = std::min(static_cast<std::size_t>(rules_.diagonals), diagonals_);
        for (std::size_t k = diagonals_; k > diagonals_ - chosen; --k) {
            if (counts_[k] == 0) continue;
            const std::size_t number = numbers_[k];
            const std::size_t begin = number > window ? number - window : 1;
            for (std::size_t d = begin; d <= std::min(number + window, diagonals_); ++d) isNear_[d] = true;
        }
    }

    /// Sorts counts and their diagonals, positions begin … end, in ascending order. The order of equal counts
    /// decides the result, so this must be ClustalW's quicksort: B. W. Kernighan & P. J. Plauger, Software
    /// Tools (1976), 4.
    void sort(std::size_t begin, std::size_t end) {
        while (begin < end) {
            const int pivot = counts_[end];
            std::size_t i = begin, j = end;
            const auto exchange = [this](std::size_t a, std::size_t b) {
                std::swap(counts_[a], counts_[b]);
                std::swap(numbers_[a], numbers_[b]);
            };
            for (bool isFirst = true; i < j; isFirst = false) {
                if (!isFirst) ++i;
                while (counts_[i] < pivot) ++i;
                --j;
                while (j > i && counts_[j] > pivot) --j;
                if (i < j) exchange(i, j);
            }
            exchange(i, end);
            if (i - begin < end - i) {
                if (i > begin) sort(begin, i - 1);
                begin = i + 1;
            } else {
                sort(i + 1, end);
                if (i == begin) return;
                end = i - 1;
            }
        }
    }

    /// The score of the best chain that ends with this tuple: it extends the first chain, by descending
    /// score, that lies before it.
    int scoreAt(int i, int j, std::size_t diagonal) const {
        const int tuple = rules_.tuple;
        // Adds the tuple's letters that a chain on the same diagonal does not cover yet.
        const auto along = [&](const Chain& chain) { return chain.score + std::min(tuple, i - chain.first); };
        for (std::size_t k = best_; k != 0; k = chains_[k].next) {
            const Chain& chain = chains_[k];
            if (i - j == chain.first - chain.second) {
                if (chain.first < i) return along(chain);
            } else if (chain.first + tuple - 1 < i && chain.second + tuple - 1 < j) {
                const std::size_t own = lastOf_[diagonal];
                return std::max(own == 0 ? tuple : along(chains_[own]),
                                chain.score - rules_.gapPenalty + tuple);
            }
        }
        return tuple;
    }

    void insert(Chain chain) {
        const std::size_t place = chains_.size();
        if (best_ == 0 || chain.score >= chains_[best_].score) {
            chain.next = std::exchange(best_, place);
            chains_.push_back(chain);
            return;
        }
        std::size_t before = best_;
        while (chains_[before].next != 0 && chain.score < chains_[chains_[before].next].score)
            before = chains_[before].next;
        chain.next = std::exchange(chains_[before].next, place);
        chains_.push_back(chain);
    }

    const QuickRules& rules_;
    std::size_t mostChains_;
    std::size_t diagonals_ = 0;  ///< counted from 1
    std::vector<int> counts_;
    std::vector<std::size_t> numbers_;  ///< diagonals of the counts_
    std::vector<bool> isNear_;
    std::vector<std::size_t> lastOf_;  ///< [diagonal]: its last chain
    std::vector<Chain> chains_;        ///< counted from 1
    std::size_t best_ = 0;
};

}  // namespace

QuickRules quickRules(Alphabet alphabet) {
    return isNucleotide(alphabet) ? QuickRules{2, 4, 4, 5} : QuickRules{};
}

std::vector<double> quickDistances(const Sequences& sequences, const QuickRules& rules, Progress& progress) {
    const std::size_t n = sequences.size();
    std::vector<Tuples> tuples(n);
    for (std::size_t k = 0; k < n; ++k)
        tuples[k] = tuplesOf(sequences.letters[k], isNucleotide(sequences.alphabet), rules.tuple);
    std::vector<double> distances(n * (n - 1) / 2);
    progress.begin("quick pairs", static_cast<double>(distances.size()));
    std::vector<QuickPair> workers(static_cast<std::size_t>(omp_get_max_threads()),
                                   QuickPair(rules, sequences.longest()));
    // Start with the long rows.
    parallelFor(omp_get_max_threads(), n - 1, [&](std::size_t k, std::size_t thread) {
        const std::size_t row = n - 1 - k;
        for (std::size_t column = 0; column < row; ++column) {
            const std::size_t letters = sequences.letters[column].size(),
                              others = sequences.letters[row].size();
            const int score = workers[thread].score(tuples[column], tuples[row], letters, others);
            // In ClustalW's order of operations, for the same rounding.
            const double percent =
                static_cast<double>(score) / static_cast<double>(std::min(letters, others)) * 100.0;
            distances[row * (row - 1) / 2 + column] = (100.0 - percent) / 100.0;
        }
        progress.advance(static_cast<double>(row));
    });
    return distances;
}

}  // namespace glycine::align::clustalw
