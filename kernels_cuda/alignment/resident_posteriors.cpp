#include "kernels_cuda/alignment/resident_posteriors.hpp"

#include <omp.h>

#include <algorithm>

#include "engine/core/parallel.hpp"
#include "kernels_cuda/device/linear_transfer.hpp"

namespace glycine::align::cuda {

PosteriorSlab PosteriorSlab::withRoom(glycine::cuda::MemoryBudget& budget, std::size_t places,
                                      std::size_t entries) {
    PosteriorSlab slab;
    slab.places = std::make_shared<glycine::cuda::DeviceBuffer<std::uint32_t>>(
        budget, std::max<std::size_t>(places, 1));
    slab.entries = glycine::cuda::DeviceBuffer<PosteriorEntry>(budget, std::max<std::size_t>(entries, 1));
    return slab;
}

SlabHere::SlabHere(const glycine::cuda::CudaBackend& backend, const PosteriorSlab& slab,
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

void SlabHere::place(const PlacedPair& pair, PosteriorSet& result) const {
    const std::uint32_t* const rows = places + pair.places;
    const PosteriorEntry* const found = entries + pair.entries;
    const PosteriorView one(rows, found, pair.rows);
    const PosteriorView other(rows + pair.rows + 1, found + pair.count, pair.columns);
    one.require(pair.count, pair.columns, pair.first, pair.second);
    other.require(pair.count, pair.rows, pair.second, pair.first);
    result.placePair(pair.first, pair.second, one, other);
}

std::size_t bytesThere(const PosteriorSet& posteriors) {
    std::size_t places = 0;
    const std::size_t n = posteriors.sequences();
    for (std::size_t x = 0; x < n; ++x)
        for (std::size_t y = 0; y < n; ++y)
            if (x != y) places += posteriors.pair(x, y).rows() + 1;
    return places * sizeof(std::uint32_t) + posteriors.entries() * sizeof(PosteriorEntry);
}

std::shared_ptr<const PosteriorSlab> broughtThere(const glycine::cuda::CudaBackend& backend,
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

}  // namespace glycine::align::cuda
