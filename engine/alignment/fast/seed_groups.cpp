#include "engine/alignment/fast/seed_groups.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "engine/core/parallel.hpp"

namespace glycine::align {

namespace {

/// By how much each member is nearer to the second centre than to the first.
std::vector<float> leanings(const Matrix<float>& rows, const std::vector<std::size_t>& members,
                            const float* first, const float* second) {
    constexpr std::size_t kAtOnce = 512;
    std::vector<float> result(members.size());
    parallelFor(omp_get_max_threads(), (members.size() + kAtOnce - 1) / kAtOnce,
                [&](std::size_t block, std::size_t) {
                    const std::size_t end = std::min((block + 1) * kAtOnce, members.size());
                    for (std::size_t k = block * kAtOnce; k < end; ++k)
                        result[k] = squaredDistance(rows.row(members[k]), first, rows.columns()) -
                                    squaredDistance(rows.row(members[k]), second, rows.columns());
                });
    return result;
}

std::size_t farthestFrom(const Matrix<float>& rows, const std::vector<std::size_t>& members,
                         const float* place) {
    std::size_t best = members.front();
    float largest = -1;
    for (const std::size_t member : members) {
        const float distance = squaredDistance(rows.row(member), place, rows.columns());
        if (distance > largest) {
            largest = distance;
            best = member;
        }
    }
    return best;
}

using Members = std::vector<std::size_t>;

std::pair<Members, Members> splitInTwo(const Matrix<float>& rows, const Members& members) {
    constexpr int kRounds = 10;
    const std::vector<float> centre = centreOf(rows, members);
    const std::size_t one = farthestFrom(rows, members, centre.data());
    const std::size_t other = farthestFrom(rows, members, rows.row(one));
    std::vector<float> first(rows.row(one), rows.row(one) + rows.columns());
    std::vector<float> second(rows.row(other), rows.row(other) + rows.columns());
    std::pair<Members, Members> parts;
    std::vector<float> leaning;
    for (int round = 0; round < kRounds; ++round) {
        leaning = leanings(rows, members, first.data(), second.data());
        const std::size_t before = parts.first.size();
        parts.first.clear();
        parts.second.clear();
        for (std::size_t k = 0; k < members.size(); ++k)
            (leaning[k] <= 0 ? parts.first : parts.second).push_back(members[k]);
        if (parts.first.empty() || parts.second.empty() || parts.first.size() == before) break;
        first = centreOf(rows, parts.first);
        second = centreOf(rows, parts.second);
    }
    if (std::min(parts.first.size(), parts.second.size()) * 16 >= members.size()) return parts;
    // Splits that take a few rows each would take a number of steps that grows with the square of the rows.
    std::vector<std::size_t> places(members.size());
    for (std::size_t k = 0; k < places.size(); ++k) places[k] = k;
    std::ranges::stable_sort(places, {}, [&leaning](std::size_t k) { return leaning[k]; });
    parts = {};
    for (std::size_t k = 0; k < places.size(); ++k)
        (k < places.size() / 2 ? parts.first : parts.second).push_back(members[places[k]]);
    std::ranges::sort(parts.first);
    std::ranges::sort(parts.second);
    return parts;
}

}  // namespace

float squaredDistance(const float* first, const float* second, std::size_t count) {
    // Several sums, which processors take side by side.
    constexpr std::size_t kSums = 16;
    float sums[kSums] = {};
    std::size_t k = 0;
    for (; k + kSums <= count; k += kSums)
        for (std::size_t lane = 0; lane < kSums; ++lane) {
            const float difference = first[k + lane] - second[k + lane];
            sums[lane] += difference * difference;
        }
    float all = 0;
    for (; k < count; ++k) all += (first[k] - second[k]) * (first[k] - second[k]);
    for (const float sum : sums) all += sum;
    return all;
}

std::vector<float> centreOf(const Matrix<float>& rows, const std::vector<std::size_t>& members) {
    std::vector<double> sums(rows.columns(), 0);
    for (const std::size_t member : members)
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += static_cast<double>(rows(member, k));
    std::vector<float> centre;
    centre.reserve(sums.size());
    for (const double sum : sums)
        centre.push_back(static_cast<float>(sum / static_cast<double>(members.size())));
    return centre;
}

std::vector<std::vector<std::size_t>> groupsOfRows(const Matrix<float>& rows, std::size_t most,
                                                   Progress& progress) {
    std::vector<Members> groups, open(1);
    for (std::size_t row = 0; row < rows.rows(); ++row) open[0].push_back(row);
    progress.begin("groups", static_cast<double>(rows.rows()));
    while (!open.empty()) {
        Members members = std::move(open.back());
        open.pop_back();
        progress.advance(0);
        if (members.size() <= most) {
            progress.advance(static_cast<double>(members.size()));
            groups.push_back(std::move(members));
            continue;
        }
        auto [first, second] = splitInTwo(rows, members);
        open.push_back(std::move(second));
        open.push_back(std::move(first));
    }
    return groups;
}

}  // namespace glycine::align
