#include "engine/pairs/files/pair_rows.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "engine/core/error.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/core/tiling.hpp"
#include "engine/io/text/deflate.hpp"
#include "engine/io/text/text_output.hpp"

namespace glycine::pairs {

namespace {

/// Lets threads that work on consecutive pieces finish them in order.
class Turns {
  public:
    /// Calls `action` after all pieces before `index` are done; skips it if one of them failed.
    template <class Action>
    void take(std::size_t index, const Action& action) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return next_ == index || hasFailed_; });
        if (hasFailed_) return;
        action();
        ++next_;
        changed_.notify_all();
    }
    /// No piece after the failed one gets its turn.
    void fail() {
        const std::lock_guard lock(mutex_);
        hasFailed_ = true;
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t next_ = 0;
    bool hasFailed_ = false;
};

}  // namespace

RowBlocks::RowBlocks(std::size_t instances, std::size_t references)
    : instances_(instances), references_(references) {
    constexpr std::size_t kBytes = std::size_t{2} << 20;
    constexpr std::size_t kBytesPerElement = sizeof(double) + 8;  // the value, and roughly the size of its
                                                                  // text
    const std::size_t fewest = references > 0 ? 1 : 16;
    const std::size_t columns = references > 0 ? references : instances;
    if (columns == 0) return;
    blocks_ = splitRange(rows(), std::max(fewest, kBytes / (columns * kBytesPerElement)));
    for (Range& block : blocks_) block = {references + block.begin, references + block.end};
}

MatrixView<const double> RowBlocks::read(const PairStore& store, StoreLayout part, std::size_t block,
                                         std::vector<double>& buffer) const {
    const Range rows = blocks_[block];
    const std::size_t width = references_ > 0 ? references_ : instances_;
    const Range columns{part == StoreLayout::Condensed ? rows.begin : 0,
                        part == StoreLayout::Triangle ? rows.end : width};
    buffer.resize(rows.size() * width);
    const MatrixView<double> view(buffer.data(), rows.size(), width);
    store.readBlock(rows, columns, view.block(0, columns.begin, rows.size(), columns.size()));
    return view;
}

namespace {

/// Writes what format(block, thread, text) appends for each block, in order.
void writeBlocks(storage::AtomicFile& file, const RowBlocks& blocks, Progress& progress,
                 const FormatText& format) {
    progress.begin(fmt::format("writing {}", file.target().filename().string()),
                   static_cast<double>(blocks.rows()));
    writeInOrder(file, blocks.count(), format,
                 [&](std::size_t block) { progress.advance(static_cast<double>(blocks[block].size())); });
}

}  // namespace

void writeRows(storage::AtomicFile& file, const PairStore& store, StoreLayout part, Progress& progress,
               const std::function<void(std::size_t row, const double* values, std::string& text)>& format) {
    const RowBlocks blocks(store.instances(), store.references());
    std::vector<std::vector<double>> buffers(kMaxWritingThreads);
    writeBlocks(file, blocks, progress, [&](std::size_t block, std::size_t thread, std::string& text) {
        const MatrixView<const double> values = blocks.read(store, part, block, buffers[thread]);
        const Range rows = blocks[block];
        for (std::size_t row = rows.begin; row < rows.end; ++row)
            format(row, values.row(row - rows.begin), text);
    });
}

void writeRowTexts(storage::AtomicFile& file, const RowBlocks& blocks, Progress& progress,
                   const std::function<void(std::size_t row, std::string& text)>& format) {
    writeBlocks(file, blocks, progress, [&](std::size_t block, std::size_t, std::string& text) {
        for (std::size_t row = blocks[block].begin; row < blocks[block].end; ++row) format(row, text);
    });
}

