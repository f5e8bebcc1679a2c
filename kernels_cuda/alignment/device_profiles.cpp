#include "kernels_cuda/alignment/device_profiles.hpp"

#include <omp.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/core/parallel.hpp"
#include "engine/core/variant_table.hpp"
#include "kernels_cuda/alignment/profile_cells.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "kernels_cuda/pairwise/device_sequences.hpp"

namespace glycine::align::cuda {

namespace {

using clustalw::MatrixPart;
using clustalw::MiddleRows;
using clustalw::PathScheme;
using clustalw::Profile;
using clustalw::ProfilePair;
using clustalw::ProfilePart;
using clustalw::Step;
using glycine::cuda::CudaBackend;
using glycine::cuda::DeviceBuffer;
using glycine::cuda::LinearPass;
using glycine::cuda::ProfilePairTable;
using glycine::cuda::ProfilePass;
using glycine::cuda::ProfileTable;

static_assert(glycine::cuda::kProfileCodes == kMaxCodes);

/// With fewer cells, the processor finishes before launches and copies do.
constexpr double kLeastCells = 250'000;

/// Numbers per column for the passes of a level: their lines and results, for each direction.
constexpr std::size_t kNumbersOfPass = glycine::cuda::kProfileLines + 2;

std::size_t numbersOf(const Profile& profile) {
    return profile.size * kMaxCodes + 3 * (profile.size + 1);
}

/// Bytes of the scores and profiles, and of the passes. Parts of a level share no rows, and only the columns
/// where they meet.
std::size_t bytesOf(const ProfilePair& pair, PathScheme scheme) {
    const std::size_t first = pair.first->size, second = pair.second->size;
    const std::size_t there = first * second + numbersOf(*pair.first) + numbersOf(*pair.second);
    if (scheme == PathScheme::Linear)
        return sizeof(int) * (there + glycine::cuda::linearMoves(first, second) +
                              glycine::cuda::kLinearLines * (second + 1)) +
               sizeof(ProfilePairTable) + sizeof(LinearPass);
    const std::size_t parts = first / 2 + 1;
    return sizeof(int) * (there + 2 * kNumbersOfPass * (second + 2 * parts)) + sizeof(ProfilePairTable) +
           2 * parts * sizeof(ProfilePass);
}

void include(glycine::cuda::PassSizes& most, std::size_t rows, std::size_t columns) {
    most.columns = std::max(most.columns, static_cast<std::uint32_t>(columns));
    most.diagonal = std::max(most.diagonal, static_cast<std::uint32_t>(std::min(rows, columns)) + 1);
}

class PassesOnDevice final : public clustalw::ProfilePasses {
  public:
    PassesOnDevice(const CudaBackend& backend, std::size_t mostBytes)
        : backend_(backend), mostBytes_(mostBytes) {}

    std::size_t load(std::span<const ProfilePair> pairs, PathScheme scheme) override {
        stream_.synchronize();
        devicePairs_ = {};
        const std::size_t there =
            (scores_.size() + numbers_.size() + lines_.size() + found_.size()) * sizeof(int);
        const std::size_t room = mostBytes_ > 0 ? mostBytes_ : there + backend_.memory().available() / 2;
        std::size_t count = 0, bytes = 0, cells = 0;
        for (; count < pairs.size(); ++count) {
            const ProfilePair& pair = pairs[count];
            bytes += bytesOf(pair, scheme);
            constexpr std::size_t kMax = std::numeric_limits<int>::max() / kMaxCodes;
            if (bytes > room || std::max(pair.first->size, pair.second->size) > kMax) break;
            cells += pair.first->size * pair.second->size;
        }
        if (count == 0) return 0;
        loaded_ = pairs.first(count);
        upload(cells, scheme == PathScheme::ClustalW ? clustalw::kScoreUnit : 1);
        return count;
    }

    void findMiddleRows(std::span<const ProfilePart> parts, MiddleRows& rows, Progress& progress) override {
        progress.throwIfCancelled();
        std::vector<ProfilePass> passes;
        std::size_t lines = 0;
        glycine::cuda::PassSizes most;
        for (const ProfilePart& one : parts)
            lines += 2 * glycine::cuda::kProfileLines * (one.part.columns + 1);
        pairwise::cuda::makeRoom(backend_, lines_, lines);
        pairwise::cuda::makeRoom(backend_, found_, rows.numbers().size());
        lines = 0;
        for (std::size_t k = 0; k < parts.size(); ++k)
            for (const bool isBackward : {false, true}) {
                const MatrixPart& part = parts[k].part;
                const std::size_t middle = part.middle(), end = part.row + part.rows;
                const std::size_t passRows = isBackward ? end - middle : middle - part.row;
                passes.push_back(
                    {static_cast<std::uint32_t>(parts[k].pair), static_cast<int>(isBackward ? end : part.row),
                     static_cast<int>(isBackward ? part.column + part.columns : part.column),
                     static_cast<int>(passRows), static_cast<int>(part.columns), isBackward,
                     isBackward ? part.opensAfter : part.opensBefore, lines_.data() + lines,
                     found_.data() + rows.placeOf(k, isBackward ? MiddleRows::ReverseBest : MiddleRows::Best),
                     found_.data() +
                         rows.placeOf(k, isBackward ? MiddleRows::ReverseInRowGap : MiddleRows::InRowGap)});
                lines += glycine::cuda::kProfileLines * (part.columns + 1);
                include(most, passRows, part.columns);
            }
        const auto devicePasses = onDevice(backend_, passes);
        glycine::cuda::launchProfilePasses(launch(), devicePairs_.data(), devicePasses.data(),
                                           static_cast<std::uint32_t>(passes.size()), most);
        stream_.synchronize();
        copyToHost(backend_, found_.data(), rows.numbers().size(), rows.numbers().data());
    }

