#include "engine/io/recordings/edf_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/header_text.hpp"

namespace glycine::io {

namespace {

/// The value of `text` if it is all digits; nothing otherwise.
std::optional<unsigned> digits(std::string_view text) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// Parses the three numbers of "12.08.09".
std::optional<std::array<unsigned, 3>> threeNumbers(std::string_view text) {
    if (text.size() != 8 || text[2] != '.' || text[5] != '.') return std::nullopt;
    std::array<unsigned, 3> numbers{};
    for (std::size_t k = 0; k < 3; ++k) {
        const std::optional<unsigned> number = digits(text.substr(3 * k, 2));
        if (!number) return std::nullopt;
        numbers[k] = *number;
    }
    return numbers;
}

std::optional<std::string> isoDate(unsigned year, unsigned month, unsigned day) {
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                           std::chrono::month(month), std::chrono::day(day)};
    if (!date.ok()) return std::nullopt;
    return fmt::format("{:04}-{:02}-{:02}", year, month, day);
}

/// Converts EDF's "12.08.09" to "2009-08-12"; years 85 to 99 belong to the 20th century. Returns nothing for
/// other texts and for invalid dates.
std::optional<std::string> isoDateOfEdf(std::string_view text) {
    const auto numbers = threeNumbers(text);
    if (!numbers) return std::nullopt;
    const auto [day, month, year] = *numbers;
    return isoDate(year + (year >= 85 ? 1900 : 2000), month, day);
}

/// Converts EDF's "16.15.00" to "16:15:00". Returns nothing for other texts and for invalid times.
std::optional<std::string> isoTimeOfEdf(std::string_view text) {
    const auto numbers = threeNumbers(text);
    if (!numbers) return std::nullopt;
    const auto [hour, minute, second] = *numbers;
    if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
    return fmt::format("{:02}:{:02}:{:02}", hour, minute, second);
}

/// Converts the beginning "Startdate 12-AUG-2009" of an EDF+ recording identification to "2009-08-12".
/// Returns nothing if the date is missing ("Startdate X"), or the identification begins otherwise.
std::optional<std::string> isoDateOfRecording(std::string_view identification) {
    constexpr std::string_view kMark = "Startdate ";
    constexpr std::array<std::string_view, 12> kMonths = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                          "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
    if (!identification.starts_with(kMark)) return std::nullopt;
    const std::string_view rest = identification.substr(kMark.size());
    const std::string_view date = rest.substr(0, rest.find(' '));
    if (date.size() != 11 || date[2] != '-' || date[6] != '-') return std::nullopt;
    const auto* const month = std::find(kMonths.begin(), kMonths.end(), date.substr(3, 3));
    const std::optional<unsigned> day = digits(date.substr(0, 2));
    const std::optional<unsigned> year = digits(date.substr(7, 4));
    if (month == kMonths.end() || !day || !year) return std::nullopt;
    return isoDate(*year, static_cast<unsigned>(month - kMonths.begin()) + 1, *day);
}

/// A field of the header: text of fixed width, padded with spaces.
struct EdfField {
    std::size_t offset = 0;  ///< bytes from the beginning of the file
    std::size_t width = 0;   ///< bytes
    std::string meaning;     ///< for messages: "number of signals", "unit of signal 3"
};

/// Reads the fields of a header and records their oddities.
class EdfFields {
  public:
    /// `header` must hold every requested field and outlive the object; `fileName` is used in messages.
    EdfFields(std::string_view header, std::string fileName)
        : header_(header), fileName_(std::move(fileName)) {}

    /// The text up to the first zero byte, without surrounding spaces, as UTF-8. Bytes beyond ASCII are noted
    /// and read as UTF-8 or else Latin-1. Control characters are noted and become spaces.
    std::string text(const EdfField& field);
    /// A number. A decimal comma is accepted and noted. Throws InputError for anything else.
    double number(const EdfField& field);
    /// An integer, possibly written with zero decimals. Throws InputError for anything else, and for values
    /// outside minimum … maximum.
    std::int64_t integer(const EdfField& field, std::int64_t minimum, std::int64_t maximum);

    /// Throws InputError: "FILE: bytes 236-243 (MEANING): 'abc'; expected EXPECTED".
    [[noreturn]] void refuse(const EdfField& field, std::string_view expected) const;

    std::vector<std::string> notes() const;

  private:
    std::string_view trimmed(const EdfField& field) const;

