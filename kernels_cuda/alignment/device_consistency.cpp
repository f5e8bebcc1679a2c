#include "kernels_cuda/alignment/device_consistency.hpp"

#include <omp.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"
#include "kernels_cuda/alignment/consistency_kernels.hpp"
#include "kernels_cuda/device/paced_report.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::align::cuda {

// ---- resident posteriors

PosteriorSlab PosteriorSlab::withRoom(glycine::cuda::MemoryBudget& budget, std::size_t places,
                                      std::size_t entries) {
    PosteriorSlab slab;
    slab.places = std::make_shared<glycine::cuda::DeviceBuffer<std::uint32_t>>(
        budget, std::max<std::size_t>(places, 1));
    slab.entries = glycine::cuda::DeviceBuffer<PosteriorEntry>(budget, std::max<std::size_t>(entries, 1));
    return slab;
}

HostSlab::HostSlab(const glycine::cuda::CudaBackend& backend, const PosteriorSlab& slab,
                   PosteriorSet& result) {
    auto* const placesHere =
        reinterpret_cast<std::uint32_t*>(result.addSlab(slab.usedPlaces * sizeof(std::uint32_t)));
    auto* const entriesHere =
        reinterpret_cast<PosteriorEntry*>(result.addSlab(slab.usedEntries * sizeof(PosteriorEntry)));
    copyToHost(backend, slab.places->data(), slab.usedPlaces, placesHere);
    copyToHost(backend, slab.entries.data(), slab.usedEntries, entriesHere);
    places = placesHere;
    entries = entriesHere;
}

void HostSlab::place(const PlacedPair& pair, PosteriorSet& result) const {
    const std::uint32_t* const rows = places + pair.places;
    const PosteriorEntry* const found = entries + pair.entries;
    const PosteriorView one(rows, found, pair.rows);
    const PosteriorView other(rows + pair.rows + 1, found + pair.count, pair.columns);
    one.require(pair.count, pair.columns, pair.first, pair.second);
    other.require(pair.count, pair.rows, pair.second, pair.first);
    result.placePair(pair.first, pair.second, one, other);
}

std::size_t bytesOnDevice(const PosteriorSet& posteriors) {
    std::size_t places = 0;
    const std::size_t n = posteriors.sequences();
    for (std::size_t x = 0; x < n; ++x)
        for (std::size_t y = 0; y < n; ++y)
            if (x != y) places += posteriors.pair(x, y).rows() + 1;
    return places * sizeof(std::uint32_t) + posteriors.entries() * sizeof(PosteriorEntry);
}

std::shared_ptr<const PosteriorSlab> uploadPosteriors(const glycine::cuda::CudaBackend& backend,
                                                      const PosteriorSet& posteriors) {
    auto slab = std::make_shared<PosteriorSlab>();
    for (std::uint32_t x = 0; x < posteriors.sequences(); ++x)
        for (std::uint32_t y = 0; y < x; ++y) {
            const PosteriorView pair = posteriors.pair(x, y);
            slab->pairs.push_back({x, y, static_cast<std::uint32_t>(pair.rows()),
                                   static_cast<std::uint32_t>(posteriors.pair(y, x).rows()), slab->usedPlaces,
                                   slab->usedEntries, static_cast<std::uint32_t>(pair.size())});
            slab->usedPlaces += slab->pairs.back().rows + slab->pairs.back().columns + 2;
            slab->usedEntries += 2 * pair.size();
        }
    std::vector<std::uint32_t> places(slab->usedPlaces);
    std::vector<PosteriorEntry> entries(slab->usedEntries);
    parallelFor(omp_get_max_threads(), slab->pairs.size(), [&](std::size_t k, std::size_t) {
        const PlacedPair& pair = slab->pairs[k];
        std::uint32_t* place = places.data() + pair.places;
        PosteriorEntry* target = entries.data() + pair.entries;
        for (const PosteriorView& rows :
             {posteriors.pair(pair.first, pair.second), posteriors.pair(pair.second, pair.first)}) {
            place = std::ranges::copy(rows.begins(), place).out;
            target = std::ranges::copy(rows.entries(), target).out;
        }
    });
    slab->places = std::make_shared<glycine::cuda::DeviceBuffer<std::uint32_t>>(onDevice(backend, places));
    slab->entries = onDevice(backend, entries);
    return slab;
}

