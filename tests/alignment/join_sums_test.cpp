// The per-thread computations of cuda's joins, without a device; and joins of groups on the host, compared
// with a plain dynamic program.
#include "kernels_cuda/alignment/join_kernels.hpp"

#include "engine/core/matrix.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "tests/alignment/join_fixtures.hpp"
#include "tests/alignment/posterior_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::align {
namespace {

using glycine::cuda::JoinMember;
using glycine::cuda::JoinTable;
using glycine::cuda::PlacedPosterior;

/// The chain by the whole matrix; among equal sums, the row above wins, then the previous column.
ColumnChain plainChain(const Matrix<double>& sums) {
    const std::size_t rows = sums.rows(), columns = sums.columns();
    Matrix<double> best(rows + 1, columns + 1, 0);
    for (std::size_t i = 1; i <= rows; ++i)
        for (std::size_t j = 1; j <= columns; ++j)
            best(i, j) = std::max({best(i - 1, j), best(i, j - 1), best(i - 1, j - 1) + sums(i - 1, j - 1)});
    ColumnChain chain;
    for (std::size_t i = rows, j = columns; i > 0 && j > 0;) {
        if (best(i, j) == best(i - 1, j)) {
            --i;
        } else if (best(i, j) == best(i, j - 1)) {
            --j;
        } else {
            --i, --j;
            chain.emplace_back(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j));
        }
    }
    return {chain.rbegin(), chain.rend()};
}

Matrix<double> plainSums(const GroupsOfSequences& all, const GroupJoin& join,
                         const PosteriorSet& posteriors) {
    Matrix<double> sums(join.firstWidth, join.secondWidth, 0);
    for (const std::size_t x : join.first)
        for (const std::size_t y : join.second)
            for (std::size_t row = 0; row < all.residues[x].size(); ++row)
                for (const PosteriorEntry& entry : posteriors.pair(x, y).row(row))
                    sums(all.residues[x][row], all.residues[y][entry.column]) +=
                        all.weights[x] * all.weights[y] * static_cast<double>(entry.value);
    return sums;
}

double sumAlong(const ColumnChain& chain, const Matrix<double>& sums) {
    double sum = 0;
    for (const auto& [i, j] : chain) sum += sums(i, j);
    return sum;
}

TEST(GroupJoins, OnTheHostAreThoseOfAPlainDynamicProgram) {
    const Sequences sequences = randomSequences({.count = 13, .length = 40, .seed = 3});
    const PosteriorSet posteriors = posteriorsByReference(sequences);
    for (const std::size_t each : {1U, 3U, 6U}) {
        const GroupsOfSequences all(sequences, each, 4);
        const auto joins = joinsOnHost(posteriors, all.weights);
        const std::vector<ColumnChain> chains =
            joins->heaviestChains(all.joins, all.residues, silentProgress());
        for (std::size_t k = 0; k < chains.size(); ++k) {
            const Matrix<double> sums = plainSums(all, all.joins[k], posteriors);
            EXPECT_TRUE(std::ranges::is_sorted(chains[k]));
            EXPECT_NEAR(sumAlong(chains[k], sums), sumAlong(plainChain(sums), sums), 1e-5);
        }
    }
}

TEST(GroupJoins, TakeTheSameOfEqualChains) {
    const Sequences sequences = randomSequences({.count = 12, .length = 30, .seed = 5});
    const PosteriorSet posteriors = roundPosteriors(posteriorsByReference(sequences));
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        GroupsOfSequences all(sequences, 3, seed);
        std::ranges::fill(all.weights, 1.0);
        const auto joins = joinsOnHost(posteriors, all.weights);
        const std::vector<ColumnChain> chains =
            joins->heaviestChains(all.joins, all.residues, silentProgress());
        for (std::size_t k = 0; k < chains.size(); ++k)
            EXPECT_EQ(chains[k], plainChain(plainSums(all, all.joins[k], posteriors)));
    }
}