    std::vector<std::vector<Step>> findSteps(Progress& progress) override {
        progress.throwIfCancelled();
        std::size_t lines = 0, moves = 0;
        glycine::cuda::PassSizes most;
        std::vector<std::size_t> firstLines, firstMoves;
        for (const ProfilePair& pair : loaded_) {
            firstLines.push_back(lines);
            firstMoves.push_back(moves);
            lines += glycine::cuda::kLinearLines * (pair.second->size + 1);
            moves += glycine::cuda::linearMoves(pair.first->size, pair.second->size);
            include(most, pair.first->size, pair.second->size);
        }
        pairwise::cuda::makeRoom(backend_, lines_, lines);
        pairwise::cuda::makeRoom(backend_, found_, moves);
        auto* const deviceMoves = reinterpret_cast<std::uint32_t*>(found_.data());
        std::vector<LinearPass> passes;
        for (std::size_t k = 0; k < loaded_.size(); ++k)
            passes.push_back(
                {static_cast<std::uint32_t>(k), lines_.data() + firstLines[k], deviceMoves + firstMoves[k]});
        const auto devicePasses = onDevice(backend_, passes);
        glycine::cuda::launchLinearPasses(launch(), devicePairs_.data(), devicePasses.data(),
                                          static_cast<std::uint32_t>(passes.size()), most);
        stream_.synchronize();
        std::vector<std::uint32_t> found(moves);
        copyToHost(backend_, deviceMoves, moves, found.data());
        std::vector<std::vector<Step>> steps(loaded_.size());
        parallelFor(omp_get_max_threads(), steps.size(), [&](std::size_t k, std::size_t) {
            const std::size_t columns = loaded_[k].second->size;
            steps[k] =
                clustalw::stepsBack(loaded_[k].first->size, columns, [&](std::size_t i, std::size_t j) {
                    return glycine::cuda::linearMove(found.data() + firstMoves[k], columns, i, j);
                });
        });
        return steps;
    }

  private:
    glycine::cuda::Launch launch() const { return {stream_.handle(), backend_.multiprocessors()}; }

    void upload(std::size_t cells, int unit) {
        std::size_t size = 0;
        for (const ProfilePair& pair : loaded_) size += numbersOf(*pair.first) + numbersOf(*pair.second);
        pairwise::cuda::makeRoom(backend_, numbers_, size);
        pairwise::cuda::makeRoom(backend_, scores_, cells);
        std::vector<int> numbers;
        numbers.reserve(size);
        const auto put = [&](const std::vector<int>& some) {
            numbers.insert(numbers.end(), some.begin(), some.end());
            return numbers_.data() + numbers.size() - some.size();
        };
        const auto tableOf = [&](const Profile& profile) {
            std::vector<int> extendTo = profile.extend;
            extendTo[0] = 0;
            std::partial_sum(extendTo.begin(), extendTo.end(), extendTo.begin());
            return ProfileTable{put(profile.values), put(profile.open), put(profile.extend), put(extendTo),
                                static_cast<int>(profile.size)};
        };
        std::vector<ProfilePairTable> tables;
        std::uint32_t mostFirst = 0, mostSecond = 0;
        cells = 0;
        for (const ProfilePair& pair : loaded_) {
            tables.push_back({tableOf(*pair.first), tableOf(*pair.second), scores_.data() + cells, unit});
            cells += pair.first->size * pair.second->size;
            mostFirst = std::max(mostFirst, static_cast<std::uint32_t>(pair.first->size));
            mostSecond = std::max(mostSecond, static_cast<std::uint32_t>(pair.second->size));
        }
        copyToDevice(backend_, numbers.data(), numbers.size(), numbers_.data());
        devicePairs_ = onDevice(backend_, tables);
        glycine::cuda::launchProfileScores(launch(), devicePairs_.data(),
                                           static_cast<std::uint32_t>(tables.size()), mostFirst, mostSecond);
    }

    const CudaBackend& backend_;
    std::size_t mostBytes_;
    std::span<const ProfilePair> loaded_;
    DeviceBuffer<int> numbers_, scores_, lines_, found_;
    DeviceBuffer<ProfilePairTable> devicePairs_;
    glycine::cuda::Stream stream_;
};

}  // namespace

std::unique_ptr<clustalw::ProfilePasses> profilePassesOn(const CudaBackend& backend, std::size_t mostBytes) {
    return std::make_unique<PassesOnDevice>(backend, mostBytes);
}

Implementation<clustalw::ProfilePaths> profilePaths() {
    return {"cuda", {}, [](Backend& backend) {
                auto& device = backendAs<CudaBackend>(backend);
                device.makeCurrent();
                return std::make_unique<clustalw::ProfilePaths>(profilePassesOn(device), kLeastCells);
            }};
}

}  // namespace glycine::align::cuda