void writeInOrder(storage::AtomicFile& file, std::size_t pieces, const FormatText& format,
                  const std::function<void(std::size_t piece)>& onWritten) {
    const int threads = std::min(omp_get_max_threads(), kMaxWritingThreads);
    std::vector<std::string> texts(static_cast<std::size_t>(threads));
    Turns turns;
    parallelFor(threads, pieces, [&](std::size_t piece, std::size_t thread) {
        try {
            std::string& text = texts[thread];
            text.clear();
            format(piece, thread, text);
            text = packedFor(file.target(), std::move(text));
            turns.take(piece, [&] {
                file.write(text);
                onWritten(piece);
            });
        } catch (...) {
            turns.fail();
            throw;
        }
    });
}

void TextOfPairs::add(const PairTile& tile, const FormatText& format) {
    const std::size_t first = tile.rows.begin;
    for (std::size_t r = 0; r < tile.rows.size(); ++r) rows_[first + r].pairs += tile.columnsOf(r);
    Range complete{written_, written_};
    while (complete.end < rows_.size() && rows_[complete.end].pairs == complete.end) ++complete.end;
    const bool isWritten = complete.begin <= first && tile.rows.end <= complete.end;
    if (!isWritten) {
        const int threads = std::min(omp_get_max_threads(), kMaxWritingThreads);
        std::vector<std::string> texts(static_cast<std::size_t>(threads));
        parallelFor(threads, tile.rows.size(), [&](std::size_t r, std::size_t thread) {
            texts[thread].clear();
            format(r, thread, texts[thread]);
            rows_[first + r].texts[tile.columns.begin] = texts[thread];
        });
    }
    // A piece fits into a second-level cache.
    constexpr std::size_t kPairs = std::size_t{1} << 13;
    std::vector<Range> pieces;
    for (std::size_t row = complete.begin; row < complete.end; row = pieces.back().end) {
        pieces.push_back({row, row + 1});
        for (std::size_t pairs = row; pieces.back().end < complete.end && pairs < kPairs;)
            pairs += pieces.back().end++;
    }
    writeInOrder(file_, pieces.size(), [&](std::size_t piece, std::size_t thread, std::string& text) {
        for (std::size_t row = pieces[piece].begin; row < pieces[piece].end; ++row) {
            std::map<std::size_t, std::string>& texts = rows_[row].texts;
            const auto own = texts.lower_bound(tile.columns.begin);
            for (auto place = texts.begin(); place != own; ++place) text += place->second;
            if (isWritten && row >= first && row < tile.rows.end) format(row - first, thread, text);
            for (auto place = own; place != texts.end(); ++place) text += place->second;
            texts.clear();
        }
    });
    written_ = complete.end;
}

std::string packedFor(const std::filesystem::path& file, std::string text) {
    if (lowerCase(file.extension().string()) != ".gz" || text.empty()) return text;
    // Concatenated gzip members are one file.
    return io::packGzip(text);
}

char* writeValue(char* out, double value, ValueType type) {
    return type == ValueType::Float32 ? io::writeShortest(out, static_cast<float>(value))
                                      : io::writeShortest(out, value);
}

std::string nameWithout(std::string_view separators, std::string name) {
    std::replace_if(
        name.begin(), name.end(), [&](char c) { return separators.find(c) != separators.npos; }, '_');
    return name;
}

std::vector<std::string> namesWithout(std::string_view separators, std::span<const std::string> names,
                                      const std::filesystem::path& file) {
    std::vector<std::string> result(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i].empty())
            throw InputError(fmt::format("{}: instance {} has no name; expected one for this format",
                                         file.string(), i + 1));
        result[i] = nameWithout(separators, names[i]);
    }
    if (const auto repeated = firstRepeated(result)) {
        const auto [a, b] = *repeated;
        throw InputError(
            fmt::format("{}: the names of instances {} and {}, '{}' and '{}', are both written as '{}'; "
                        "expected different names (what separates fields in this format becomes '_')",
                        file.string(), a + 1, b + 1, names[a], names[b], result[a]));
    }
    return result;
}

}  // namespace glycine::pairs
