#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/crossapen/input/matrix_source.hpp"
#include "engine/io/arrays/npz.hpp"

namespace glycine::crossapen {

namespace {

using Names = std::span<const std::string_view>;
constexpr std::string_view kDataNames[] = {"data", "signals", "x", "eeg", "meg", "epochs"};
constexpr std::string_view kChannelNames[] = {"channels", "ch_names", "channel_names", "labels", "names"};
constexpr std::string_view kRateNames[] = {
    "sfreq", "fs", "rate", "srate", "samplingrate", "sampling_rate", "sampling_frequency"};

bool isSignalShape(const io::NpyHeader& header) {
    return header.kind != io::NpyKind::Text && (header.shape.size() == 2 || header.shape.size() == 3);
}

/// An NPZ file, seen as signals with what belongs to them.
class SignalArchive {
  public:
    explicit SignalArchive(const std::filesystem::path& path) : path_(path.string()), archive_(path) {}

    std::unique_ptr<io::ByteSource> open(const std::string& member) const { return archive_.open(member); }

    /// The array that `wanted` names, or the one that holds signals.
    std::string choose(const std::string& wanted) const {
        if (!wanted.empty()) {
            if (!archive_.contains(wanted))
                throw InputError(fmt::format("{}: has no array '{}'; it has {}", path_, wanted,
                                             quoteNames(archive_.names())));
            return wanted;
        }
        std::vector<std::string> candidates, named;
        for (const std::string& member : archive_.names()) {
            if (!isSignalShape(io::readNpyHeader(*open(member)))) continue;
            candidates.push_back(member);
            if (isAmong(member, kDataNames)) named.push_back(member);
        }
        if (candidates.size() == 1) return candidates.front();
        if (named.size() == 1) return named.front();
        throw InputError(
            candidates.empty()
                ? fmt::format("{}: none of its arrays, {}, holds numbers, channels × samples or epochs × "
                              "channels × samples",
                              path_, quoteNames(archive_.names()))
                : fmt::format("{}: several arrays may hold the signals: {}; expected --array to name one",
                              path_, quoteNames(candidates)));
    }

    /// Names of channels; empty: the archive has none.
    std::vector<std::string> channelNames() const {
        const std::optional<std::string> member = only(kChannelNames, "names of channels");
        return member ? io::readNpyStrings(*open(*member)) : std::vector<std::string>();
    }

    /// Hz; 0: the archive has none.
    double samplingRate() const {
        const std::optional<std::string> member = only(kRateNames, "a sampling rate");
        if (!member) return 0;
        const std::unique_ptr<io::ByteSource> source = open(*member);
        io::NpyHeader header = io::readNpyHeader(*source);
        if (header.kind == io::NpyKind::Text || header.elements() != 1)
            throw InputError(
                fmt::format("{}: has the shape ({}) and the dtype '{}'; expected one number, a "
                            "sampling rate in Hz",
                            source->name(), fmt::join(header.shape, ", "), header.dtype));
        header.shape = {1, 1};
        const double rate = io::readNpyMatrix<double>(*source, header)(0, 0);
        if (!(rate > 0 && rate <= kHighestSamplingRate))
            throw InputError(fmt::format("{}: is {}; expected a sampling rate in Hz", source->name(), rate));
        return rate;
    }

  private:
    static bool isAmong(const std::string& name, Names names) {
        return std::find(names.begin(), names.end(), lowerCase(name)) != names.end();
    }
    std::optional<std::string> only(Names names, std::string_view what) const {
        std::vector<std::string> found;
        for (const std::string& member : archive_.names())
            if (isAmong(member, names)) found.push_back(member);
        if (found.size() > 1)
            throw InputError(fmt::format("{}: {} each should hold {}; expected one of them", path_,
                                         quoteNames(found), what));
        return found.empty() ? std::nullopt : std::optional(found.front());
    }

