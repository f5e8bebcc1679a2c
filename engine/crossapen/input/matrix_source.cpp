#include "engine/crossapen/input/matrix_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/io/text/delimited_table.hpp"
#include "engine/io/text/header_text.hpp"

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

/// An NPZ file as signals with their channel names and sampling rate.
class SignalArchive {
  public:
    explicit SignalArchive(const std::filesystem::path& path) : path_(path.string()), archive_(path) {}

    std::unique_ptr<io::ByteSource> open(const std::string& member) const { return archive_.open(member); }

    /// Returns `wanted` if it names an array, else the array that holds signals.
    std::string choose(const std::string& wanted) const {
        if (!wanted.empty()) {
            if (!archive_.contains(wanted))
                throw InputError(fmt::format("{}: has no array '{}'; {}", path_, wanted,
                                             suggestNames(wanted, archive_.names())));
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

    /// Names of channels; empty if the archive has none.
    std::vector<std::string> channelNames() const {
        const std::optional<std::string> member = only(kChannelNames, "names of channels");
        return member ? io::readNpyStrings(*open(*member)) : std::vector<std::string>();
    }

    /// Sampling rate in Hz; 0 if the archive has none.
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

/// channels × samples, or epochs × channels × samples, where each epoch is a segment of its own.
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
        // The position of each epoch is unknown, so epochs count as consecutive.
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
    /// Converts `stored`, epochs × (rows · columns) with each epoch in column-major order, to row-major
    /// order.
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
    std::size_t rows_ = 0;  ///< as stored, per epoch
    std::size_t columns_ = 0;
};

constexpr std::string_view kSignalHint = "--keep-time or --channels takes it for a signal";

class TableSource : public MatrixSource {
  public:
    TableSource(const std::filesystem::path& path, const SignalOptions& options) : options_(options) {
        segments.emplace_back();
        name = path.string();
        format = "table";
        io::TableForm form;
        form.header = options.header;
        // A column of samples has no row names; a line of samples may begin with a name.
        form.names = options.transpose ? io::TableForm::Names::AllOrNone : io::TableForm::Names::None;
        if (!options.transpose)
            form.mayHoldText = [this](std::string_view title) {
                return isTimeName(title) && !options_.keepTime && !isRequested(title);
            };
        io::NumberTable<double> table = io::readDelimitedTable<double>(path, form);
        if (table.hasDecimalCommas) notes.emplace_back("its numbers are read with decimal commas");
        values_ = options.transpose ? std::move(table.values) : transposed(table.values);
        samples_ = values_.columns();
        nameChannels(values_.rows(), options.transpose ? table.rowNames : table.columnNames,
                     options.keepTime);
        if (!options.keepTime) leaveOutTimes(table.holdsText);
    }

  private:
    bool isRequested(std::string_view title) const {
        return std::any_of(options_.channels.begin(), options_.channels.end(),
                           [&](const std::string& one) { return lowerCase(one) == lowerCase(title); });
    }

    void leaveOutTimes(const std::vector<char>& holdsText) {
        io::RepeatedNote named, ramps;
        for (std::size_t k = 0; k < channels.size(); ++k) {
            SourceChannel& channel = channels[k];
            if (isRequested(channel.name)) continue;
            if (channel.kind == io::ChannelKind::Time) {
                named.add(fmt::format("'{}' is left out, a column of times by its name{}", channel.name,
                                      !holdsText.empty() && holdsText[k] != 0
                                          ? ", and of text"
                                          : fmt::format("; {}", kSignalHint)));
            } else if (const double step = rampStep({values_.row(k), samples_});
                       step != 0 && channel.kind == io::ChannelKind::Signal) {
                channel.kind = io::ChannelKind::Time;
                ramps.add(
                    fmt::format("'{}' is left out: it rises evenly, by {:.6g} a sample, as times and "
                                "counters do; {}",
                                channel.name, step, kSignalHint));
            }
        }
        named.appendTo(notes);
        ramps.appendTo(notes);
    }

    const SignalOptions& options_;
};

}  // namespace

void MatrixSource::read(std::size_t segment, std::size_t channel, std::size_t first,
                        std::span<double> target) const {
    std::copy_n(values_.row(segment * channels.size() + channel) + first, target.size(), target.begin());
}

void MatrixSource::nameChannels(std::size_t count, const std::vector<std::string>& names, bool keepTime) {
    for (std::size_t k = 0; k < count; ++k) {
        std::string label = names.empty() ? fmt::to_string(k + 1) : names[k];
        std::string type(io::standardSignalType(label));
        const io::ChannelKind kind = io::isStatusLabel(label)         ? io::ChannelKind::Status
                                     : !keepTime && isTimeName(label) ? io::ChannelKind::Time
                                                                      : io::ChannelKind::Signal;
        channels.push_back({std::move(label), std::move(type), "", kind, 0});
    }
    makeNamesUnique(channels, notes);
}

bool isTimeName(std::string_view name) {
    const std::string lower = lowerCase(name);
    std::size_t letters = 0;
    while (letters < lower.size() && lower[letters] >= 'a' && lower[letters] <= 'z') ++letters;
    // "T3" is an electrode.
    if (letters < lower.size() && lower[letters] >= '0' && lower[letters] <= '9') return false;
    constexpr std::string_view kWords[] = {"time",   "times",   "timestamp",   "timestamps",  "datetime",
                                           "date",   "t",       "s",           "sec",         "secs",
                                           "second", "seconds", "ms",          "msec",        "msecs",
                                           "us",     "usec",    "millisecond", "milliseconds"};
    return std::find(std::begin(kWords), std::end(kWords), lower.substr(0, letters)) != std::end(kWords);
}

double rampStep(std::span<const double> samples) {
    constexpr std::size_t kFewestSamples = 16;
    if (samples.size() < kFewestSamples) return 0;
    const double first = samples.front();
    const double step = (samples.back() - first) / static_cast<double>(samples.size() - 1);
    if (!std::isfinite(step) || step == 0) return 0;
    for (std::size_t i = 1; i < samples.size(); ++i) {
        const bool isOnward = (samples[i] - samples[i - 1]) * step > 0;
        const double offset = samples[i] - (first + static_cast<double>(i) * step);
        // NaN fails both conditions.
        if (!isOnward || !(std::abs(offset) <= std::abs(step) / 2)) return 0;
    }
    return step;
}

std::unique_ptr<SignalSource> arraySource(const std::filesystem::path& path, const SignalOptions& options,
                                          bool isArchive) {
    return std::make_unique<ArraySource>(path, options, isArchive);
}

std::unique_ptr<SignalSource> tableSource(const std::filesystem::path& path, const SignalOptions& options) {
    return std::make_unique<TableSource>(path, options);
}

}  // namespace glycine::crossapen
