#include "engine/distance/cpu/direct_run.hpp"

#include <algorithm>
#include <type_traits>

#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/distance/cpu/sub_tiles.hpp"
#include "engine/distance/pair_sum.hpp"

namespace glycine::distance::cpu {

namespace {

constexpr std::size_t kPackBytes = std::size_t{16}
                                   << 20;  ///< coordinates of one side that are packed at once
/// Side of the blocks of pairs that a thread takes. The strips of one side stay in the second-level cache.
constexpr std::size_t kPackedSubTile = 128;
constexpr double kFewSums = 1e6;

std::size_t stripCount(std::size_t instances) {
    return (instances + kSumStrip - 1) / kSumStrip;
}

/// Packs strips run by run: all strips of the first kRun attributes, then those of the next.
template <class Number>
void pack(MatrixView<const Number> coordinates, Range instances, Range attributes, Matrix<Number>& strips,
          int threads) {
    const std::size_t count = stripCount(instances.size());
    const std::size_t size = count * kSumStrip * attributes.size();
    if (strips.size() < size) strips = Matrix<Number>(1, size);
    parallelFor(threads, count, [&](std::size_t s, std::size_t) {
        for (std::size_t first = 0; first < attributes.size(); first += kRun) {
            const std::size_t length = std::min(kRun, attributes.size() - first);
            Number* strip = strips.data() + (first * count + s * length) * kSumStrip;
            for (std::size_t i = 0; i < kSumStrip; ++i) {
                const std::size_t instance = instances.begin + s * kSumStrip + i;
                if (instance < instances.end) {
                    const Number* row = coordinates.row(instance) + attributes.begin + first;
                    for (std::size_t k = 0; k < length; ++k) strip[k * kSumStrip + i] = row[k];
                } else {
                    for (std::size_t k = 0; k < length; ++k) strip[k * kSumStrip + i] = 0;
                }
            }
        }
    });
}

}  // namespace

template <class Number>
DirectRun<Number>::DirectRun(MatrixView<const Number> coordinates, SumTerm term, InstructionSet instructions,
                             int threads)
    : coordinates_(coordinates),
      term_(term),
      kernel_(kernelFor<SumKernel<Number>>(instructions, term)),
      threads_(threads) {}

template <class Number>
double DirectRun<Number>::hostBytes(const DiscreteShape& shape, std::size_t tile) {
    const double packed = static_cast<double>(roundUp(std::min(tile, shape.instances), kSumStrip)) *
                          static_cast<double>(shape.attributes) * sizeof(Number);
    return std::min(packed, static_cast<double>(kPackBytes)) * (tile < shape.instances ? 2 : 1);
}

template <class Number>
void DirectRun<Number>::sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) {
    const std::size_t attributeCount = coordinates_.columns();
    const std::size_t runBytes = std::max(tile.rows.size(), tile.columns.size()) * kRun * sizeof(Number);
    const std::size_t block = std::max<std::size_t>(1, kPackBytes / runBytes) * kRun;
    const int threads = threadsFor(tile, attributeCount, kFewSums, threads_);
    const std::vector<PairTile> parts = subTiles(tile, kPackedSubTile, kSumStrip, threads);
    for (const Range attributes : splitRange(attributeCount, block)) {
        Stopwatch watch;
        pack(coordinates_, tile.rows, attributes, rowStrips_, threads);
        if (!tile.isDiagonal()) pack(coordinates_, tile.columns, attributes, columnStrips_, threads);
        const Number* columns = tile.isDiagonal() ? rowStrips_.data() : columnStrips_.data();
        times_.pack += watch.restart();
        parallelFor(threads, parts.size(), [&](std::size_t index, std::size_t) {
            const PairTile& part = parts[index];
            const MatrixView<double> target = pairs::partOf(sums, tile, part);
            sumPart(tile, part, attributes, rowStrips_.data(), columns, target);
            if constexpr (std::is_same_v<Number, float>)
                if (attributes.end == attributeCount) repairSums(coordinates_, term_, part, target);
            progress.advance(static_cast<double>(part.pairs()) * static_cast<double>(attributes.size()));
        });
        times_.compute += watch.seconds();
    }
}

template <class Number>
void DirectRun<Number>::sumPart(const PairTile& tile, const PairTile& part, Range attributes,
                                const Number* rows, const Number* columns, MatrixView<double> sums) const {
    if (attributes.begin == 0)
        for (std::size_t r = 0; r < sums.rows(); ++r) std::fill_n(sums.row(r), sums.columns(), 0.0);
    for (std::size_t first = 0; first < attributes.size(); first += kRun) {
        const std::size_t length = std::min(kRun, attributes.size() - first);
        const auto strip = [&](const Number* strips, Range instances, std::size_t begin) {
            return strips + first * kSumStrip * stripCount(instances.size()) +
                   (begin - instances.begin) * length;
        };
        kernel_.sum({.rowStrips = strip(rows, tile.rows, part.rows.begin),
                     .columnStrips = strip(columns, tile.columns, part.columns.begin),
                     .attributes = length,
                     .isDiagonal = part.isDiagonal(),
                     .sums = sums});
    }
}

template class DirectRun<float>;
template class DirectRun<double>;

}  // namespace glycine::distance::cpu
