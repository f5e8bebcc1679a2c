// One pair computed by all warps of a block, as `cuda` computes few long pairs, here in plain C++ without a
// device. Between two barriers, each warp runs all its steps before the next warp does, in either order, so
// that values read or overwritten too early are detected.
#include "kernels_cuda/pairwise/pair_stripes.hpp"
#include "engine/pairwise/lane_numbers.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/pairwise/reference/serial_pair.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "tests/test.hpp"

namespace glycine::pairwise {
namespace {

using glycine::cuda::kAlignLanes;
using glycine::cuda::kStripeRing;
using glycine::cuda::kStripeSteps;
using glycine::cuda::StripeBorder;
using glycine::cuda::StripeLane;
using glycine::cuda::StripeShape;
using Letters = std::vector<std::uint8_t>;

/// Does what alignPair of align_stripes.cu does. Returns the pair's number.
template <class Number, Recurrence kRecurrence>
std::int64_t alignInStripes(const Letters& query, const Letters& other, unsigned warps, bool isAscending,
                            const LaneNumbers& numbers) {
    using Lane = glycine::cuda::Single<Number, static_cast<int>(glycine::cuda::kStripeColumns)>;
    using Stripe = StripeLane<Lane, kRecurrence>;
    std::vector<Number> table(kTableSide * kTableSide);
    numbers.fill(table.data());
    const auto minusOpen = static_cast<Number>(-numbers.open()),
               minusExtend = static_cast<Number>(-numbers.extend());
    const Number border = glycine::cuda::alignBorder<Lane, kRecurrence>(numbers.open());
    const StripeShape shape{static_cast<unsigned>(query.size()), static_cast<unsigned>(other.size()), warps};
    // Far above all correct values, so that it would be chosen.
    const StripeBorder<Number> poison{Number{1} << 28, Number{1} << 28};
    std::vector<StripeBorder<Number>> rings(warps * kStripeRing, poison), memory(shape.rows, poison);
    Number highest = 0, last = 0;
    std::size_t lasts = 0;
    for (unsigned panel = 0; panel < shape.panels(); ++panel) {
        std::vector<Stripe> lanes(warps * kAlignLanes);
        for (unsigned k = 0; k < lanes.size(); ++k)
            lanes[k].open(shape, other.data(), panel, k / kAlignLanes, k % kAlignLanes, minusOpen, border);
        const unsigned steps = shape.stepsOf(panel);
        std::vector<StripeBorder<Number>> kept(kAlignLanes, StripeBorder<Number>{border, border});
        for (unsigned begin = 0; begin < steps; begin += kStripeSteps)
            for (unsigned turn = 0; turn < warps; ++turn) {
                const unsigned warp = isAscending ? turn : warps - 1 - turn;
                Stripe* const lanesOfWarp = lanes.data() + warp * kAlignLanes;
                if (panel > 0 && warp == 0)
                    for (unsigned lane = 0; lane < kAlignLanes; ++lane)
                        if (begin + lane < shape.rows) kept[lane] = memory[begin + lane];
                for (unsigned step = begin; step < std::min(steps, begin + kStripeSteps); ++step) {
                    StripeBorder<Number> in[kAlignLanes];
                    for (unsigned lane = 0; lane < kAlignLanes; ++lane)
                        in[lane] = lanesOfWarp[(lane + kAlignLanes - 1) % kAlignLanes].out;
                    for (unsigned lane = 0; lane < kAlignLanes; ++lane) {
                        unsigned row = 0;
                        if (!lanesOfWarp[lane].rowAt(shape, step, row)) continue;
                        if (lane == 0)
                            in[0] = warp > 0 ? rings[(warp - 1) * kStripeRing + row % kStripeRing]
                                             : kept[step % kStripeSteps];
                        lanesOfWarp[lane].work(table.data() + query[row] * kTableSide, in[lane], minusOpen,
                                               minusExtend);
                        if (lane + 1 < kAlignLanes) continue;
                        if (warp + 1 < shape.warpsOf(panel))
                            rings[warp * kStripeRing + row % kStripeRing] = lanesOfWarp[lane].out;
                        if (panel + 1 < shape.panels() && warp + 1 == warps)
                            memory[row] = lanesOfWarp[lane].out;
                    }
                }
            }
        for (const Stripe& lane : lanes) {
            highest = std::max(highest, lane.highest);
            if (panel + 1 == shape.panels() && lane.hasLast(shape, last)) ++lasts;
        }
    }
    EXPECT_EQ(lasts, 1U);
    return kRecurrence == Recurrence::Local ? highest : last;
}

template <class Number, Recurrence kRecurrence>
void expectReference(const Sequences& sequences, const PairScoring& scoring, const PairResult& expected) {
    const Letters &a = sequences.codes[0], &b = sequences.codes[1];
    const std::size_t longest = sequences.longest();
    const LaneNumbers numbers(scoring, longest, longest, true);
    ASSERT_TRUE(numbers.fit<Number>());
    for (const bool isAscending : {true, false})
        for (const unsigned warps : {2U, 3U, 16U}) {
            const std::int64_t number =
                alignInStripes<Number, kRecurrence>(a, b, warps, isAscending, numbers);
            const PairResult found = numbers.resultOf(number, a.size(), b.size());
            EXPECT_EQ(found.score, expected.score)
                << a.size() << " x " << b.size() << ", " << warps << " warps";
            EXPECT_EQ(found.identities, expected.identities) << a.size() << " x " << b.size();
        }
}

TEST(PairStripes, AreTheReference) {
    const SubstitutionMatrix matrix = namedMatrix("BLOSUM62", Alphabet::Protein);
    const PairScoring linear = thesisScoring(Alphabet::Protein);
    const PairScoring affine{PairMethod::Global, matrix, {11, 1}}, local{PairMethod::Local, matrix, {11, 1}};
    const CellProgress nothing = [](double) {};
    // The columns of a lane, a stripe, and a panel of two, three and sixteen warps, and adjacent numbers;
    // fewer and more rows.
    for (const auto& [rows, columns] : std::vector<std::pair<std::size_t, std::size_t>>{{1, 1},
                                                                                        {1, 300},
                                                                                        {300, 1},
                                                                                        {31, 8},
                                                                                        {32, 9},
                                                                                        {33, 255},
                                                                                        {70, 256},
                                                                                        {257, 257},
                                                                                        {140, 512},
                                                                                        {200, 513},
                                                                                        {65, 768},
                                                                                        {400, 769},
                                                                                        {129, 1700},
                                                                                        {40, 4096},
                                                                                        {40, 4097}}) {
        Sequences sequences = randomSequences({.count = 2,
                                               .length = std::max(rows, columns) + 400,
                                               .divergence = 0.3,
                                               .gaps = 0.01,
                                               .shortest = 0.99,
                                               .ambiguous = 0.02,
                                               .seed = rows + columns});
        sequences.codes[0].resize(rows);
        sequences.codes[1].resize(columns);
        const Letters &a = sequences.codes[0], &b = sequences.codes[1];
        const PairResult one = reference::alignGlobalLinear(a, b, linear, nothing);
        expectReference<std::int32_t, Recurrence::Linear>(sequences, linear, one);
        const PairResult two = reference::alignGlobalAffine(a, b, affine, nothing);
        expectReference<std::int32_t, Recurrence::Affine>(sequences, affine, two);
        expectReference<std::int64_t, Recurrence::Affine>(sequences, affine, two);
        const PairResult three = reference::alignLocal(a, b, local, nothing);
        expectReference<std::int32_t, Recurrence::Local>(sequences, local, three);
    }
}

}  // namespace
}  // namespace glycine::pairwise
