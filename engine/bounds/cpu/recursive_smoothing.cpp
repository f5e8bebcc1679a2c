#include "engine/bounds/cpu/recursive_smoothing.hpp"

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

namespace glycine::bounds::cpu {

namespace {

template <class T>
class RecursiveFloydWarshall {
  public:
    RecursiveFloydWarshall(SymmetricTiles<T>& tiles, const MinPlusKernel<T>& kernel, int threads,
                           Progress& progress)
        : tiles_(tiles),
          kernel_(kernel),
          products_(kernel, tiles.side()),
          side_(tiles.side()),
          threads_(threads),
          progress_(progress) {
        for (int thread = 0; thread < threads; ++thread)
            scratch_.emplace_back(4, packedSize<T>(side_, side_));
    }

    void run() {
        const std::size_t count = tiles_.count();
        progress_.begin("upper bounds", static_cast<double>(count * count * (count + 1) / 2));
        const Range all{0, count};
#pragma omp parallel num_threads(threads_)
#pragma omp single
        relax(all, all, all);
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    /// Relaxes tiles of these rows and columns through those of k. Any two of the ranges are equal or
    /// disjoint. Another call relaxes the mirror image of the elements below the diagonal.
    void relax(Range rows, Range columns, Range through) {
        if (rows.size() == 0 || columns.size() == 0 || through.size() == 0 || rows.begin >= columns.end)
            return;
        if (rows.size() == 1 && columns.size() == 1 && through.size() == 1)
            return relaxTile(rows.begin, columns.begin, through.begin);
        const Halves i(rows), j(columns), k(through);
        if (rows == through && columns == through) {
            relax(i.first, j.first, k.first);
            relax(i.first, j.second, k.first);
            relax(i.second, j.second, k.first);
            relax(i.second, j.second, k.second);
            relax(i.first, j.second, k.second);
            relax(i.first, j.first, k.second);
        } else if (rows == through) {
            together({j.first, j.second}, [&](Range own) {
                relax(i.first, own, k.first);
                relax(i.second, own, k.first);
                relax(i.second, own, k.second);
                relax(i.first, own, k.second);
            });
        } else if (columns == through) {
            together({i.first, i.second}, [&](Range own) {
                relax(own, j.first, k.first);
                relax(own, j.second, k.first);
                relax(own, j.second, k.second);
                relax(own, j.first, k.second);
            });
        } else {
            for (const Range half : {k.first, k.second})
                together({i.first, i.second}, [&](Range own) {
                    together({j.first, j.second}, [&](Range other) { relax(own, other, half); });
                });
        }
    }

    struct Halves {
        explicit Halves(Range range) {
            const std::size_t middle = range.begin + (range.size() + 1) / 2;
            first = {range.begin, middle};
            second = {middle, range.end};
        }
        Range first, second;
    };

    /// Both parts of work at the same time; neither reads what the other writes.
    template <class Work>
    void together(const Range (&parts)[2], const Work& work) {
        const Range first = parts[0];
#pragma omp task shared(work) firstprivate(first)
        work(first);
        work(parts[1]);
#pragma omp taskwait
    }

    /// No exception may leave a task.
    void relaxTile(std::size_t row, std::size_t column, std::size_t through) {
        if (stopped_) return;
        try {
            Matrix<T>& scratch = scratch_[static_cast<std::size_t>(omp_get_thread_num())];
            if (row == through && column == through)
                products_.close(tiles_.tile(row, row), tiles_.range(row).size(), scratch);
            else
                multiply(row, column, through, scratch);
            progress_.advance(1);
        } catch (...) {
            if (!stopped_.exchange(true)) failure_ = std::current_exception();
        }
    }

    /// Tiles on the diagonal are computed on both sides of it, because they are operands as a whole.
    void multiply(std::size_t row, std::size_t column, std::size_t through, Matrix<T>& scratch) {
        T* const left = scratch.row(0);
        T* const right = scratch.row(1);
        pack(left, kernel_.rows, through, row, scratch.row(2));
        pack(right, kernel_.columns, through, column, scratch.row(3));
        products_.multiply(left, right, tiles_.range(through).size(), tiles_.tile(row, column),
                           paddedSize(row), paddedSize(column));
    }

    /// Packs the tile of rows `through` and of columns `block`.
    void pack(T* packed, std::size_t width, std::size_t through, std::size_t block, T* turned) {
        const bool isStored = through <= block;
        if (!isStored) products_.transpose(tiles_.tile(block, through), turned);
        const T* const tile = isStored ? tiles_.tile(through, block) : turned;
        packStrips<T>(
            packed, width, tiles_.range(through).size(), [&](std::size_t k) { return tile + k * side_; },
            paddedSize(block), paddedSize(block), T(0));
    }

    std::size_t paddedSize(std::size_t block) const {
        return roundUp(tiles_.range(block).size(), kMinPlusBlock);
    }

    SymmetricTiles<T>& tiles_;
    const MinPlusKernel<T>& kernel_;
    TileProducts<T> products_;
    std::size_t side_;
    int threads_;
    Progress& progress_;
    std::vector<Matrix<T>> scratch_;  ///< of a thread: two packed operands, and room to turn each
    std::atomic<bool> stopped_{false};
    std::exception_ptr failure_;
};

}  // namespace

template <class T>
void closeUpperBoundsRecursively(SymmetricTiles<T>& upper, const MinPlusKernel<T>& kernel, int threads,
                                 Progress& progress) {
    RecursiveFloydWarshall<T>(upper, kernel, threads, progress).run();
}

template void closeUpperBoundsRecursively(SymmetricTiles<float>&, const MinPlusKernel<float>&, int,
                                          Progress&);
template void closeUpperBoundsRecursively(SymmetricTiles<double>&, const MinPlusKernel<double>&, int,
                                          Progress&);
template void closeUpperBoundsRecursively(SymmetricTiles<std::int32_t>&, const MinPlusKernel<std::int32_t>&,
                                          int, Progress&);

}  // namespace glycine::bounds::cpu
