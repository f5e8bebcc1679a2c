#include "kernels_cuda/alignment/device_joins.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "engine/alignment/posterior/group_joins.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::align::cuda {

namespace {

using glycine::cuda::CudaBackend;
using glycine::cuda::DeviceBuffer;
using glycine::cuda::JoinMember;
using glycine::cuda::JoinTable;
using glycine::cuda::PlacedPosterior;

/// The scale of all sums, a power of two, chosen so that no sum of a chain reaches 2^62. Posteriors in
/// float32 need at most 2^30.
float scaleFor(double mostOfChain) {
    constexpr int kBits = 61, kMax = 30;
    return std::ldexp(1.0F, std::min(kMax, kBits - 1 - std::ilogb(std::max(mostOfChain, 1.0))));
}

/// `stepBytes`: bytes of `steps` per row.
ColumnChain chainOf(const std::byte* steps, const GroupJoin& join, std::size_t stepBytes) {
    return chainAlongSteps(join.firstWidth, join.secondWidth, [&](std::size_t i, std::size_t j) {
        return std::to_integer<std::uint32_t>(steps[i * stepBytes + j / 4]) >> (2 * (j % 4)) & 3U;
    });
}

class JoinsOnDevice final : public GroupJoins {
  public:
    JoinsOnDevice(const CudaBackend& backend, std::shared_ptr<const DevicePosteriors> there,
                  const PosteriorSet& posteriors, std::span<const double> weights,
                  const JoinSettings& settings)
        : backend_(backend),
          settings_(settings),
          pairs_(backend, std::move(there)),
          weights_(weights.begin(), weights.end()),
          deviceWeights_(onDevice(backend, weights_)),
          onHost_(joinsOnHost(posteriors, weights)) {
        std::vector<std::uint64_t> begins{0};
        for (std::size_t x = 0; x < posteriors.sequences(); ++x)
            begins.push_back(begins.back() + posteriors.pair(x, x == 0 ? 1 : 0).rows());
        residues_ = static_cast<std::size_t>(begins.back());
        deviceBegins_ = onDevice(backend, begins);
    }

    std::vector<ColumnChain> heaviestChains(std::span<const GroupJoin> joins, const PlacedResidues& residues,
                                            Progress& progress) override {
        double steps = 0;
        for (const GroupJoin& join : joins) steps += stepsOf(join);
        if (steps < settings_.leastSteps) return onHost_->heaviestChains(joins, residues, progress);
        std::vector<ColumnChain> chains(joins.size());
        const std::size_t most = std::min(settings_.mostBytes, roomForJoins());
        std::vector<std::size_t> batch;
        std::size_t taken = 0, columns = 0;
        const DeviceBuffer<std::uint32_t> places = deviceColumns(residues);
        const auto flush = [&] {
            if (!batch.empty()) computeBatch(joins, batch, columns, places, chains);
            batch.clear();
            taken = columns = 0;
            progress.throwIfCancelled();
        };
        for (std::size_t k = 0; k < joins.size(); ++k) {
            const std::size_t alone = bytesOf(joins[k], joins[k].secondWidth);
            if (joins[k].secondWidth > glycine::cuda::kMaxJoinColumns || alone > most) {
                chains[k] = onHost_->heaviestChains({&joins[k], 1}, residues, progress).front();
                ++declined_;
                continue;
            }
            const std::size_t widest = std::max(columns, joins[k].secondWidth);
            std::size_t bytes = bytesOf(joins[k], widest);
            for (const std::size_t other : batch) bytes += bytesOf(joins[other], widest);
            if (!batch.empty() && bytes > most) flush();
            batch.push_back(k);
            columns = std::max(columns, joins[k].secondWidth);
        }
        flush();
        return chains;
    }

    ResidueValues sumsWithin(const PlacedResidues& residues, Progress& progress) override {
        progress.throwIfCancelled();
        const float scale = scaleFor(std::accumulate(weights_.begin(), weights_.end(), 0.0));
        const DeviceBuffer<std::uint32_t> places = deviceColumns(residues);
        const DeviceBuffer<unsigned long long> sums(backend_.memory(), residues_);
        glycine::cuda::clearJoinSums(launch(), sums.data(), residues_);
        glycine::cuda::launchSumsWithin(launch(), workWith(places), scale, sums.data());
        stream_.synchronize();
        std::vector<unsigned long long> found(residues_);
        copyToHost(backend_, sums.data(), residues_, found.data());
        ResidueValues result;
        auto sum = found.begin();
        for (const std::vector<std::uint32_t>& one : residues) {
            std::vector<double>& values = result.emplace_back();
            for (std::size_t k = 0; k < one.size(); ++k)
                values.push_back(static_cast<double>(*sum++) / static_cast<double>(scale));
        }
        return result;
    }