namespace {

/// Targets times third sequences queued at once: about 0.1 s on a large GPU.
constexpr double kStepsAtOnce = 2e8;

class Transformation {
  public:
    Transformation(glycine::cuda::CudaBackend& backend, const PosteriorSet& posteriors,
                   const ConsistencyRound& round, std::size_t mostPortionBytes)
        : backend_(backend), posteriors_(posteriors), round_(round), mostPortionBytes_(mostPortionBytes) {
        const std::size_t n = posteriors.sequences();
        for (std::size_t x = 0; x < n; ++x)
            firstRows_.push_back(firstRows_.back() + posteriors.pair(x, x == 0 ? n - 1 : 0).rows());
        listTargets();
        if (!round.thirds.areAll()) listThirds();
    }

    /// Σ_z w_z P_xz P_yz for each target, in ascending order of rows.
    std::vector<float> sums(Progress& progress) {
        const std::size_t n = posteriors_.sequences();
        progress.begin("consistency", static_cast<double>(targets_.size()) * static_cast<double>(n));
        const auto targetBegins = onDevice(backend_, targetBegins_);
        const auto targets = onDevice(backend_, targets_);
        std::vector<float> sums(targets_.size(), 0);
        const auto deviceSums = onDevice(backend_, sums);
        glycine::cuda::ConsistencyWork work{};
        work.targetBegins = targetBegins.data();
        work.targets = targets.data();
        work.sums = deviceSums.data();
        const auto sequences = onDevice(backend_, sequenceOf_);
        const auto thirds = onDevice(backend_, thirds_);
        work.sequences = sequences.data();
        work.thirds = thirds_.empty() ? nullptr : thirds.data();
        work.thirdWords = static_cast<std::uint32_t>(thirdWords());
        work.sequenceCount = static_cast<std::uint32_t>(n);
        for (std::size_t begin = 0; begin < n;) {
            const Range portion{begin, endOfPortion(begin)};
            addPortion(portion, work, progress);
            begin = portion.end;
        }
        copyToHost(backend_, deviceSums.data(), sums.size(), sums.data());
        return sums;
    }

    /// The index of the first target of row `row` of sequence x.
    std::size_t firstTarget(std::size_t x, std::size_t row) const {
        return static_cast<std::size_t>(targetBegins_[firstRows_[x] + row]);
    }

  private:
    std::size_t rows() const { return firstRows_.back(); }
    std::size_t rowsOf(std::size_t x) const { return firstRows_[x + 1] - firstRows_[x]; }

    std::size_t thirdWords() const { return (posteriors_.sequences() + 31) / 32; }

    /// Lists for each pair the bits of the selected sequences.
    void listThirds() {
        const std::size_t n = posteriors_.sequences();
        sequenceOf_.resize(rows());
        for (std::size_t x = 0; x < n; ++x)
            std::fill_n(sequenceOf_.begin() + static_cast<std::ptrdiff_t>(firstRows_[x]), rowsOf(x),
                        static_cast<std::uint32_t>(x));
        thirds_.assign(n * n * thirdWords(), 0);
        parallelFor(omp_get_max_threads(), n, [&](std::size_t x, std::size_t) {
            std::vector<std::size_t> found;
            for (std::size_t y = 0; y < x; ++y) {
                round_.thirds.find(x, y, found);
                for (const std::size_t z : found)
                    thirds_[(x * n + y) * thirdWords() + z / 32] |= std::uint32_t{1} << (z % 32);
            }
        });
    }

    /// Lists the entries of each row with the sequences before its own.
    void listTargets() {
        const std::size_t n = posteriors_.sequences();
        targetBegins_.assign(rows() + 1, 0);
        const auto forRows = [&](auto&& body) {
            parallelFor(omp_get_max_threads(), n, [&](std::size_t x, std::size_t) {
                for (std::size_t i = 0; i < rowsOf(x); ++i) body(x, i);
            });
        };
        forRows([&](std::size_t x, std::size_t i) {
            std::size_t count = 0;
            for (std::size_t y = 0; y < x; ++y) count += posteriors_.pair(x, y).row(i).size();
            targetBegins_[firstRows_[x] + i + 1] = count;
        });
        std::partial_sum(targetBegins_.begin(), targetBegins_.end(), targetBegins_.begin());
        targets_.resize(static_cast<std::size_t>(targetBegins_.back()));
        forRows([&](std::size_t x, std::size_t i) {
            std::size_t target = firstTarget(x, i);
            for (std::size_t y = 0; y < x; ++y)
                for (const PosteriorEntry& entry : posteriors_.pair(x, y).row(i))
                    targets_[target++] = static_cast<std::uint32_t>(firstRows_[y] + entry.column);
        });
    }