    std::string_view header_;
    std::string fileName_;
    RepeatedNote foreignBytes_;
    RepeatedNote controlCharacters_;
    RepeatedNote commas_;
};

std::string place(const EdfField& field) {
    return fmt::format("bytes {}-{} ({})", field.offset, field.offset + field.width - 1, field.meaning);
}

std::string_view EdfFields::trimmed(const EdfField& field) const {
    const std::string_view bytes = header_.substr(field.offset, field.width);
    // C programs may write a terminating zero, followed by garbage.
    return trimBlanks(bytes.substr(0, bytes.find('\0')));
}

std::string EdfFields::text(const EdfField& field) {
    const std::string_view bytes = trimmed(field);
    std::string text = utf8FromUnknown(bytes);
    if (std::any_of(bytes.begin(), bytes.end(), [](char c) { return (c & 0x80) != 0; }))
        foreignBytes_.add(fmt::format("{} is not ASCII; read as {}: '{}'", place(field),
                                      text == bytes ? "UTF-8" : "Latin-1", printable(bytes)));
    if (std::any_of(text.begin(), text.end(), isControlCharacter)) {
        controlCharacters_.add(fmt::format("{} holds control characters; read as spaces", place(field)));
        std::replace_if(text.begin(), text.end(), isControlCharacter, ' ');
    }
    return text;
}

double EdfFields::number(const EdfField& field) {
    const std::optional<HeaderNumber> number = parseHeaderNumber(trimmed(field));
    if (!number) refuse(field, "a number");
    if (number->hasComma)
        commas_.add(fmt::format("{}: the comma in '{}' is read as a decimal point", place(field),
                                printable(trimmed(field))));
    return number->value;
}

std::int64_t EdfFields::integer(const EdfField& field, std::int64_t minimum, std::int64_t maximum) {
    const std::optional<HeaderNumber> number = parseHeaderNumber(trimmed(field));
    if (!number || number->hasComma || number->value != std::trunc(number->value) ||
        number->value < static_cast<double>(minimum) || number->value > static_cast<double>(maximum))
        refuse(field, fmt::format("a whole number from {} to {}", minimum, maximum));
    return static_cast<std::int64_t>(number->value);
}

void EdfFields::refuse(const EdfField& field, std::string_view expected) const {
    throw InputError(fmt::format("{}: {}: '{}'; expected {}", fileName_, place(field),
                                 printable(trimmed(field)), expected));
}

std::vector<std::string> EdfFields::notes() const {
    std::vector<std::string> notes;
    for (const RepeatedNote* note : {&foreignBytes_, &controlCharacters_, &commas_}) note->appendTo(notes);
    return notes;
}

constexpr std::size_t kFixedBytes = 256;
constexpr std::size_t kBytesPerSignal = 256;
/// Largest values that the field widths allow.
constexpr std::int64_t kLargestSignals = 9999;
constexpr std::int64_t kLargestOfEight = 99'999'999;

constexpr std::string_view kEdfVersion = "0       ";
constexpr std::string_view kBdfVersion =
    "\xff"
    "BIOSEMI";

class EdfHeaderParser {
  public:
    EdfHeaderParser(std::string_view bytes, const std::string& name)
        : bytes_(bytes), name_(name), fields_(bytes, name) {}

    EdfHeader parse() {
        parseVersion();
        const EdfField signalsField{252, 4, "number of signals"};
        signals_ = static_cast<std::size_t>(fields_.integer(signalsField, 1, kLargestSignals));
        header_.signals.resize(signals_);
        checkExtent();
        parseIdentification();
        parseReserved();
        parseRecords();
        for (std::size_t i = 0; i < signals_; ++i) parseSignal(i);
        checkDuration();
        for (const std::string& note : fields_.notes()) header_.notes.push_back(note);
        return std::move(header_);
    }

  private:
    void parseVersion() {
        const std::string_view version = bytes_.substr(0, 8);
        header_.isBdf = version == kBdfVersion;
        if (version.size() == 8 && !header_.isBdf && version != kEdfVersion)
            fields_.refuse({0, 8, "version"}, "'0' (EDF) or the byte 255 and 'BIOSEMI' (BDF)");
        if (bytes_.size() < kFixedBytes)
            throw InputError(fmt::format("{}: has {} bytes; an EDF or BDF header has at least {}", name_,
                                         bytes_.size(), kFixedBytes + kBytesPerSignal));
    }

    void checkExtent() {
        const std::size_t expected = header_.headerBytes();
        const EdfField field{184, 8, "number of bytes in the header"};
        if (fields_.integer(field, 0, kLargestOfEight) != static_cast<std::int64_t>(expected))
            fields_.refuse(field, fmt::format("{}, because the number of signals is {}", expected, signals_));
        if (bytes_.size() < expected)
            throw InputError(
                fmt::format("{}: has {} bytes; the header takes {}, because the number of signals is {}",
                            name_, bytes_.size(), expected, signals_));
    }

