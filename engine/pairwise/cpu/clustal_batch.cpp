#include "engine/pairwise/cpu/clustal_batch.hpp"

#include <algorithm>

#include "engine/core/tiling.hpp"
#include "engine/pairwise/clustal_scoring.hpp"

namespace glycine::pairwise::cpu {

namespace {

template <class Number>
Number* room(Matrix<Number>& memory, std::size_t numbers) {
    if (memory.size() < numbers) memory = Matrix<Number>(1, numbers);
    return memory.data();
}

}  // namespace

ClustalBatch::ClustalBatch(const ClustalKernel& kernel, const SubstitutionMatrix& matrix)
    : kernel_(kernel), letters_(matrix.size), paths_(kernel, matrix) {
    std::int32_t* const table = room(table_, kTableSide * kTableSide);
    for (std::size_t a = 0; a < kTableSide; ++a)
        for (std::size_t b = 0; b < kTableSide; ++b)
            table[a * kTableSide + b] = a < matrix.size && b < matrix.size ? matrix.scores[a][b] : kNever;
}

std::size_t ClustalBatch::bytesOf(const ClustalKernel& kernel, std::size_t rows, std::size_t columns) {
    return rows * roundUp(columns, kernel.columnsAtOnce) * kClustalMarks * kernel.markBytes;
}

void ClustalBatch::align(Codes a, std::span<const Codes> others, Alphabet alphabet) {
    const std::size_t lanes = kernel_.lanes;
    a_ = a;
    others_ = others;
    alphabet_ = alphabet;
    std::size_t longest = 0;
    for (const Codes other : others) longest = std::max(longest, other.size());
    block_.query = a.data();
    block_.rows = a.size();
    block_.columnCount = roundUp(longest, kernel_.columnsAtOnce);
    block_.letters = letters_;
    block_.table = table_.data();
    block_.state = room(state_, 2 * a.size() * lanes);
    block_.profile = room(profile_, kTableSide * kernel_.columnsAtOnce * lanes);
    block_.marks = room(marks_, bytesOf(kernel_, a.size(), longest));
    std::int32_t* const perLane = room(perLane_, 4 * lanes);
    block_.open = perLane;
    block_.score = perLane + lanes;
    block_.row = perLane + 2 * lanes;
    block_.column = perLane + 3 * lanes;
    std::uint8_t* const columns = room(columns_, block_.columnCount * lanes);
    std::fill_n(columns, block_.columnCount * lanes, kBeyondEnd);
    block_.columns = columns;
    std::fill_n(perLane, lanes, 1);
    for (std::size_t lane = 0; lane < others.size(); ++lane) {
        const Codes b = others[lane];
        const GapPenalties gaps = clustalPenalties(alphabet, a.size(), b.size());
        perLane[lane] = gaps.open;
        block_.extend = gaps.extend;
        for (std::size_t j = 0; j < b.size(); ++j) columns[j * lanes + lane] = b[j];
    }
    kernel_.findPaths(block_);
}

std::int64_t ClustalBatch::identities(std::size_t lane) {
    if (block_.score[lane] == 0) {
        paths_.clear();
        return 0;
    }
    return paths_.follow(block_, lane, a_, others_[lane],
                         clustalPenalties(alphabet_, a_.size(), others_[lane].size()));
}

}  // namespace glycine::pairwise::cpu