    std::size_t entriesWith(std::size_t z) const {
        std::size_t count = 0;
        for (std::size_t x = 0; x < posteriors_.sequences(); ++x) count += posteriors_.pair(x, z).size();
        return count;
    }

    /// As many third sequences as there is memory for, at least one.
    std::size_t endOfPortion(std::size_t begin) const {
        const std::size_t fixed = rows() * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
        const std::size_t available = backend_.memory().available();
        std::size_t needed = fixed, end = begin;
        for (; end < posteriors_.sequences(); ++end) {
            const std::size_t more =
                entriesWith(end) * sizeof(PosteriorEntry) + rows() * sizeof(std::uint32_t) + sizeof(float);
            if (end > begin && needed + more > std::min(available, mostPortionBytes_)) break;
            needed += more;
            if (needed > available)
                throw UnavailableError(lackOfDeviceMemory("the consistency transformation",
                                                          static_cast<double>(needed), available));
        }
        return end;
    }

    void addPortion(Range portion, glycine::cuda::ConsistencyWork& work, Progress& progress) {
        const std::size_t others = portion.size();
        std::vector<std::uint64_t> begins(rows() + 1, 0);
        std::vector<std::uint32_t> places(rows() * (others + 1));
        parallelFor(omp_get_max_threads(), posteriors_.sequences(), [&](std::size_t x, std::size_t) {
            for (std::size_t i = 0; i < rowsOf(x); ++i) {
                std::uint32_t* const place = places.data() + (firstRows_[x] + i) * (others + 1);
                std::uint32_t count = 0;
                for (std::size_t z = portion.begin; z < portion.end; ++z) {
                    place[z - portion.begin] = count;
                    if (z != x) count += static_cast<std::uint32_t>(posteriors_.pair(x, z).row(i).size());
                }
                place[others] = count;
                begins[firstRows_[x] + i + 1] = count;
            }
        });
        std::partial_sum(begins.begin(), begins.end(), begins.begin());
        std::vector<PosteriorEntry> entries(static_cast<std::size_t>(begins.back()));
        parallelFor(omp_get_max_threads(), posteriors_.sequences(), [&](std::size_t x, std::size_t) {
            progress.throwIfCancelled();
            for (std::size_t i = 0; i < rowsOf(x); ++i) {
                auto* target = entries.data() + begins[firstRows_[x] + i];
                for (std::size_t z = portion.begin; z < portion.end; ++z) {
                    if (z == x) continue;
                    for (const PosteriorEntry& entry : posteriors_.pair(x, z).row(i))
                        *target++ = {entry.column, entry.value};
                }
            }
        });
        begins.pop_back();
        std::vector<float> weights;
        for (std::size_t z = portion.begin; z < portion.end; ++z)
            weights.push_back(static_cast<float>(round_.weights[z]));

        const auto deviceEntries = onDevice(backend_, entries);
        const auto deviceBegins = onDevice(backend_, begins);
        const auto devicePlaces = onDevice(backend_, places);
        const auto deviceWeights = onDevice(backend_, weights);
        work.entries = deviceEntries.data();
        work.begins = deviceBegins.data();
        work.places = devicePlaces.data();
        work.others = static_cast<std::uint32_t>(others);
        work.firstOther = static_cast<std::uint32_t>(portion.begin);
        work.weights = deviceWeights.data();
        const glycine::cuda::WorkListener worked = [&](double steps) { progress.advance(steps); };
        glycine::cuda::PacedReport report(worked, 1);
        for (std::size_t first = 0; first < rows();) {
            std::size_t end = first;
            double steps = 0;
            while (end < rows() && steps < kStepsAtOnce) {
                steps += static_cast<double>(targetBegins_[end + 1] - targetBegins_[end]) *
                         static_cast<double>(others);
                ++end;
            }
            work.firstRow = static_cast<std::uint32_t>(first);
            work.endRow = static_cast<std::uint32_t>(end);
            glycine::cuda::launchConsistency({stream_.handle(), backend_.multiprocessors()}, work);
            report.queued(stream_, steps);
            first = end;
        }
        report.settleAll();
    }

    glycine::cuda::CudaBackend& backend_;
    const PosteriorSet& posteriors_;
    ConsistencyRound round_;
    std::size_t mostPortionBytes_;
    glycine::cuda::Stream stream_;
    std::vector<std::size_t> firstRows_{0};  ///< of each sequence, and the end
    std::vector<std::uint64_t> targetBegins_;
    std::vector<std::uint32_t> targets_;
    std::vector<std::uint32_t> sequenceOf_;  ///< of each row; empty if all sequences are used
    std::vector<std::uint32_t> thirds_;
};

/// All pairs x > y, with the third sequences of each.
struct PairList {
    std::vector<glycine::cuda::ConsistencyPair> pairs;
    std::vector<std::uint32_t> thirds;

