#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/alignment/posterior/posteriors.hpp"
#include "kernels_cuda/alignment/posterior_kernels.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

namespace glycine::align::cuda {

// ---- resident posteriors

/// The position of a pair in a slab, both directions (PosteriorOrderWork).
struct PlacedPair {
    std::uint32_t first = 0, second = 0;  ///< sequences
    std::uint32_t rows = 0, columns = 0;  ///< their lengths
    std::uint64_t places = 0;             ///< rows + 1, then columns + 1
    std::uint64_t entries = 0;            ///< `count`, then the same transposed
    std::uint32_t count = 0;
};

/// Some pairs on the device: row offsets and entries.
struct PosteriorSlab {
    /// Shared, because rounds of the consistency transformation do not change them.
    std::shared_ptr<const glycine::cuda::DeviceBuffer<std::uint32_t>> places;
    glycine::cuda::DeviceBuffer<PosteriorEntry> entries;
    std::vector<PlacedPair> pairs;
    std::size_t usedPlaces = 0, usedEntries = 0;

    /// Allocates room for at least one place and one entry.
    static PosteriorSlab withRoom(glycine::cuda::MemoryBudget& budget, std::size_t places,
                                  std::size_t entries);
};

/// All pairs of a set on the device. Must not outlive the backend.
struct DevicePosteriors final : ResidentPosteriors {
    std::vector<std::shared_ptr<const PosteriorSlab>> slabs;
};

/// A copy of the used part of a slab, in slabs of `result` on the host.
struct HostSlab {
    HostSlab(const glycine::cuda::CudaBackend& backend, const PosteriorSlab& slab, PosteriorSet& result);
    void place(const PlacedPair& pair, PosteriorSet& result) const;

    const std::uint32_t* places;
    const PosteriorEntry* entries;
};

/// Bytes that all pairs of a set need on the device.
std::size_t bytesOnDevice(const PosteriorSet& posteriors);
/// Uploads all pairs of a set whose places begin at 0.
std::shared_ptr<const PosteriorSlab> uploadPosteriors(const glycine::cuda::CudaBackend& backend,
                                                      const PosteriorSet& posteriors);

/// PosteriorRun::applyConsistency on the device. It uses the resident posteriors, or uploads them if that
/// needs at most `mostPortionBytes`. Otherwise it uploads portions: posteriors with as many third sequences
/// as fit in memory and in `mostPortionBytes`. Throws UnavailableError if there is too little memory for even
/// one of them.
PosteriorSet applyConsistency(glycine::cuda::CudaBackend& backend, const PosteriorSet& posteriors,
                              const ConsistencyRound& round, Progress& progress,
                              std::size_t mostPortionBytes = std::size_t{4} << 30);

}  // namespace glycine::align::cuda
