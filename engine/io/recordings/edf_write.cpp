#include "engine/io/recordings/edf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::io {

namespace {

constexpr std::size_t kNumberWidth = 8;
constexpr double kDigitalMinimum = -32768;
constexpr double kDigitalSteps = 65535;
/// What EDF allows a data record.
constexpr std::size_t kLargestRecord = 61440;

std::string field(std::string_view text, std::size_t width, std::string_view meaning) {
    const bool isPlain = std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (!isPlain || text.size() > width)
        throw UsageError(
            fmt::format("EDF: {} '{}'; expected at most {} characters of ASCII", meaning, text, width));
    return std::string(text) + std::string(width - text.size(), ' ');
}

/// The number with as many decimals as fit eight characters, rounded by `round`.
template <class Round>
std::string numberText(double value, const Round& round) {
    for (int decimals = 6;; --decimals) {
        const double scale = std::pow(10.0, decimals);
        std::string text = fmt::format("{:.{}f}", round(value * scale) / scale, decimals);
        if (text.size() <= kNumberWidth || decimals == 0) return text;
    }
}

double parsed(const std::string& text) {
    return std::strtod(text.c_str(), nullptr);
}

/// How a channel's values become digital ones.
struct Range {
    std::string minimum;
    std::string maximum;
    double offset = 0;  ///< physical value of the digital minimum
    double gain = 1;
};

Range rangeOf(const double* samples, std::size_t count, const std::string& label) {
    constexpr double kLargest = 9'000'000, kSmallestSpan = 1e-3;
    for (std::size_t i = 0; i < count; ++i)
        if (!(std::abs(samples[i]) <= kLargest))
            throw UsageError(fmt::format("EDF: channel '{}', sample {} is {}; expected numbers within ±{}",
                                         label, i, samples[i], kLargest));
    const auto [smallest, largest] = std::minmax_element(samples, samples + count);
    // The file knows no range of 0.
    const double widening = *smallest == *largest ? 1 : 0;
    if (widening == 0 && *largest - *smallest < kSmallestSpan)
        throw UsageError(
            fmt::format("EDF: channel '{}' varies by {}; expected {} at least: choose another unit", label,
                        *largest - *smallest, kSmallestSpan));
    Range range;
    range.minimum = numberText(*smallest - widening, [](double value) { return std::floor(value); });
    range.maximum = numberText(*largest + widening, [](double value) { return std::ceil(value); });
    range.offset = parsed(range.minimum);
    range.gain = (parsed(range.maximum) - range.offset) / kDigitalSteps;
    return range;
}

struct Records {
    std::size_t samples = 0;  ///< of a channel in a record
    std::string duration;     ///< seconds
};

Records chooseRecords(std::size_t samples, std::size_t channels, double rate) {
    constexpr double kExact = 1e-12, kTolerable = 1e-5;
    Records best;
    double bestError = std::numeric_limits<double>::infinity(), bestDistance = bestError;
    for (std::size_t count = 1; count <= samples; ++count) {
        if (samples % count != 0 || (count > 1 && 2 * count * channels > kLargestRecord)) continue;
        const double seconds = static_cast<double>(count) / rate;
        std::string text = numberText(seconds, [](double value) { return std::round(value); });
        while (text.find('.') != std::string::npos && (text.back() == '0' || text.back() == '.')) {
            const bool isPoint = text.back() == '.';
            text.pop_back();
            if (isPoint) break;
        }
        const double duration = parsed(text);
        if (!(duration > 0) || text.size() > kNumberWidth) continue;
        const double error = std::max(kExact, std::abs(static_cast<double>(count) / duration / rate - 1));
        const double distance = std::abs(std::log(seconds));
        if (error < bestError || (error == bestError && distance < bestDistance)) {
            best = {count, std::move(text)};
            bestError = error;
            bestDistance = distance;
        }
    }
    if (!(bestError <= kTolerable))
        throw UsageError(fmt::format(
            "EDF: {} samples at {} Hz do not divide into data records of a duration that eight characters "
            "can tell; choose another number of samples or another rate",
            samples, rate));
    return best;
}

std::string headerText(const EdfDescription& description, const std::vector<Range>& ranges,
                       const Records& records, std::size_t recordCount) {
    const std::size_t channels = ranges.size();
    std::string text = field("0", 8, "version") + field(description.patient, 80, "patient") +
                       field(description.recording, 80, "recording") + "01.01.85" + "00.00.00" +
                       field(fmt::to_string(256 * (channels + 1)), 8, "header length") +
                       std::string(44, ' ') +
                       field(fmt::to_string(recordCount), 8, "number of data records") +
                       field(records.duration, 8, "record duration") +
                       field(fmt::to_string(channels), 4, "number of channels");
    const auto column = [&](std::size_t width, std::string_view meaning, const auto& entry) {
        for (std::size_t k = 0; k < channels; ++k) text += field(entry(k), width, meaning);
    };
    const auto constant = [](const char* value) { return [value](std::size_t) { return value; }; };
    column(16, "label", [&](std::size_t k) { return description.labels[k]; });
    column(80, "transducer", constant(""));
    column(8, "unit", [&](std::size_t k) { return description.units[k]; });
    column(8, "physical minimum", [&](std::size_t k) { return ranges[k].minimum; });
    column(8, "physical maximum", [&](std::size_t k) { return ranges[k].maximum; });
    column(8, "digital minimum", constant("-32768"));
    column(8, "digital maximum", constant("32767"));
    column(80, "prefiltering", constant(""));
    column(8, "samples a record", [&](std::size_t) { return fmt::to_string(records.samples); });
    column(32, "reserved", constant(""));
    return text;
}

}  // namespace

void writeEdf(const std::filesystem::path& path, const EdfDescription& description,
              MatrixView<const double> signals) {
    const std::size_t channels = signals.rows();
    if (signals.empty() || description.labels.size() != channels || description.units.size() != channels)
        throw UsageError(fmt::format("EDF: {} channels of {} samples, {} labels and {} units", channels,
                                     signals.columns(), description.labels.size(), description.units.size()));
    if (!(description.samplingRate > 0 && std::isfinite(description.samplingRate)))
        throw UsageError(
            fmt::format("EDF: a sampling rate of {} Hz; expected one above 0", description.samplingRate));
    std::vector<Range> ranges;
    for (std::size_t k = 0; k < channels; ++k)
        ranges.push_back(rangeOf(signals.row(k), signals.columns(), description.labels[k]));
    const Records records = chooseRecords(signals.columns(), channels, description.samplingRate);
    const std::size_t recordCount = signals.columns() / records.samples;

    storage::AtomicFile file(path);
    file.write(headerText(description, ranges, records, recordCount));
    std::vector<char> bytes(2 * records.samples * channels);
    for (std::size_t record = 0; record < recordCount; ++record) {
        std::size_t at = 0;
        for (std::size_t k = 0; k < channels; ++k) {
            const double* const samples = signals.row(k) + record * records.samples;
            for (std::size_t i = 0; i < records.samples; ++i) {
                const double step = std::round((samples[i] - ranges[k].offset) / ranges[k].gain);
                const auto digital = static_cast<std::uint16_t>(
                    static_cast<std::int32_t>(kDigitalMinimum + std::clamp(step, 0.0, kDigitalSteps)));
                bytes[at++] = static_cast<char>(digital & 0xffU);
                bytes[at++] = static_cast<char>(digital >> 8);
            }
        }
        file.write(bytes.data(), bytes.size());
    }
    file.commit();
}

}  // namespace glycine::io