    PairList(const PosteriorSet& posteriors, const ConsistencyRound& round) {
        const std::size_t n = posteriors.sequences();
        std::vector<std::vector<std::uint32_t>> found(n);  // of all pairs of x
        std::vector<std::vector<std::uint32_t>> ends(n);
        pairs.resize(n * (n - 1) / 2);
        parallelFor(omp_get_max_threads(), n, [&](std::size_t x, std::size_t) {
            std::vector<std::size_t> some;
            for (std::size_t y = 0; y < x; ++y) {
                round.thirds.find(x, y, some);
                const double self = round.selfWeight * (round.weights[x] + round.weights[y]);
                const double all = self + ThirdSequences::weightOf(some, round.weights);
                for (const std::size_t z : some) found[x].push_back(static_cast<std::uint32_t>(z));
                ends[x].push_back(static_cast<std::uint32_t>(found[x].size()));
                glycine::cuda::ConsistencyPair& pair = pairs[x * (x - 1) / 2 + y];
                pair.x = static_cast<std::uint32_t>(x);
                pair.y = static_cast<std::uint32_t>(y);
                pair.rows = static_cast<std::uint32_t>(posteriors.pair(x, y).rows());
                pair.kept = static_cast<float>(self / all);
                pair.added = static_cast<float>(1 / all);
            }
        });
        for (std::size_t x = 1; x < n; ++x) {
            const auto begin = static_cast<std::uint32_t>(thirds.size());
            for (std::size_t y = 0; y < x; ++y) {
                glycine::cuda::ConsistencyPair& pair = pairs[x * (x - 1) / 2 + y];
                pair.firstThird = begin + (y == 0 ? 0 : ends[x][y - 1]);
                pair.endThird = begin + ends[x][y];
            }
            thirds.insert(thirds.end(), found[x].begin(), found[x].end());
        }
    }
};

/// Bytes on the device for all pairs with all third sequences, besides the present posteriors: the new
/// posteriors and tables.
std::size_t bytesOfResult(const PosteriorSet& posteriors, const PairList& list) {
    const std::size_t n = posteriors.sequences();
    return posteriors.entries() * sizeof(PosteriorEntry) +
           n * n * (sizeof(glycine::cuda::PosteriorRows) + sizeof(PosteriorEntry*)) + n * sizeof(float) +
           list.pairs.size() * sizeof(glycine::cuda::ConsistencyPair) +
           list.thirds.size() * sizeof(std::uint32_t);
}

PosteriorSet transformOnDevice(glycine::cuda::CudaBackend& backend, const DevicePosteriors& before,
                               const PosteriorSet& posteriors, const PairList& list,
                               const ConsistencyRound& round, Progress& progress) {
    const std::size_t n = posteriors.sequences();
    auto after = std::make_shared<DevicePosteriors>();
    std::vector<glycine::cuda::PosteriorRows> from(n * n);
    std::vector<PosteriorEntry*> to(n * n);
    for (const std::shared_ptr<const PosteriorSlab>& slab : before.slabs) {
        auto next = std::make_shared<PosteriorSlab>();
        next->places = slab->places;
        next->entries = glycine::cuda::DeviceBuffer<PosteriorEntry>(
            backend.memory(), std::max<std::size_t>(slab->usedEntries, 1));
        next->pairs = slab->pairs;
        next->usedPlaces = slab->usedPlaces;
        next->usedEntries = slab->usedEntries;
        for (const PlacedPair& pair : slab->pairs) {
            const std::size_t one = pair.first * n + pair.second, other = pair.second * n + pair.first;
            const std::uint32_t* const places = slab->places->data() + pair.places;
            const PosteriorEntry* const entries = slab->entries.data() + pair.entries;
            from[one] = {places, entries};
            from[other] = {places + pair.rows + 1, entries + pair.count};
            to[one] = next->entries.data() + pair.entries;
            to[other] = to[one] + pair.count;
        }
        after->slabs.push_back(std::move(next));
    }
    const std::vector<float> weights(round.weights.begin(), round.weights.end());
    const auto deviceFrom = onDevice(backend, from);
    const auto deviceTo = onDevice(backend, to);
    const auto pairs = onDevice(backend, list.pairs);
    const auto thirds = onDevice(backend, list.thirds);
    const auto deviceWeights = onDevice(backend, weights);
    glycine::cuda::PairConsistencyWork work{};
    work.from = deviceFrom.data();
    work.to = deviceTo.data();
    work.sequences = static_cast<std::uint32_t>(n);
    work.pairs = pairs.data();
    work.thirds = thirds.data();
    work.weights = deviceWeights.data();

    const auto stepsOf = [&](const glycine::cuda::ConsistencyPair& pair) {
        return static_cast<double>(posteriors.pair(pair.x, pair.y).size()) *
               static_cast<double>(1 + pair.endThird - pair.firstThird);
    };
    double all = 0;
    for (const glycine::cuda::ConsistencyPair& pair : list.pairs) all += stepsOf(pair);
    progress.begin("consistency", all);
    const glycine::cuda::Stream stream;
    const glycine::cuda::WorkListener worked = [&](double steps) { progress.advance(steps); };
    glycine::cuda::PacedReport report(worked, 1);
    for (std::size_t first = 0; first < list.pairs.size();) {
        std::size_t end = first;
        double steps = 0;
        while (end < list.pairs.size() && steps < kStepsAtOnce) steps += stepsOf(list.pairs[end++]);
        work.firstPair = static_cast<std::uint32_t>(first);
        work.endPair = static_cast<std::uint32_t>(end);
        glycine::cuda::launchPairConsistency({stream.handle(), backend.multiprocessors()}, work);
        report.queued(stream, steps);
        first = end;
    }
    report.settleAll();

    PosteriorSet result(n);
    for (const std::shared_ptr<const PosteriorSlab>& slab : after->slabs) {
        const HostSlab here(backend, *slab, result);
        parallelFor(omp_get_max_threads(), slab->pairs.size(),
                    [&](std::size_t k, std::size_t) { here.place(slab->pairs[k], result); });
    }
    result.keepResident(std::move(after));
    return result;
}

PosteriorSet transformedInPortions(glycine::cuda::CudaBackend& backend, const PosteriorSet& posteriors,
                                   const ConsistencyRound& round, Progress& progress,
                                   std::size_t mostPortionBytes) {
    const std::size_t n = posteriors.sequences();
    PosteriorSet result(n);
    Transformation transformation(backend, posteriors, round, mostPortionBytes);
    const std::vector<float> sums = transformation.sums(progress);
    parallelFor(omp_get_max_threads(), n, [&](std::size_t x, std::size_t) {
        progress.throwIfCancelled();
        std::vector<std::size_t> next, thirds;
        for (std::size_t row = 0; x > 0 && row < posteriors.pair(x, 0).rows(); ++row)
            next.push_back(transformation.firstTarget(x, row));
        for (std::size_t y = 0; y < x; ++y) {
            const double self = round.selfWeight * (round.weights[x] + round.weights[y]);
            round.thirds.find(x, y, thirds);
            const double all = self + ThirdSequences::weightOf(thirds, round.weights);
            SparsePosterior found(posteriors.pair(x, y));
            for (std::size_t row = 0; row < found.rows(); ++row)
                for (PosteriorEntry& entry : found.row(row))
                    entry.value = static_cast<float>(
                        (self * static_cast<double>(entry.value) + static_cast<double>(sums[next[row]++])) /
                        all);
            result.setPair(x, y, found, posteriors.pair(y, x).rows());
        }
    });
    return result;
}

}  // namespace

PosteriorSet applyConsistency(glycine::cuda::CudaBackend& backend, const PosteriorSet& posteriors,
                              const ConsistencyRound& round, Progress& progress,
                              std::size_t mostPortionBytes) {
    if (posteriors.sequences() < 2) return PosteriorSet(posteriors.sequences());
    const PairList list(posteriors, round);
    const std::size_t available = backend.memory().available();
    const std::size_t needed = bytesOfResult(posteriors, list);
    std::shared_ptr<const ResidentPosteriors> resident = posteriors.resident();
    const auto* there = dynamic_cast<const DevicePosteriors*>(resident.get());
    if (there == nullptr && needed + bytesOnDevice(posteriors) <= std::min(available, mostPortionBytes)) {
        auto brought = std::make_shared<DevicePosteriors>();
        brought->slabs.push_back(uploadPosteriors(backend, posteriors));
        there = brought.get();
        resident = std::move(brought);
    }
    if (there != nullptr && needed <= available)
        return transformOnDevice(backend, *there, posteriors, list, round, progress);
    return transformedInPortions(backend, posteriors, round, progress, mostPortionBytes);
}

}  // namespace glycine::align::cuda
