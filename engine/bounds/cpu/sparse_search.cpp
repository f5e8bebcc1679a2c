#include "engine/bounds/cpu/sparse_search.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "engine/core/parallel.hpp"

namespace glycine::bounds::cpu {

namespace {

/// The known bounds as a list of neighbours of each atom (compressed rows).
template <class T>
class KnownGraph {
  public:
    KnownGraph(MatrixView<const T> upper, const KnownBounds<T>& known, int threads)
        : firstEdge_(upper.rows() + 1), neighbours_(known.edges), lengths_(known.edges) {
        const std::size_t n = upper.rows();
        const auto isKnown = [&](std::size_t i, std::size_t j) { return i != j && upper(i, j) < known.cap; };
        parallelFor(threads, n, [&](std::size_t i, std::size_t) {
            for (std::size_t j = 0; j < n; ++j) firstEdge_[i + 1] += isKnown(i, j);
        });
        for (std::size_t i = 0; i < n; ++i) firstEdge_[i + 1] += firstEdge_[i];
        parallelFor(threads, n, [&](std::size_t i, std::size_t) {
            std::size_t edge = firstEdge_[i];
            for (std::size_t j = 0; j < n; ++j)
                if (isKnown(i, j)) {
                    neighbours_[edge] = static_cast<std::uint32_t>(j);
                    lengths_[edge++] = upper(i, j) + T(0);
                }
        });
    }
    std::size_t atoms() const { return firstEdge_.size() - 1; }
    std::size_t degree(std::size_t atom) const { return firstEdge_[atom + 1] - firstEdge_[atom]; }
    const std::uint32_t* neighbours(std::size_t atom) const { return neighbours_.data() + firstEdge_[atom]; }
    const T* lengths(std::size_t atom) const { return lengths_.data() + firstEdge_[atom]; }

  private:
    std::vector<std::size_t> firstEdge_;
    std::vector<std::uint32_t> neighbours_;
    std::vector<T> lengths_;
};

/// Shortest paths from kSearchSources neighbouring atoms at once.
template <class T>
class Search {
  public:
    Search(const KnownGraph<T>& graph, const MinPlusKernel<T>& kernel)
        : graph_(graph),
          kernel_(kernel),
          distances_(graph.atoms(), kSearchSources),
          pending_(graph.atoms(), kNotPending),
          improved_(graph.atoms()) {}

    /// Afterwards distances(j)[s] is min(cap, path from firstSource + s to j).
    void run(std::size_t firstSource, std::size_t sources, T cap) {
        std::fill_n(distances_.data(), distances_.size(), cap);
        for (std::size_t source = 0; source < sources; ++source) {
            distances_(firstSource + source, source) = 0;
            enqueue(firstSource + source, 0);
        }
        T from[kSearchSources];
        while (!queue_.empty()) {
            const auto [key, atom] = queue_.top();
            queue_.pop();
            if (key != pending_[atom]) continue;  // superseded by an entry with a smaller key
            pending_[atom] = kNotPending;
            std::copy_n(distances_.row(atom), kSearchSources, from);
            const std::size_t degree = graph_.degree(atom);
            const std::uint32_t* neighbours = graph_.neighbours(atom);
            const T* lengths = graph_.lengths(atom);
            kernel_.relax({degree, neighbours, lengths, from, distances_.data(), improved_.data()});
            for (std::size_t edge = 0; edge < degree; ++edge)
                if (improved_[edge]) enqueue(neighbours[edge], key + lengths[edge]);
        }
    }
    const T* distances(std::size_t atom) const { return distances_.row(atom); }

  private:
    static constexpr T kNotPending = std::numeric_limits<T>::max();
    using Entry = std::pair<T, std::uint32_t>;

    /// `key` is at most the smallest improved distance, and determines only the order.
    void enqueue(std::size_t atom, T key) {
        if (key >= pending_[atom]) return;
        pending_[atom] = key;
        queue_.emplace(key, static_cast<std::uint32_t>(atom));
    }

