#include "engine/alignment/posterior/posteriors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <thread>

#include "engine/alignment/posterior/heaviest_chain.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/stage_recount.hpp"

namespace glycine::align {

void PosteriorView::require(std::size_t size, std::size_t columns, std::size_t first,
                            std::size_t second) const {
    const auto name = [&] { return fmt::format("sequences {} and {}", first + 1, second + 1); };
    if (rows_ == 0) return;
    if (begins_[0] != 0 || begins_[rows_] != size || !std::ranges::is_sorted(begins()))
        throw ImpossibleResultError(fmt::format(
            "the posteriors of {} begin at {} and end at {}; expected rows that ascend from 0 to {}", name(),
            begins_[0], begins_[rows_], size));
    for (std::size_t number = 0; number < rows_; ++number) {
        std::size_t least = 0;
        for (const PosteriorEntry& entry : row(number)) {
            if (entry.column < least || entry.column >= columns)
                throw ImpossibleResultError(
                    fmt::format("the posteriors of {} have letter {} of the second sequence for letter {} of "
                                "the first one; expected {} to {}",
                                name(), entry.column + std::size_t{1}, number + 1, least + 1, columns));
            least = entry.column + std::size_t{1};
        }
    }
}

void PosteriorView::transposeTo(std::size_t columns, std::uint32_t* begins, PosteriorEntry* entries) const {
    // First, begins[column] is the end of each column's entries; filling from the last row moves it to the
    // beginning.
    std::fill_n(begins, columns + 1, 0U);
    for (const PosteriorEntry& entry : this->entries()) ++begins[entry.column];
    std::partial_sum(begins, begins + columns + 1, begins);
    for (std::size_t number = rows(); number-- > 0;)
        for (const PosteriorEntry& entry : row(number))
            entries[--begins[entry.column]] = {static_cast<std::uint32_t>(number), entry.value};
}

SparsePosterior SparsePosterior::transposed(std::size_t columns) const {
    std::vector<std::uint32_t> begins(columns + 1);
    std::vector<PosteriorEntry> entries(entries_.size());
    PosteriorView(*this).transposeTo(columns, begins.data(), entries.data());
    return {std::move(begins), std::move(entries)};
}

double expectedAccuracy(const PosteriorView& posterior, std::size_t columns) {
    HeaviestChain chain(columns);
    for (std::uint32_t row = 0; row < posterior.rows(); ++row) {
        for (const PosteriorEntry& entry : posterior.row(row))
            chain.offer(row, entry.column, static_cast<double>(entry.value));
        chain.endRow();
    }
    return chain.sum();
}

namespace {

/// Bytes of the row offsets of one direction of a pair, rounded up to 8 bytes.
std::size_t placeBytes(std::size_t rows) {
    return (rows + 2) / 2 * 2 * sizeof(std::uint32_t);
}

}  // namespace

/// Memory of pairs. Each thread fills slabs of its own shelf, as far as there are enough shelves.
class PosteriorSet::Slabs {
  public:
    std::byte* add(std::size_t bytes) {
        LargeArray slab(bytes);
        std::byte* const data = slab.data();
        const std::lock_guard lock(mutex_);
        all_.push_back(std::move(slab));
        return data;
    }
    std::byte* take(std::size_t bytes) {
        Shelf& shelf = shelves_[std::hash<std::thread::id>()(std::this_thread::get_id()) % kShelves];
        const std::lock_guard lock(shelf.mutex);
        if (shelf.left < bytes) {
            // Small sets need little memory; a slab of a large set holds some hundred pairs.
            shelf.next = std::clamp(2 * shelf.next, kSmallest, kLargest);
            shelf.left = std::max(shelf.next, bytes);
            shelf.place = add(shelf.left);
        }
        shelf.left -= bytes;
        return std::exchange(shelf.place, shelf.place + bytes);
    }

  private:
    static constexpr std::size_t kShelves = 64;
    static constexpr std::size_t kSmallest = std::size_t{1} << 14, kLargest = std::size_t{1} << 22;
    struct Shelf {
        std::mutex mutex;
        std::byte* place = nullptr;
        std::size_t left = 0, next = 0;
    };
    std::array<Shelf, kShelves> shelves_;
    std::mutex mutex_;
    std::vector<LargeArray> all_;
};

PosteriorSet::PosteriorSet(std::size_t sequences)
    : sequences_(sequences), pairs_(sequences * sequences), slabs_(std::make_unique<Slabs>()) {}
PosteriorSet::PosteriorSet(PosteriorSet&&) noexcept = default;
PosteriorSet& PosteriorSet::operator=(PosteriorSet&&) noexcept = default;
PosteriorSet::~PosteriorSet() = default;

std::byte* PosteriorSet::addSlab(std::size_t bytes) {
    return slabs_->add(bytes);
}

void PosteriorSet::setPair(std::size_t first, std::size_t second, const PosteriorView& posterior,
                           std::size_t columns) {
    const std::size_t rows = posterior.rows(), size = posterior.size();
    posterior.require(size, columns, first, second);
    std::byte* place =
        slabs_->take(placeBytes(rows) + placeBytes(columns) + 2 * size * sizeof(PosteriorEntry));
    const auto take = [&](std::size_t bytes) { return std::exchange(place, place + bytes); };
    auto* const begins = reinterpret_cast<std::uint32_t*>(take(placeBytes(rows)));
    auto* const entries = reinterpret_cast<PosteriorEntry*>(take(size * sizeof(PosteriorEntry)));
    auto* const otherBegins = reinterpret_cast<std::uint32_t*>(take(placeBytes(columns)));
    auto* const otherEntries = reinterpret_cast<PosteriorEntry*>(take(size * sizeof(PosteriorEntry)));
    std::ranges::copy(posterior.begins(), begins);
    std::ranges::copy(posterior.entries(), entries);
    posterior.transposeTo(columns, otherBegins, otherEntries);
    placePair(first, second, {begins, entries, rows}, {otherBegins, otherEntries, columns});
    notifyListener(first, second);
}

std::size_t PosteriorSet::entries() const {
    std::size_t count = 0;
    for (const PosteriorView& pair : pairs_) count += pair.size();
    return count;
}

double cellsOfPairs(const Sequences& sequences) {
    double all = 0, cells = 0;
    for (const auto& codes : sequences.codes) {
        const auto length = static_cast<double>(codes.size());
        cells += all * length;
        all += length;
    }
    return cells;
}

double cellsOfPairs(const Sequences& sequences, const PosteriorSet& posteriors) {
    double cells = 0;
    for (std::size_t a = 1; a < sequences.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (!posteriors.has(a, b))
                cells += static_cast<double>(sequences.codes[a].size()) *
                         static_cast<double>(sequences.codes[b].size());
    return cells;
}

}  // namespace glycine::align
