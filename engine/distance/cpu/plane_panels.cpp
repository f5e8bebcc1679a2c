#include "engine/distance/cpu/plane_panels.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/core/parallel.hpp"
#include "engine/core/process_team.hpp"

namespace glycine::distance::cpu {

namespace {

/// Size of a strip of one chunk. Two strips share the first-level cache; longer strips amortise summing the
/// lanes at their ends.
constexpr std::size_t kStripBytes = std::size_t{16} << 10;

}  // namespace

std::size_t PlanePanel::longestChunk(const CountKind& kind) {
    return std::max<std::size_t>(1, kStripBytes / (kind.stripWords(1) * sizeof(std::uint64_t)));
}

std::size_t PlanePanel::words(std::size_t instances, std::size_t attributes, const CountKind& kind) {
    const std::size_t units = (attributes + kUnitAttributes - 1) / kUnitAttributes;
    return (instances + kStripInstances - 1) / kStripInstances * kind.stripWords(units);
}

PlanePanel::PlanePanel(std::size_t instances, std::size_t attributes, const CountKind& kind,
                       std::uint64_t* memory)
    : kind_(kind),
      strips_((instances + kStripInstances - 1) / kStripInstances),
      units_((attributes + kUnitAttributes - 1) / kUnitAttributes),
      words_(memory) {
    const std::size_t longest = longestChunk(kind);
    chunks_ = (units_ + longest - 1) / longest;
    chunkUnits_ = (units_ + chunks_ - 1) / chunks_;
    chunks_ = (units_ + chunkUnits_ - 1) / chunkUnits_;
}

PlanePanel::PlanePanel(const PlaneBlock& planes, const CountKind& kind, Matrix<std::uint64_t> memory,
                       int threads)
    : PlanePanel(planes.instances(), planes.attributes(), kind, nullptr) {
    const std::size_t size = words(planes.instances(), planes.attributes(), kind);
    own_ = memory.size() >= size ? std::move(memory) : Matrix<std::uint64_t>(1, size);
    words_ = own_.data();
    fill(planes, threads);
}

void PlanePanel::fill(const PlaneBlock& planes, int threads) {
    const unsigned stored = kind_.storedPlanes();
    parallelFor(threads, strips_, [&](std::size_t s, std::size_t) {
        for (std::size_t i = 0; i < kStripInstances; ++i) {
            const std::size_t instance = s * kStripInstances + i;
            for (unsigned p = 0; p < stored; ++p)
                for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
                    std::uint64_t* target = words_ + stripOffset(chunk, s) + (i * stored + p) * kUnitWords;
                    for (std::size_t u = 0; u < units(chunk); ++u, target += kind_.stripWords(1)) {
                        if (instance < planes.instances())
                            std::copy_n(planes.plane(instance, p) + (chunk * chunkUnits_ + u) * kUnitWords,
                                        kUnitWords, target);
                        else
                            std::fill_n(target, kUnitWords, 0);
                    }
                }
        }
    });
}

std::size_t PlanePanel::units(std::size_t chunk) const {
    return std::min(chunkUnits_, units_ - chunk * chunkUnits_);
}

std::size_t PlanePanel::stripOffset(std::size_t chunk, std::size_t strip) const {
    return strips_ * kind_.stripWords(chunk * chunkUnits_) + strip * kind_.stripWords(units(chunk));
}

std::unique_ptr<SharedPanels> SharedPanels::make(const DiscreteSource& source, const CountKind& kind,
                                                 std::size_t side, std::size_t block,
                                                 std::size_t largestBytes, ProcessTeam& team) {
    const DiscreteShape& shape = source.shape();
    const std::size_t bytes = PlanePanel::words(side, block, kind) * sizeof(std::uint64_t);
    const std::size_t rows = (shape.instances + side - 1) / side;
    std::unique_ptr<SharedPanels> panels(new SharedPanels(source, kind, side, block));
    panels->blocks_ = (shape.attributes + block - 1) / block;
    const std::size_t items = rows * panels->blocks_;
    if (items * bytes > largestBytes) return nullptr;
    std::shared_ptr<std::byte> memory = team.memoryOfHost(SharedItems::bytesFor(items, bytes));
    if (memory == nullptr) return nullptr;
    panels->items_.emplace(std::move(memory), items, bytes);
    return panels;
}

std::optional<PanelPart> SharedPanels::panel(Range instances, Range attributes, int threads) {
    const std::size_t row = instances.begin / side_;
    const Range all{row * side_, std::min((row + 1) * side_, source_.shape().instances)};
    if (instances.end > all.end || (instances.begin - all.begin) % kStripInstances != 0) return std::nullopt;
    const std::size_t item = row * blocks_ + attributes.begin / block_;
    const auto panel = std::make_shared<PlanePanel>(all.size(), attributes.size(), kind_,
                                                    reinterpret_cast<std::uint64_t*>(items_->data(item)));
    items_->complete({&item, 1}, 1, [&](std::span<const std::size_t>) {
        panel->fill(source_.readPlanes(all, attributes), threads);
    });
    return PanelPart(panel, instances.begin - all.begin);
}

PanelPart PlanePanelCache::panel(Range instances, Range attributes, int threads) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.attributes == attributes && entry.instances.begin <= instances.begin &&
               instances.end <= entry.instances.end &&
               (instances.begin - entry.instances.begin) % kStripInstances == 0;
    });
    if (found != entries_.end()) {
        entries_.splice(entries_.begin(), entries_, found);
        return {found->panel, instances.begin - found->instances.begin};
    }
    Matrix<std::uint64_t> memory =
        makeRoom(PlanePanel::words(instances.size(), attributes.size(), kind_) * sizeof(std::uint64_t));
    const auto panel = std::make_shared<PlanePanel>(source_.readPlanes(instances, attributes), kind_,
                                                    std::move(memory), threads);
    entries_.push_front({instances, attributes, panel});
    return {panel, 0};
}

Matrix<std::uint64_t> PlanePanelCache::makeRoom(std::size_t bytes) {
    std::size_t held = bytes;
    for (const Entry& entry : entries_) held += entry.panel->bytes();
    Matrix<std::uint64_t> memory;
    while (!entries_.empty() && held > largestBytes_) {
        const std::shared_ptr<PlanePanel> panel = std::move(entries_.back().panel);
        entries_.pop_back();
        held -= panel->bytes();
        // Unless the current tile needs it.
        if (panel.use_count() == 1) memory = panel->releaseMemory();
    }
    return memory;
}

}  // namespace glycine::distance::cpu
