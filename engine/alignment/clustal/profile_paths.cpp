#include "engine/alignment/clustal/profile_paths.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <cstdlib>
#include <utility>

#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::align::clustalw {

MiddleRows::MiddleRows(std::span<const ProfilePart> parts) {
    std::size_t size = 0;
    for (const ProfilePart& one : parts) {
        begins_.push_back(size);
        widths_.push_back(one.part.columns + 1);
        size += Kinds * widths_.back();
    }
    numbers_.resize(size);
}

MiddleRow MiddleRows::of(std::size_t part) const {
    const auto numbers = [&](Kind kind) {
        return std::span(numbers_).subspan(placeOf(part, kind), widths_[part]);
    };
    return {numbers(Best), numbers(InRowGap), numbers(ReverseBest), numbers(ReverseInRowGap)};
}

void ProfilePaths::recountWith(StageRecount* recount) {
    recount_ = recount != nullptr && recount->isWanted() ? recount : nullptr;
}

template <class Align>
std::vector<std::size_t> ProfilePaths::inPortions(std::span<const ProfilePair> pairs, PathScheme scheme,
                                                  Progress& progress, const Align& align) {
    std::vector<std::size_t> others;
    double cells = 0;
    for (const ProfilePair& pair : pairs) cells += pair.cells();
    const bool isWorthIt = cells >= leastCells_;
    for (std::size_t next = 0; next < pairs.size();) {
        progress.throwIfCancelled();
        const std::size_t loaded = isWorthIt ? passes_->load(pairs.subspan(next), scheme) : 0;
        if (loaded == 0) {
            declined_ += isWorthIt ? 1 : 0;
            others.push_back(next++);
            continue;
        }
        align(next, loaded);
        next += loaded;
    }
    return others;
}

std::vector<ProfileAlignment> ProfilePaths::align(std::span<const ProfilePair> pairs, Progress& progress) {
    std::vector<ProfileAlignment> found(pairs.size());
    const std::vector<std::size_t> others =
        inPortions(pairs, PathScheme::ClustalW, progress, [&](std::size_t first, std::size_t count) {
            const Stopwatch watch;
            alignLoaded(pairs.subspan(first, count), std::span(found).subspan(first, count), progress);
            secondsOnDevice_ += watch.seconds();
            if (recount_ != nullptr)
                recountPaths(pairs.subspan(first, count), std::span(found).subspan(first, count));
        });
    parallelFor(omp_get_max_threads(), others.size(), [&](std::size_t k, std::size_t) {
        progress.throwIfCancelled();
        found[others[k]] = alignProfiles(*pairs[others[k]].first, *pairs[others[k]].second);
    });
    return found;
}

std::vector<std::optional<std::vector<Step>>> ProfilePaths::alignLinearly(std::span<const ProfilePair> pairs,
                                                                          Progress& progress) {
    std::vector<std::optional<std::vector<Step>>> found(pairs.size());
    inPortions(pairs, PathScheme::Linear, progress, [&](std::size_t first, std::size_t) {
        const Stopwatch watch;
        for (std::vector<Step>& steps : passes_->findSteps(progress)) found[first++] = std::move(steps);
        secondsOnDevice_ += watch.seconds();
    });
    return found;
}

