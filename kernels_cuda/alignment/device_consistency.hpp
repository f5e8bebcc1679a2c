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

// ---- posteriors that stay

/// Where a pair lies in a slab, both directions (PosteriorOrderWork).
struct PlacedPair {
    std::uint32_t first = 0, second = 0;  ///< sequences
    std::uint32_t rows = 0, columns = 0;  ///< their lengths
    std::uint64_t places = 0;             ///< rows + 1, then columns + 1
    std::uint64_t entries = 0;            ///< `count`, then the same transposed
    std::uint32_t count = 0;
};

/// Some pairs on the device: where rows begin, and entries.
struct PosteriorSlab {
    /// Rounds of the consistency transformation leave them as they are.
    std::shared_ptr<const glycine::cuda::DeviceBuffer<std::uint32_t>> places;
    glycine::cuda::DeviceBuffer<PosteriorEntry> entries;
    std::vector<PlacedPair> pairs;
    std::size_t usedPlaces = 0, usedEntries = 0;

    /// At least one of each.
    static PosteriorSlab withRoom(glycine::cuda::MemoryBudget& budget, std::size_t places,
                                  std::size_t entries);
};

/// All pairs of a set on the device. Does not outlive the backend.
struct PosteriorsThere final : ResidentPosteriors {
    std::vector<std::shared_ptr<const PosteriorSlab>> slabs;
};

/// The beginning of a slab, in slabs of `result` on the host.
struct SlabHere {
    SlabHere(const glycine::cuda::CudaBackend& backend, const PosteriorSlab& slab, PosteriorSet& result);
    void place(const PlacedPair& pair, PosteriorSet& result) const;

    const std::uint32_t* places;
    const PosteriorEntry* entries;
};

/// What all pairs of a set take on the device.
std::size_t bytesThere(const PosteriorSet& posteriors);
/// All pairs of a set whose places begin at 0.
std::shared_ptr<const PosteriorSlab> broughtThere(const glycine::cuda::CudaBackend& backend,
                                                  const PosteriorSet& posteriors);

/// PosteriorRun::madeConsistent on the device, from the posteriors that have stayed there or, where that
/// takes no more than `mostPortionBytes`, are brought there; else posteriors with some third sequences after
/// another are there, as many as there is memory for, and no more than that. Throws UnavailableError where
/// there is too little of it for a single one.
PosteriorSet madeConsistent(glycine::cuda::CudaBackend& backend, const PosteriorSet& posteriors,
                            const ConsistencyRound& round, Progress& progress,
                            std::size_t mostPortionBytes = std::size_t{4} << 30);

}  // namespace glycine::align::cuda