    std::string note() const override {
        return declined_ == 0 ? std::string()
                              : fmt::format("{} on the host, for which the device has no room",
                                            formatCount(declined_, "join"));
    }

  private:
    static double stepsOf(const GroupJoin& join) {
        return static_cast<double>(join.firstWidth) * static_cast<double>(join.first.size()) *
               static_cast<double>(join.second.size());
    }
    /// Bytes of the join's sums and steps, in a launch whose widest join has this many columns.
    static std::size_t bytesOf(const GroupJoin& join, std::size_t mostColumns) {
        return join.firstWidth * (join.secondWidth * sizeof(unsigned long long) +
                                  glycine::cuda::stepBytesOf(static_cast<std::uint32_t>(
                                      std::min<std::size_t>(mostColumns, glycine::cuda::kMaxJoinColumns))));
    }
    /// Leaves room for the tables; memory of the last call is reused.
    std::size_t roomForJoins() const {
        const std::size_t there = sums_.size() * sizeof(unsigned long long) + steps_.size();
        return there + backend_.memory().available() / 2;
    }
    glycine::cuda::Launch launch() const { return {stream_.handle(), backend_.multiprocessors()}; }
    DeviceBuffer<std::uint32_t> deviceColumns(const PlacedResidues& residues) const {
        std::vector<std::uint32_t> all;
        all.reserve(residues_);
        for (const std::vector<std::uint32_t>& one : residues) all.insert(all.end(), one.begin(), one.end());
        return onDevice(backend_, all);
    }
    glycine::cuda::JoinWork workWith(const DeviceBuffer<std::uint32_t>& places) const {
        return {pairs_.data(), pairs_.count(), deviceWeights_.data(), deviceBegins_.data(), places.data()};
    }
    template <class T>
    void makeRoom(DeviceBuffer<T>& buffer, std::size_t size) const {
        if (buffer.size() >= size) return;
        buffer = {};
        buffer = DeviceBuffer<T>(backend_.memory(), size);
    }

    void computeBatch(std::span<const GroupJoin> joins, const std::vector<std::size_t>& batch,
                      std::size_t mostColumns, const DeviceBuffer<std::uint32_t>& places,
                      std::vector<ColumnChain>& chains) {
        const std::size_t stepBytes = glycine::cuda::stepBytesOf(static_cast<std::uint32_t>(mostColumns));
        std::size_t cells = 0, rows = 0;
        for (const std::size_t k : batch) {
            cells += joins[k].firstWidth * joins[k].secondWidth;
            rows += joins[k].firstWidth;
        }
        makeRoom(sums_, cells);
        makeRoom(steps_, rows * stepBytes);
        std::vector<JoinMember> members(weights_.size(), {glycine::cuda::kNoJoin, 0});
        std::vector<JoinTable> tables;
        std::vector<std::size_t> firstSteps;
        cells = rows = 0;
        for (const std::size_t k : batch) {
            const GroupJoin& join = joins[k];
            double most = static_cast<double>(std::min(join.firstWidth, join.secondWidth));
            for (const std::uint32_t side : {0U, 1U}) {
                double all = 0;
                for (const std::size_t x : side == 0 ? join.first : join.second) {
                    members[x] = {static_cast<std::uint32_t>(tables.size()), side};
                    all += weights_[x];
                }
                most *= all;
            }
            firstSteps.push_back(rows * stepBytes);
            tables.push_back({sums_.data() + cells, steps_.data() + rows * stepBytes,
                              static_cast<std::uint32_t>(join.firstWidth),
                              static_cast<std::uint32_t>(join.secondWidth), scaleFor(most)});
            cells += join.firstWidth * join.secondWidth;
            rows += join.firstWidth;
        }
        const auto deviceMembers = onDevice(backend_, members);
        const auto deviceTables = onDevice(backend_, tables);
        glycine::cuda::clearJoinSums(launch(), sums_.data(), cells);
        glycine::cuda::launchJoinSums(launch(), workWith(places), deviceMembers.data(), deviceTables.data());
        glycine::cuda::launchJoinChains(launch(), deviceTables.data(),
                                        static_cast<std::uint32_t>(tables.size()),
                                        static_cast<std::uint32_t>(mostColumns));
        stream_.synchronize();
        std::vector<std::byte> steps(rows * stepBytes);
        copyToHost(backend_, steps_.data(), steps.size(), steps.data());
        parallelFor(omp_get_max_threads(), batch.size(), [&](std::size_t number, std::size_t) {
            const GroupJoin& join = joins[batch[number]];
            chains[batch[number]] = chainOf(steps.data() + firstSteps[number], join, stepBytes);
        });
    }

