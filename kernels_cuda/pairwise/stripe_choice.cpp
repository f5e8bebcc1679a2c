#include "kernels_cuda/pairwise/stripe_choice.hpp"

#include <algorithm>

#include "kernels_cuda/pairwise/pair_stripes.hpp"

namespace glycine::pairwise::cuda {

using glycine::cuda::kAlignLanes;
using glycine::cuda::kStripeWarps;
using glycine::cuda::StripeShape;

bool areForStripes(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns,
                   bool isDiagonal, std::size_t multiprocessors) {
    // A lane alone: six sequences of 3,837 letters in 125 ms. All of them: 1,000 sequences of 457 letters at
    // 2,275 GCUPS.
    constexpr double kLoneCell = 15, kCellOfWarp = 3;
    // A step of eight cells a lane: what a warp waits for, and what it keeps a multiprocessor busy with.
    constexpr double kLoneStep = 200, kStepOfWarp = 25;
    // What is known of one is more than what is known of the other.
    constexpr double kMargin = 2;
    constexpr std::size_t kTasksOfMany = 32;
    std::size_t tasks = 0;
    const auto share = static_cast<double>(std::max<std::size_t>(multiprocessors, 1));
    double longestTask = 0, allTasks = 0, longestPair = 0, allPairs = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const std::size_t end = isDiagonal ? std::min(row, columns.size()) : columns.size();
        for (std::size_t first = 0; first < end; first += kAlignLanes) {
            const std::size_t behind = std::min<std::size_t>(first + kAlignLanes, end);
            const double cells = static_cast<double>(rows[row]) * static_cast<double>(columns[behind - 1]);
            longestTask = std::max(longestTask, cells * kLoneCell);
            allTasks += cells * kCellOfWarp;
            for (std::size_t column = first; column < behind; ++column) {
                StripeShape shape{static_cast<unsigned>(rows[row]), static_cast<unsigned>(columns[column]),
                                  kStripeWarps};
                double steps = 0, busy = 0;
                for (unsigned panel = 0; panel < shape.panels(); ++panel) {
                    steps += shape.stepsOf(panel);
                    busy += static_cast<double>(shape.stepsOf(panel)) * shape.warpsOf(panel) * kStepOfWarp;
                }
                longestPair = std::max(longestPair, std::max(steps * kLoneStep, busy));
                allPairs += busy;
            }
            // As many fill the device.
            if (++tasks > kTasksOfMany * multiprocessors) return false;
        }
    }
    return kMargin * std::max(longestPair, allPairs / share) < std::max(longestTask, allTasks / share);
}

}  // namespace glycine::pairwise::cuda