    void parseIdentification() {
        header_.patient = fields_.text({8, 80, "patient identification"});
        header_.recording = fields_.text({88, 80, "recording identification"});
        const std::string date = fields_.text({168, 8, "start date"});
        const std::string time = fields_.text({176, 8, "start time"});
        const std::optional<std::string> shortDate = isoDateOfEdf(date);
        // The header has two digits of the year; the EDF+ identification has four.
        const std::optional<std::string> longDate = isoDateOfRecording(header_.recording);
        header_.startDate = longDate ? *longDate : shortDate.value_or(date);
        if (!shortDate) note("bytes 168-175 (start date): '{}' is no date", date);
        if (shortDate && longDate && shortDate->substr(2) != longDate->substr(2))
            note(
                "the start date is {} in bytes 168-175 and {} in the recording identification; the latter is "
                "taken",
                *shortDate, *longDate);
        const std::optional<std::string> isoTime = isoTimeOfEdf(time);
        header_.startTime = isoTime.value_or(time);
        if (!isoTime) note("bytes 176-183 (start time): '{}' is no time", time);
    }

    void parseReserved() {
        const std::string reserved = fields_.text({192, 44, "reserved"});
        const std::string_view mark = std::string_view(reserved).substr(0, 5);
        const bool isEdfMark = mark == "EDF+C" || mark == "EDF+D";
        const bool isBdfMark = mark == "BDF+C" || mark == "BDF+D";
        if (isEdfMark || isBdfMark)
            header_.continuity = mark[4] == 'C' ? EdfContinuity::Continuous : EdfContinuity::Discontinuous;
        if (header_.isBdf ? isEdfMark : isBdfMark)
            note("bytes 192-235 (reserved) say '{}' in {} file; read as {}", mark,
                 header_.isBdf ? "a BDF" : "an EDF", header_.format());
    }

    void parseRecords() {
        const std::int64_t records = fields_.integer({236, 8, "number of data records"}, -1, kLargestOfEight);
        if (records >= 0) header_.records = static_cast<std::size_t>(records);
        const EdfField duration{244, 8, "duration of a data record in seconds"};
        header_.recordDuration = fields_.number(duration);
        if (header_.recordDuration < 0 || header_.recordDuration > static_cast<double>(kLargestOfEight))
            fields_.refuse(duration, fmt::format("a number from 0 to {}", kLargestOfEight));
    }

    /// The field of one signal. The fields of one kind lie together for all signals, `before` bytes per
    /// signal after the fixed part.
    EdfField signalField(std::size_t signal, std::size_t before, std::size_t width,
                         std::string_view meaning) const {
        const std::string& label = header_.signals[signal].channel.label;
        return {
            kFixedBytes + before * signals_ + width * signal, width,
            fmt::format("{} of signal {}{}", meaning, signal + 1, label.empty() ? "" : " '" + label + "'")};
    }

    void parseSignal(std::size_t i) {
        EdfSignal& signal = header_.signals[i];
        RecordingChannel& channel = signal.channel;
        channel.label = fields_.text(signalField(i, 0, 16, "label"));
        channel.type = standardSignalType(channel.label);
        channel.transducer = fields_.text(signalField(i, 16, 80, "transducer type"));
        channel.unit = fields_.text(signalField(i, 96, 8, "unit"));
        channel.prefiltering = fields_.text(signalField(i, 136, 80, "prefiltering"));
        signal.samplesPerRecord = static_cast<std::size_t>(
            fields_.integer(signalField(i, 216, 8, "samples per data record"), 1, kLargestOfEight));
        if (channel.label == "EDF Annotations" || channel.label == "BDF Annotations") {
            channel.kind = ChannelKind::Annotations;
            return;
        }
        if (isStatusLabel(channel.label)) channel.kind = ChannelKind::Status;
        channel.samplingRate = samplingRate(signal.samplesPerRecord);
        parseRange(i);
    }

    double physicalNumber(const EdfField& field) {
        // The field has room for 1e308, whose scaled samples would be infinite, and for 1e-320.
        constexpr double kLargest = 1e30;
        constexpr double kSmallest = 1e-30;
        const double number = fields_.number(field);
        if (std::abs(number) > kLargest || (number != 0 && std::abs(number) < kSmallest))
            fields_.refuse(field, fmt::format("0 or a number of a size from {} to {}", kSmallest, kLargest));
        return number;
    }

