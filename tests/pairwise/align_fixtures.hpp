#pragma once

#include "engine/core/matrix.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "tests/test.hpp"

namespace glycine::test {

/// Score and identities of each pair below the diagonal, in one tile.
struct PairNumbers {
    Matrix<std::int32_t> scores;
    Matrix<std::int32_t> identities;
    pairwise::PairResult of(std::size_t row, std::size_t column) const {
        return {scores(row, column), identities(row, column)};
    }
};
inline PairNumbers pairNumbers(Backend& backend, const Sequences& sequences,
                               const pairwise::PairScoring& scoring, pairwise::Variant variant = {}) {
    const std::size_t n = sequences.size();
    PairNumbers numbers{Matrix<std::int32_t>(n, n, -1), Matrix<std::int32_t>(n, n, -1)};
    const MatrixView<std::int32_t> views[] = {numbers.scores.view(), numbers.identities.view()};
    const pairwise::PairwiseRequest request =
        pairwise::requestFor(sequences, {.scoring = scoring, .variant = variant});
    const auto engine = createImplementation<pairwise::PairwiseEngine>(backend);
    if (const Support support = engine->supports(request); !support) throw UnavailableError(support.reason());
    engine->start(sequences, request)->compute({{0, n}, {0, n}}, views, silentProgress());
    return numbers;
}

inline void writeFasta(const std::filesystem::path& path, const Sequences& sequences) {
    std::string text;
    for (std::size_t i = 0; i < sequences.size(); ++i)
        text += ">" + sequences.names[i] + "\n" + sequences.letters[i] + "\n";
    writeFile(path, text);
}

}  // namespace glycine::test