TEST(JoinSums, OfThreadsAreThoseOfTheGroups) {
    const Sequences sequences = randomSequences({.count = 12, .length = 35, .shortest = 0.4, .seed = 7});
    const PosteriorSet posteriors = posteriorsByReference(sequences);
    const GroupsOfSequences all(sequences, 3, 8);
    std::vector<std::uint64_t> begins{0};
    std::vector<std::uint32_t> columns;
    for (const auto& one : all.residues) {
        columns.insert(columns.end(), one.begin(), one.end());
        begins.push_back(columns.size());
    }
    // The last group is in no join.
    std::vector<JoinMember> members(sequences.size(), {glycine::cuda::kNoJoin, 0});
    std::vector<std::vector<unsigned long long>> sums;
    std::vector<JoinTable> tables;
    const float scale = 1 << 20;
    sums.reserve(all.joins.size());
    for (std::size_t k = 0; k < all.joins.size(); ++k) {
        const GroupJoin& join = all.joins[k];
        for (const std::size_t x : join.first) members[x] = {static_cast<std::uint32_t>(k), 0};
        for (const std::size_t x : join.second) members[x] = {static_cast<std::uint32_t>(k), 1};
        sums.emplace_back(join.firstWidth * join.secondWidth, 0);
        tables.push_back({sums.back().data(), nullptr, static_cast<std::uint32_t>(join.firstWidth),
                          static_cast<std::uint32_t>(join.secondWidth), scale});
    }
    std::vector<std::vector<PosteriorEntry>> entries;
    std::vector<PlacedPosterior> pairs;
    for (std::uint32_t x = 0; x < sequences.size(); ++x)
        for (std::uint32_t y = 0; y < x; ++y) {
            // Either direction may be the stored one.
            const std::uint32_t first = (x + y) % 3 == 0 ? y : x, second = first == x ? y : x;
            const PosteriorView pair = posteriors.pair(first, second);
            entries.emplace_back();
            for (const PosteriorEntry& entry : pair.entries())
                entries.back().push_back({entry.column, entry.value});
            pairs.push_back({pair.begins().data(), entries.back().data(), first, second,
                             static_cast<std::uint32_t>(pair.rows()),
                             static_cast<std::uint32_t>(posteriors.pair(second, first).rows())});
        }
    const glycine::cuda::JoinWork work{pairs.data(), static_cast<std::uint32_t>(pairs.size()),
                                       all.weights.data(), begins.data(), columns.data()};
    for (std::uint32_t pair = 0; pair < pairs.size(); ++pair)
        for (std::uint32_t lane = 0; lane < 32; ++lane)
            glycine::cuda::addPairToJoin(work, members.data(), tables.data(), pair, lane, 32);
    for (std::size_t k = 0; k < all.joins.size(); ++k) {
        const Matrix<double> expected = plainSums(all, all.joins[k], posteriors);
        double sum = 0;
        for (std::size_t i = 0; i < expected.rows(); ++i)
            for (std::size_t j = 0; j < expected.columns(); ++j) {
                const unsigned long long found = sums[k][i * expected.columns() + j];
                EXPECT_NEAR(static_cast<double>(found) / static_cast<double>(scale), expected(i, j), 1e-5);
                sum += expected(i, j);
            }
        EXPECT_GT(sum, 1);
    }

    // As if all sequences were in one alignment.
    std::vector<unsigned long long> within(columns.size(), 0);
    for (std::uint32_t pair = 0; pair < pairs.size(); ++pair)
        for (std::uint32_t lane = 0; lane < 32; ++lane)
            glycine::cuda::addPairWithin(work, scale, within.data(), pair, lane, 32);
    const ResidueValues expected =
        joinsOnHost(posteriors, all.weights)->sumsWithin(all.residues, silentProgress());
    auto sum = within.begin();
    double whole = 0;
    for (std::size_t x = 0; x < expected.size(); ++x)
        for (std::size_t place = 0; place < expected[x].size(); ++place, ++sum) {
            EXPECT_NEAR(static_cast<double>(*sum) / static_cast<double>(scale), expected[x][place], 1e-4);
            // By definition.
            double plain = 0;
            for (std::size_t y = 0; y < expected.size(); ++y)
                if (y != x)
                    for (const PosteriorEntry& entry : posteriors.pair(x, y).row(place))
                        if (all.residues[y][entry.column] == all.residues[x][place])
                            plain += all.weights[y] * static_cast<double>(entry.value);
            EXPECT_DOUBLE_EQ(expected[x][place], plain);
            whole += plain;
        }
    EXPECT_GT(whole, 1);
}

}  // namespace
}  // namespace glycine::align