    const KnownGraph<T>& graph_;
    const MinPlusKernel<T>& kernel_;
    Matrix<T> distances_;
    std::vector<T> pending_;  ///< the key under which an atom waits in the queue
    std::vector<std::uint8_t> improved_;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace

template <class T>
double KnownBounds<T>::density(std::size_t atoms) const {
    if (atoms < 2) return 0;
    return static_cast<double>(edges) / (static_cast<double>(atoms) * static_cast<double>(atoms - 1));
}

template <class T>
KnownBounds<T> findKnownBounds(MatrixView<const T> upper, int threads) {
    const std::size_t n = upper.rows();
    std::vector<T> rowCap(n, T(0));
    std::vector<std::size_t> rowAtCap(n, 0);  // entries equal to rowCap
    parallelFor(threads, n, [&](std::size_t i, std::size_t) {
        T cap = 0;
        std::size_t atCap = 0;
        for (std::size_t j = 0; j < n; ++j) {
            if (j == i) continue;
            const T bound = upper(i, j);
            if (bound > cap) {
                cap = bound;
                atCap = 0;
            }
            atCap += bound == cap;
        }
        rowCap[i] = cap;
        rowAtCap[i] = atCap;
    });
    KnownBounds<T> known;
    known.cap = *std::max_element(rowCap.begin(), rowCap.end());
    std::size_t atCap = 0;
    for (std::size_t i = 0; i < n; ++i)
        if (rowCap[i] == known.cap) atCap += rowAtCap[i];
    known.edges = n * (n - 1) - atCap;
    return known;
}

template <class T>
void smoothUpperBoundsSparse(MatrixView<T> upper, const KnownBounds<T>& known, const MinPlusKernel<T>& kernel,
                             int threads, Progress& progress, bool isAboveAlone) {
    const std::size_t n = upper.rows();
    progress.begin("upper bounds", static_cast<double>(n));
    const KnownGraph<T> graph(upper, known, threads);
    std::vector<Search<T>> searches;
    for (int thread = 0; thread < threads; ++thread) searches.emplace_back(graph, kernel);
    const std::size_t batches = (n + kSearchSources - 1) / kSearchSources;
    parallelFor(threads, batches, [&](std::size_t batch, std::size_t thread) {
        const std::size_t first = batch * kSearchSources;
        const std::size_t sources = std::min(kSearchSources, n - first);
        Search<T>& search = searches[thread];
        search.run(first, sources, known.cap);
        for (std::size_t j = first; j < n; ++j) {
            const T* distances = search.distances(j);
            const std::size_t end = std::min(sources, j - first);
            for (std::size_t source = 0; source < end; ++source) upper(first + source, j) = distances[source];
            if (isAboveAlone) continue;
            std::copy_n(distances, end, upper.row(j) + first);
        }
        progress.advance(static_cast<double>(sources));
    });
}

// Measured on chains confined to a globule, atoms in the order of the chain, as in a protein (float32,
// AVX-512, the dense path at 71 to 73 G relaxations per second and thread). The sparse path broke even at
// densities of about 0.5 % for 1024 atoms, 2 % for 2048, more than 3 % for 4096, and was 2.7 times as fast at
// 0.4 % of 4096. Where known pairs have nothing to do with the order of the atoms it is slower, down to 0.6
// times the dense path: hence half of these.
bool isSparseFaster(std::size_t atoms, double density) {
    return atoms >= 1536 && density < 0.005 * (static_cast<double>(atoms) / 1024);
}

#define GLYCINE_INSTANTIATE(T)                                                                           \
    template struct KnownBounds<T>;                                                                      \
    template KnownBounds<T> findKnownBounds(MatrixView<const T>, int);                                   \
    template void smoothUpperBoundsSparse(MatrixView<T>, const KnownBounds<T>&, const MinPlusKernel<T>&, \
                                          int, Progress&, bool);
GLYCINE_INSTANTIATE(float)
GLYCINE_INSTANTIATE(double)
GLYCINE_INSTANTIATE(std::int32_t)
#undef GLYCINE_INSTANTIATE

}  // namespace glycine::bounds::cpu