void ProfilePaths::alignLoaded(std::span<const ProfilePair> pairs, std::span<ProfileAlignment> found,
                               Progress& progress) {
    // For each pair, the parts that its path goes through, from its start.
    std::vector<std::vector<MatrixPart>> ways;
    for (const ProfilePair& pair : pairs) ways.push_back({{0, 0, pair.first->size, pair.second->size}});
    std::vector<bool> isScored(pairs.size(), false);
    while (true) {
        std::vector<ProfilePart> parts;
        double cells = 0;
        for (std::size_t pair = 0; pair < pairs.size(); ++pair)
            for (const MatrixPart& part : ways[pair])
                if (part.isDivided()) {
                    parts.push_back({pair, part});
                    cells += static_cast<double>(part.rows) * static_cast<double>(part.columns);
                }
        if (parts.empty() || cells < leastCells_) break;
        MiddleRows rows(parts);
        passes_->findMiddleRows(parts, rows, progress);
        std::size_t next = 0;
        for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
            std::vector<MatrixPart> way;
            for (const MatrixPart& part : ways[pair]) {
                if (!part.isDivided()) {
                    way.push_back(part);
                    continue;
                }
                const Cut cut = cutOf(*pairs[pair].first, *pairs[pair].second, part, rows.of(next++));
                if (!isScored[pair]) found[pair].score = cut.score;
                isScored[pair] = true;
                divide(part, cut, way);
            }
            ways[pair] = std::move(way);
        }
    }
    parallelFor(omp_get_max_threads(), pairs.size(), [&](std::size_t k, std::size_t) {
        progress.throwIfCancelled();
        ProfileAlignment rest = alignParts(*pairs[k].first, *pairs[k].second, ways[k]);
        found[k].steps = std::move(rest.steps);
        if (!isScored[k]) found[k].score = rest.score;
    });
}

void ProfilePaths::recountPaths(std::span<const ProfilePair> pairs, std::span<const ProfileAlignment> found) {
    const Stopwatch watch;
    recount_->enter(kProgressiveStage, "profile path", kProfileVariant);
    const int threads = omp_get_max_threads();
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const ProfilePair& pair = pairs[k];
        const double each = kSecondsPerCell * pair.cells() / threads;
        // If divisions cut gaps, or gaps are adjacent, the steps may have another score: some openings count
        // twice or not at all.
        const auto isCredible = [&] {
            const StepsSum sum = sumOfSteps(*pair.first, *pair.second, found[k].steps);
            return std::abs(sum.score - found[k].score) <= sum.openings;
        };
        if (recount_->affordable(1, each, secondsOnDevice_) > 0 || !isCredible()) chosen.push_back(k);
    }
    std::vector<ProfileAlignment> expected(chosen.size());
    parallelFor(threads, chosen.size(), [&](std::size_t n, std::size_t) {
        expected[n] = alignProfiles(*pairs[chosen[n]].first, *pairs[chosen[n]].second);
    });
    for (std::size_t n = 0; n < chosen.size(); ++n) {
        const ProfilePair& pair = pairs[chosen[n]];
        const ProfileAlignment& here = found[chosen[n]];
        recount_->compare(here.score, expected[n].score, 0, [&] {
            return fmt::format("score of the path through profiles of {} and {} columns", pair.first->size,
                               pair.second->size);
        });
        compareSteps(*recount_, pair, here.steps, expected[n].steps);
    }
    recount_->add(chosen.size(), watch.seconds());
}

void compareSteps(StageRecount& recount, const ProfilePair& pair, std::span<const Step> found,
                  std::span<const Step> expected) {
    const auto name = [&](const std::string& what) {
        return fmt::format("{} of the path through profiles of {} and {} columns", what, pair.first->size,
                           pair.second->size);
    };
    recount.compare(static_cast<double>(found.size()), static_cast<double>(expected.size()), 0,
                    [&] { return name("number of steps"); });
    for (std::size_t k = 0; k < expected.size(); ++k)
        recount.compare(static_cast<double>(found[k]), static_cast<double>(expected[k]), 0,
                        [&] { return name(fmt::format("step {}", k + 1)); });
}

std::string ProfilePaths::note() const {
    return declined_ == 0 ? std::string()
                          : fmt::format("{} of profiles on the host, for which the device has no room",
                                        formatCount(declined_, "alignment"));
}

std::unique_ptr<ProfilePaths> createProfilePaths(Backend& backend) {
    const Implementation<clustalw::ProfilePaths>* const found = findImplementation<ProfilePaths>(backend);
    return found == nullptr ? nullptr : found->create(backend);
}

ImplementationList<ProfilePaths>& ProfilePaths::implementations() {
    static ImplementationList<ProfilePaths> all;
    return all;
}

}  // namespace glycine::align::clustalw
