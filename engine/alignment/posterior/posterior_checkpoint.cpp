#include "engine/alignment/posterior/posterior_checkpoint.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>

#include "engine/storage/unfinished.hpp"

namespace glycine::align {

namespace {

/// The least time between two blocks: syncing each pair by itself would take longer than computing it.
constexpr double kSecondsBetweenBlocks = 1;
/// The largest share of the run's time spent on writing.
constexpr double kShareForWriting = 0.1;
/// The approximate size of a block, which is held in memory a second time.
constexpr std::size_t kBlockBytes = std::size_t{16} << 20;

/// The header of a pair's rows and entries in a block.
struct PairHead {
    std::uint32_t first = 0, second = 0;
    std::uint32_t rows = 0, entries = 0;
};

template <class Value>
void put(std::vector<std::byte>& block, std::span<const Value> values) {
    const auto bytes = std::as_bytes(values);
    block.insert(block.end(), bytes.begin(), bytes.end());
}

/// False if the block has too few bytes.
template <class Value>
bool take(std::span<const std::byte>& block, std::span<Value> values) {
    if (block.size() < values.size_bytes()) return false;
    if (!values.empty()) std::memcpy(values.data(), block.data(), values.size_bytes());
    block = block.subspan(values.size_bytes());
    return true;
}

void putPair(std::vector<std::byte>& block, std::size_t first, std::size_t second,
             const PosteriorView& pair) {
    const PairHead head{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second),
                        static_cast<std::uint32_t>(pair.rows()), static_cast<std::uint32_t>(pair.size())};
    put(block, std::span(&head, 1));
    put(block, pair.begins());
    put(block, pair.entries());
}

/// Sets the next pair of a block; false if it cannot belong to these sequences.
bool takePair(std::span<const std::byte>& block, const Sequences& sequences, PosteriorSet& posteriors) {
    PairHead head;
    if (!take(block, std::span(&head, 1)) || head.first == head.second ||
        std::max(head.first, head.second) >= sequences.size() ||
        head.rows != sequences.codes[head.first].size() ||
        block.size() / sizeof(PosteriorEntry) < head.entries)
        return false;
    const std::size_t columns = sequences.codes[head.second].size();
    std::vector<std::uint32_t> begins(head.rows + std::size_t{1});
    std::vector<PosteriorEntry> entries(head.entries);
    if (!take(block, std::span(begins)) || !take(block, std::span(entries)) || begins.front() != 0 ||
        begins.back() != head.entries || !std::ranges::is_sorted(begins) ||
        !std::ranges::all_of(entries, [&](const PosteriorEntry& entry) { return entry.column < columns; }))
        return false;
    posteriors.setPair(head.first, head.second, {begins.data(), entries.data(), head.rows}, columns);
    return true;
}

}  // namespace

PosteriorCheckpoint::PosteriorCheckpoint(std::filesystem::path output, std::string identity, bool restart,
                                         double secondsBeforeFile)
    : output_(std::move(output)),
      identity_(std::move(identity) + "kept: posteriors\n"),
      secondsBeforeFile_(secondsBeforeFile) {
    if (storage::hasUnfinishedRun(output_))
        store_ = std::make_unique<storage::BlockStore>(output_, identity_, restart);
}

PosteriorCheckpoint::Following::Following(PosteriorCheckpoint& kept, const Sequences& sequences,
                                          PosteriorSet& posteriors)
    : kept_(kept), posteriors_(posteriors) {
    kept_.sinceStart_.restart();
    kept_.sinceWrite_.restart();
    kept_.writeSeconds_ = 0;
    kept_.restore(sequences, posteriors_);
    posteriors_.setListener(
        [this](std::size_t first, std::size_t second) { kept_.add(posteriors_, first, second); });
}

PosteriorCheckpoint::Following::~Following() {
    posteriors_.setListener({});
    kept_.write(posteriors_);
    kept_.found_.clear();
}

void PosteriorCheckpoint::restore(const Sequences& sequences, PosteriorSet& posteriors) {
    resumed_ = 0;
    if (!store_) return;
    store_->readKept([&](std::span<const std::byte> block) {
        while (!block.empty() && takePair(block, sequences, posteriors)) ++resumed_;
    });
}

void PosteriorCheckpoint::add(const PosteriorSet& posteriors, std::size_t first, std::size_t second) {
    {
        const std::lock_guard lock(listMutex_);
        found_.emplace_back(first, second);
    }
    const std::unique_lock lock(writeMutex_, std::try_to_lock);
    if (lock && sinceWrite_.seconds() >= kSecondsBetweenBlocks) write(posteriors);
}

bool PosteriorCheckpoint::isTimeToWrite() const {
    const double seconds = sinceStart_.seconds();
    return failure_.empty() && seconds >= secondsBeforeFile_ && writeSeconds_ <= kShareForWriting * seconds;
}

/// Writes as many of the pairs found as there is time for.
void PosteriorCheckpoint::write(const PosteriorSet& posteriors) {
    std::vector<std::byte> block;
    while (isTimeToWrite()) {
        const Stopwatch watch;
        block.clear();
        while (block.size() < kBlockBytes) {
            Pair pair;
            {
                const std::lock_guard lock(listMutex_);
                if (found_.empty()) break;
                pair = found_.back();
                found_.pop_back();
            }
            putPair(block, pair.first, pair.second, posteriors.pair(pair.first, pair.second));
        }
        if (block.empty()) break;
        try {
            if (!store_) store_ = std::make_unique<storage::BlockStore>(output_, identity_, true);
            store_->append(block);
        } catch (const std::exception& error) {
            failure_ = error.what();
            discard();
        }
        writeSeconds_ += watch.seconds();
    }
    sinceWrite_.restart();
}

void PosteriorCheckpoint::discard() {
    if (store_) store_->discard();
    store_.reset();
}

}  // namespace glycine::align