    std::string path_;
    io::NpzReader archive_;
};

/// channels × samples, or epochs × channels × samples: each epoch a stretch for itself.
class ArraySource : public MatrixSource {
  public:
    ArraySource(const std::filesystem::path& path, const SignalOptions& options, bool isArchive)
        : path_(path), transpose_(options.transpose) {
        name = path.string();
        format = isArchive ? "NPZ" : "NPY";
        if (isArchive) {
            archive_.emplace(path);
            member_ = archive_->choose(options.array);
        }
        const io::NpyHeader header = io::readNpyHeader(*open());
        if (!isSignalShape(header))
            throw InputError(
                fmt::format("{}: the array has the shape ({}) and the dtype '{}'; expected "
                            "numbers, channels × samples or epochs × channels × samples",
                            name, fmt::join(header.shape, ", "), header.dtype));
        const bool isEpochs = header.shape.size() == 3;
        epochs_ = isEpochs ? header.shape[0] : 1;
        rows_ = header.shape[isEpochs ? 1 : 0];
        columns_ = header.shape[isEpochs ? 2 : 1];
        samples_ = transpose_ ? rows_ : columns_;
        const std::size_t count = transpose_ ? columns_ : rows_;
        const std::vector<std::string> names =
            archive_ ? archive_->channelNames() : std::vector<std::string>();
        if (!names.empty() && names.size() != count)
            throw InputError(
                fmt::format("{}: '{}' has {} channels of {} samples, and there are {} names of channels{}",
                            name, member_, count, samples_, names.size(),
                            names.size() == samples_ ? "; --transpose reads it the other way round" : ""));
        if (count > samples_ && samples_ > 0)
            notes.push_back(
                fmt::format("the array has {} channels of {} samples each; --transpose reads it "
                            "the other way round",
                            count, samples_));
        nameChannels(count, names, options.keepTime);
        const double rate = archive_ ? archive_->samplingRate() : 0;
        for (SourceChannel& channel : channels) channel.samplingRate = rate;
        // Where each epoch lay is not told: they count as one behind another.
        const double known = rate > 0 ? rate : options.samplingRate.value_or(1);
        for (std::size_t epoch = 0; epoch < epochs_; ++epoch)
            segments.push_back({static_cast<double>(epoch * samples_) / known});
    }

    void load() override {
        const std::unique_ptr<io::ByteSource> source = open();
        io::NpyHeader header = io::readNpyHeader(*source);
        const bool isByColumns = header.shape.size() == 3 && header.fortranOrder;
        if (isByColumns)
            header.shape = {epochs_, rows_ * columns_};
        else
            header.shape = {epochs_ * rows_, columns_};
        Matrix<double> stored = io::readNpyMatrix<double>(*source, header);
        if (isByColumns) stored = inRowOrder(stored);
        values_ = transpose_ ? eachTransposed(stored) : std::move(stored);
    }

  private:
    std::unique_ptr<io::ByteSource> open() const {
        return archive_ ? archive_->open(member_) : io::openFile(path_);
    }
    /// epochs × (rows · columns), the rows of an epoch side by side as columns are stored.
    Matrix<double> inRowOrder(const Matrix<double>& stored) const {
        Matrix<double> ordered(epochs_ * rows_, columns_);
        for (std::size_t epoch = 0; epoch < epochs_; ++epoch)
            for (std::size_t row = 0; row < rows_; ++row)
                for (std::size_t column = 0; column < columns_; ++column)
                    ordered(epoch * rows_ + row, column) = stored(epoch, row + rows_ * column);
        return ordered;
    }
    Matrix<double> eachTransposed(const Matrix<double>& stored) const {
        if (epochs_ == 1) return transposed(stored);
        Matrix<double> turned(epochs_ * columns_, rows_);
        for (std::size_t epoch = 0; epoch < epochs_; ++epoch)
            for (std::size_t row = 0; row < rows_; ++row)
                for (std::size_t column = 0; column < columns_; ++column)
                    turned(epoch * columns_ + column, row) = stored(epoch * rows_ + row, column);
        return turned;
    }

    std::filesystem::path path_;
    bool transpose_;
    std::optional<SignalArchive> archive_;
    std::string member_;
    std::size_t epochs_ = 1;
    std::size_t rows_ = 0;  ///< as stored, of an epoch
    std::size_t columns_ = 0;
};

}  // namespace

std::unique_ptr<SignalSource> arraySource(const std::filesystem::path& path, const SignalOptions& options,
                                          bool isArchive) {
    return std::make_unique<ArraySource>(path, options, isArchive);
}

}  // namespace glycine::crossapen
