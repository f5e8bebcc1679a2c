#pragma once

#include <cstddef>

/// From joint tables in shared memory to mutual information.
namespace glycine::cuda {

/// The joint tables of all pairs of two panels.
template <class Sum>
struct JointTables {
    Sum* table;       ///< panel side × panel side
    unsigned pitch;   ///< of the table, from row to row
    Sum* columnSums;  ///< genes × panel side: of the rows of one gene
    Sum* totals;      ///< genes × genes
    unsigned side;
    unsigned genes;
    unsigned bins;  ///< that the table has
};

/// What a sum contributes to the information, times all samples; `scale`: samples / marginal of its row.
template <class Sum>
__device__ inline Sum shareOf(Sum value, Sum scale, Sum columnMarginal) {
    return value > 0 && columnMarginal > 0 ? value * log2(value * scale / columnMarginal) : Sum(0);
}

/// Calls take(x, y, information in bits) for all pairs of genes; NaN where a table is empty. Destroys the
/// tables, which all threads of the block see beforehand. With sums v of a table, their sums m over rows and
/// over columns, and the sum n of all: I = Σ v/n log₂(v n / (m m')). What is common to all of them cancels.
template <class Sum, class Take>
__device__ inline void findInformation(const JointTables<Sum>& tables, unsigned threads, const Take& take) {
    const unsigned genes = tables.genes;
    const unsigned bins = tables.bins;
    const unsigned rows = genes * bins;
    for (unsigned i = threadIdx.x; i < genes * rows; i += threads) {
        const unsigned x = i / rows;
        const unsigned column = i % rows;
        Sum sum = 0;
        for (unsigned k = 0; k < bins; ++k) sum += tables.table[(x * bins + k) * tables.pitch + column];
        tables.columnSums[x * tables.side + column] = sum;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < genes * genes; i += threads) {
        const Sum* sums = tables.columnSums + i / genes * tables.side + i % genes * bins;
        Sum total = 0;
        for (unsigned l = 0; l < bins; ++l) total += sums[l];
        tables.totals[i] = total;
    }
    __syncthreads();
    // A thread a row of a pair's table, whose first element its share then replaces.
    for (unsigned i = threadIdx.x; i < rows * genes; i += threads) {
        const unsigned row = i / genes;
        const unsigned x = row / bins;
        const unsigned y = i % genes;
        Sum* cells = tables.table + row * tables.pitch + y * bins;
        const Sum* columnSums = tables.columnSums + x * tables.side + y * bins;
        Sum rowSum = 0;
        for (unsigned l = 0; l < bins; ++l) rowSum += cells[l];
        const Sum scale = rowSum > 0 ? tables.totals[x * genes + y] / rowSum : Sum(0);
        Sum share = 0;
        for (unsigned l = 0; l < bins; ++l) share += shareOf(cells[l], scale, columnSums[l]);
        cells[0] = share;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < genes * genes; i += threads) {
        const unsigned x = i / genes;
        const unsigned y = i % genes;
        const Sum total = tables.totals[i];
        Sum sum = 0;
        for (unsigned k = 0; k < bins; ++k) sum += tables.table[(x * bins + k) * tables.pitch + y * bins];
        take(x, y,
             total > 0 ? fmax(0.0, double(sum) / double(total)) : __longlong_as_double(0x7ff8000000000000LL));
    }
}

/// The same where every sample has all genes, and the tables lack the last bin of each: what a row or a
/// column lacks of the marginal of its bin. `rowMarginals`, `columnMarginals`: of the rows of both panels.
template <class Take>
__device__ inline void findCompleteInformation(const JointTables<double>& tables, double samples,
                                               const double* rowMarginals, const double* columnMarginals,
                                               unsigned threads, const Take& take) {
    const unsigned genes = tables.genes;
    const unsigned bins = tables.bins;
    const unsigned rows = genes * bins;
    double* const lastRows = tables.columnSums;
    for (unsigned i = threadIdx.x; i < genes * rows; i += threads) {
        const unsigned x = i / rows;
        const unsigned column = i % rows;
        double rest = columnMarginals[column];
        for (unsigned k = 0; k < bins; ++k) rest -= tables.table[(x * bins + k) * tables.pitch + column];
        lastRows[x * tables.side + column] = rest;
    }
    __syncthreads();
    // A thread a row of a pair's table, the last ones behind all others.
    for (unsigned i = threadIdx.x; i < (rows + genes) * genes; i += threads) {
        const unsigned row = i / genes;
        const unsigned y = i % genes;
        const bool isLast = row >= rows;
        const unsigned x = isLast ? row - rows : row / bins;
        double* cells = (isLast ? lastRows + x * tables.side : tables.table + row * tables.pitch) + y * bins;
        double rowMarginal = isLast ? samples : rowMarginals[row];
        if (isLast)
            for (unsigned k = 0; k < bins; ++k) rowMarginal -= rowMarginals[x * bins + k];
        const double scale = rowMarginal > 0 ? samples / rowMarginal : 0.0;
        double rest = rowMarginal;
        double lastMarginal = samples;
        double share = 0;
        for (unsigned l = 0; l < bins; ++l) {
            const double marginal = columnMarginals[y * bins + l];
            rest -= cells[l];
            lastMarginal -= marginal;
            share += shareOf(cells[l], scale, marginal);
        }
        share += shareOf(rest, scale, lastMarginal);
        (isLast ? tables.totals[x * genes + y] : cells[0]) = share;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < genes * genes; i += threads) {
        const unsigned x = i / genes;
        const unsigned y = i % genes;
        double sum = tables.totals[i];
        for (unsigned k = 0; k < bins; ++k) sum += tables.table[(x * bins + k) * tables.pitch + y * bins];
        take(x, y, fmax(0.0, sum / samples));
    }
}

}  // namespace glycine::cuda