    void parseRange(std::size_t i) {
        RecordingChannel& channel = header_.signals[i].channel;
        const EdfField physicalMaximum = signalField(i, 112, 8, "physical maximum");
        channel.physicalMinimum = physicalNumber(signalField(i, 104, 8, "physical minimum"));
        channel.physicalMaximum = physicalNumber(physicalMaximum);
        const EdfField digitalMaximum = signalField(i, 128, 8, "digital maximum");
        channel.digitalMinimum = static_cast<std::int32_t>(
            fields_.integer(signalField(i, 120, 8, "digital minimum"), -kLargestOfEight, kLargestOfEight));
        channel.digitalMaximum =
            static_cast<std::int32_t>(fields_.integer(digitalMaximum, -kLargestOfEight, kLargestOfEight));
        if (channel.digitalMinimum >= channel.digitalMaximum)
            fields_.refuse(digitalMaximum,
                           fmt::format("more than the digital minimum, which is {}", channel.digitalMinimum));
        if (channel.physicalMinimum == channel.physicalMaximum)
            fields_.refuse(physicalMaximum,
                           fmt::format("a number other than the physical minimum, which is {}",
                                       channel.physicalMinimum));
        channel.gain = (channel.physicalMaximum - channel.physicalMinimum) /
                       (static_cast<double>(channel.digitalMaximum) - channel.digitalMinimum);
        channel.offset = channel.physicalMinimum - channel.gain * channel.digitalMinimum;
        const std::int32_t largest = header_.isBdf ? 8'388'607 : 32'767;
        if (channel.digitalMinimum < -largest - 1 || channel.digitalMaximum > largest)
            ranges_.add(fmt::format(
                "signal {} '{}': the digital range {} to {} exceeds the {} bits of a sample", i + 1,
                channel.label, channel.digitalMinimum, channel.digitalMaximum, header_.isBdf ? 24 : 16));
    }

    double samplingRate(std::size_t samplesPerRecord) const {
        if (header_.recordDuration == 0) return 0;
        // A duration such as 0.1 is not exact in double. The eight characters allow only decimal fractions,
        // so compute the rate from a quotient of integers. Equal rates then compare equal.
        for (double denominator = 1; denominator <= 1e7; denominator *= 10) {
            const double numerator = std::round(header_.recordDuration * denominator);
            if (numerator / denominator == header_.recordDuration)
                return static_cast<double>(samplesPerRecord) * denominator / numerator;
        }
        return static_cast<double>(samplesPerRecord) / header_.recordDuration;
    }

    void checkDuration() {
        ranges_.appendTo(header_.notes);
        if (header_.recordDuration == 0 && header_.hasSamples())
            fields_.refuse({244, 8, "duration of a data record in seconds"},
                           "more than 0, because the file has signals that are not annotations");
        if (header_.continuity == EdfContinuity::Plain && header_.hasAnnotations())
            note(
                "there are annotations, but bytes 192-235 (reserved) do not say EDF+ or BDF+; read as "
                "annotations");
        if (header_.continuity == EdfContinuity::Continuous && !header_.hasAnnotations())
            note("marked as {}, but there is no annotation signal", header_.format());
    }

    template <class... Arguments>
    void note(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        header_.notes.push_back(fmt::format(format, std::forward<Arguments>(arguments)...));
    }

    std::string_view bytes_;
    const std::string& name_;
    EdfFields fields_;
    std::size_t signals_ = 0;
    RepeatedNote ranges_;
    EdfHeader header_;
};

}  // namespace

std::size_t EdfHeader::headerBytes() const {
    return kFixedBytes + kBytesPerSignal * signals.size();
}

std::size_t EdfHeader::recordBytes() const {
    const std::size_t samples = std::accumulate(
        signals.begin(), signals.end(), std::size_t{0},
        [](std::size_t sum, const EdfSignal& signal) { return sum + signal.samplesPerRecord; });
    return samples * sampleBytes(sampleFormat());
}

std::string EdfHeader::format() const {
    const char* const mark = continuity == EdfContinuity::Continuous      ? "+C"
                             : continuity == EdfContinuity::Discontinuous ? "+D"
                                                                          : "";
    return std::string(isBdf ? "BDF" : "EDF") + mark;
}

bool EdfHeader::hasAnnotations() const {
    return std::any_of(signals.begin(), signals.end(), [](const EdfSignal& signal) {
        return signal.channel.kind == ChannelKind::Annotations;
    });
}

bool EdfHeader::hasSamples() const {
    return std::any_of(signals.begin(), signals.end(), [](const EdfSignal& signal) {
        return signal.channel.kind != ChannelKind::Annotations;
    });
}

EdfHeader parseEdfHeader(std::span<const std::byte> bytes, const std::string& name) {
    return EdfHeaderParser({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name).parse();
}

}  // namespace glycine::io
