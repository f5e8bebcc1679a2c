#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/algorithms/crossapen/input/signal_source.hpp"
#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/core/transpose.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/text/delimited_table.hpp"

namespace glycine::crossapen {

namespace {

/// Signals that lie in memory, in one stretch; channels without types and units.
class MatrixSource : public SignalSource {
  public:
    MatrixSource() { segments.emplace_back(); }
    std::size_t sampleCount(std::size_t, std::size_t) const override { return samples_; }
    void read(std::size_t, std::size_t channel, std::size_t first, std::span<double> target) const override {
        std::copy_n(values_.row(channel) + first, target.size(), target.begin());
    }

  protected:
    void nameChannels(std::size_t count, const std::vector<std::string>& names) {
        for (std::size_t k = 0; k < count; ++k) {
            std::string label = names.empty() ? fmt::to_string(k + 1) : names[k];
            std::string type(io::standardSignalType(label));
            const io::ChannelKind kind =
                io::isStatusLabel(label) ? io::ChannelKind::Status : io::ChannelKind::Signal;
            channels.push_back({std::move(label), std::move(type), "", kind, 0});
        }
        makeNamesUnique(channels, notes);
    }

    Matrix<double> values_;  ///< channels × samples
    std::size_t samples_ = 0;
};

class ArraySource : public MatrixSource {
  public:
    ArraySource(const std::filesystem::path& path, bool transpose) : path_(path), transpose_(transpose) {
        name = path.string();
        format = "NPY";
        const io::NpyHeader header = io::readNpyHeader(*io::openFile(path));
        if (header.shape.size() != 2 || header.kind == io::NpyKind::Text)
            throw InputError(fmt::format(
                "{}: the array has the shape ({}) and the dtype '{}'; expected numbers, channels × samples",
                name, fmt::join(header.shape, ", "), header.dtype));
        samples_ = header.shape[transpose ? 0 : 1];
        const std::size_t count = header.shape[transpose ? 1 : 0];
        if (count > samples_ && samples_ > 0)
            notes.push_back(
                fmt::format("the array has {} channels of {} samples each; --transpose reads it "
                            "the other way round",
                            count, samples_));
        nameChannels(count, {});
    }

    void load() override {
        values_ = io::readNpyMatrix<double>(path_);
        if (transpose_) values_ = transposed(values_);
    }

  private:
    std::filesystem::path path_;
    bool transpose_;
};

class TableSource : public MatrixSource {
  public:
    TableSource(const std::filesystem::path& path, const SignalOptions& options) {
        name = path.string();
        format = "table";
        io::NumberTable<double> table = io::readDelimitedTable<double>(path, options.header);
        values_ = options.transpose ? std::move(table.values) : transposed(table.values);
        samples_ = values_.columns();
        const std::vector<std::string>& names = options.transpose ? table.rowNames : table.columnNames;
        nameChannels(values_.rows(), names);
        if (!names.empty() && isTime(names.front()))
            notes.push_back(
                fmt::format("the column '{}' is taken for a signal; --exclude leaves it out", names.front()));
    }

  private:
    static bool isTime(std::string_view title) {
        const std::string word = lowerCase(title);
        for (const std::string_view start : {"time", "second", "timestamp"})
            if (word.starts_with(start)) return true;
        return word == "t" || word == "s" || word == "ms";
    }
};

}  // namespace

std::unique_ptr<SignalSource> arraySource(const std::filesystem::path& path, const SignalOptions& options) {
    return std::make_unique<ArraySource>(path, options.transpose);
}

std::unique_ptr<SignalSource> tableSource(const std::filesystem::path& path, const SignalOptions& options) {
    return std::make_unique<TableSource>(path, options);
}

}  // namespace glycine::crossapen