    const CudaBackend& backend_;
    JoinSettings settings_;
    PlacedPosteriors pairs_;
    std::vector<double> weights_;
    DeviceBuffer<double> deviceWeights_;
    std::unique_ptr<GroupJoins> onHost_;
    std::size_t residues_ = 0;
    DeviceBuffer<std::uint64_t> deviceBegins_;
    DeviceBuffer<unsigned long long> sums_;
    DeviceBuffer<std::byte> steps_;
    glycine::cuda::Stream stream_;
    std::size_t declined_ = 0;
};

}  // namespace

PlacedPosteriors::PlacedPosteriors(const CudaBackend& backend,
                                   std::shared_ptr<const DevicePosteriors> posteriors)
    : posteriors_(std::move(posteriors)) {
    std::vector<PlacedPosterior> pairs;
    for (const std::shared_ptr<const PosteriorSlab>& slab : posteriors_->slabs)
        for (const PlacedPair& pair : slab->pairs) {
            pairs.push_back({slab->places->data() + pair.places, slab->entries.data() + pair.entries,
                             pair.first, pair.second, pair.rows, pair.columns});
            mostColumns_ = std::max(mostColumns_, pair.columns);
        }
    count_ = static_cast<std::uint32_t>(pairs.size());
    pairs_ = onDevice(backend, pairs);
}

std::shared_ptr<const DevicePosteriors> ensurePosteriorsOnDevice(const CudaBackend& backend,
                                                                 const PosteriorSet& posteriors) {
    if (auto there = std::dynamic_pointer_cast<const DevicePosteriors>(posteriors.resident())) return there;
    // Sums and steps of joins need room, too. With more than kMaxBrought, the processor finishes before the
    // upload.
    constexpr std::size_t kMaxBrought = std::size_t{1} << 30;
    if (bytesOnDevice(posteriors) > std::min(kMaxBrought, backend.memory().available() / 2)) return nullptr;
    auto brought = std::make_shared<DevicePosteriors>();
    brought->slabs.push_back(uploadPosteriors(backend, posteriors));
    return brought;
}

std::optional<std::vector<double>> expectedAccuraciesOnDevice(const CudaBackend& backend,
                                                              const PosteriorSet& posteriors) {
    // Uploading them would take longer than the processor's computation.
    const auto there = std::dynamic_pointer_cast<const DevicePosteriors>(posteriors.resident());
    if (!there) return std::nullopt;
    const PlacedPosteriors pairs(backend, there);
    if (pairs.mostColumns() > glycine::cuda::mostAccuracyColumns()) return std::nullopt;
    const std::size_t n = posteriors.sequences();
    std::vector<double> accuracies(n * (n - 1) / 2);
    const DeviceBuffer<double> found(backend.memory(), std::max<std::size_t>(accuracies.size(), 1));
    const glycine::cuda::Stream stream;
    glycine::cuda::launchAccuracies({stream.handle(), backend.multiprocessors()}, pairs.data(), pairs.count(),
                                    pairs.mostColumns(), found.data());
    stream.synchronize();
    copyToHost(backend, found.data(), accuracies.size(), accuracies.data());
    return accuracies;
}

std::unique_ptr<GroupJoins> createDeviceJoins(const CudaBackend& backend, const PosteriorSet& posteriors,
                                              std::span<const double> weights, const JoinSettings& settings) {
    auto there = posteriors.sequences() < 2 ? nullptr : ensurePosteriorsOnDevice(backend, posteriors);
    if (!there) return nullptr;
    return std::make_unique<JoinsOnDevice>(backend, std::move(there), posteriors, weights, settings);
}

}  // namespace glycine::align::cuda
