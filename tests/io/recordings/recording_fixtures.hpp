#pragma once

#include "engine/io/recordings/edf.hpp"
#include "tests/test.hpp"

namespace glycine::test {

/// The fields of one signal, as text.
struct EdfSignalText {
    std::string label = "EEG Fp1";
    std::string unit = "uV";
    std::string physicalMinimum = "-100";
    std::string physicalMaximum = "100";
    std::string digitalMinimum = "-1000";
    std::string digitalMaximum = "1000";
    std::string samples = "2";  ///< per data record
    std::string transducer = "AgAgCl electrode";
    std::string prefiltering = "HP:0.1Hz";
};

/// An EDF file under construction. Fields hold the file's text, valid or not; empty fields of the second
/// group are set to their valid values.
struct EdfText {
    std::string version = "0";
    std::string patient = "X X X X";
    std::string recording = "Startdate 12-AUG-2009 X X X";
    std::string date = "12.08.09";
    std::string time = "16.15.00";
    std::string reserved;
    std::string duration = "1";
    std::vector<EdfSignalText> signals = {{}};
    std::vector<std::string> records;  ///< bytes of each record

    std::string headerBytes;
    std::string recordCount;
    std::string signalCount;

    static std::string field(const std::string& text, std::size_t width) {
        return text.substr(0, width) + std::string(width - std::min(width, text.size()), ' ');
    }
    std::string header() const {
        const auto orElse = [](const std::string& text, std::size_t number) {
            return text.empty() ? std::to_string(number) : text;
        };
        std::string text = field(version, 8) + field(patient, 80) + field(recording, 80) + field(date, 8) +
                           field(time, 8) + field(orElse(headerBytes, 256 * (signals.size() + 1)), 8) +
                           field(reserved, 44) + field(orElse(recordCount, records.size()), 8) +
                           field(duration, 8) + field(orElse(signalCount, signals.size()), 4);
        const auto column = [&](std::string EdfSignalText::*member, std::size_t width) {
            for (const EdfSignalText& signal : signals) text += field(signal.*member, width);
        };
        column(&EdfSignalText::label, 16);
        column(&EdfSignalText::transducer, 80);
        column(&EdfSignalText::unit, 8);
        column(&EdfSignalText::physicalMinimum, 8);
        column(&EdfSignalText::physicalMaximum, 8);
        column(&EdfSignalText::digitalMinimum, 8);
        column(&EdfSignalText::digitalMaximum, 8);
        column(&EdfSignalText::prefiltering, 80);
        column(&EdfSignalText::samples, 8);
        return text + std::string(32 * signals.size(), ' ');
    }
    std::string bytes() const {
        std::string all = header();
        for (const std::string& record : records) all += record;
        return all;
    }
};

inline const std::string kBdfVersion =
    "\xff"
    "BIOSEMI";

/// The values as little-endian numbers of `width` bytes.
inline std::string littleEndian(const std::vector<std::int32_t>& values, std::size_t width = 2) {
    std::string bytes;
    for (const std::int32_t value : values)
        for (std::size_t k = 0; k < width; ++k)
            bytes += static_cast<char>((static_cast<std::uint32_t>(value) >> (8 * k)) & 0xffU);
    return bytes;
}

/// An annotation signal of `samples` samples.
inline EdfSignalText annotationSignal(std::size_t samples = 20,
                                      const std::string& label = "EDF Annotations") {
    return {label, "", "-1", "1", "-32768", "32767", std::to_string(samples), "", ""};
}

/// Contents of an annotation signal in one record, padded with zeros. In `text`, '|' stands for 0x14, '~' for
/// 0x15 and '/' for 0.
inline std::string annotationBytes(std::string text, std::size_t samples = 20, std::size_t width = 2) {
    for (char& c : text) c = c == '|' ? '\x14' : c == '~' ? '\x15' : c == '/' ? '\0' : c;
    text.resize(samples * width, '\0');
    return text;
}

/// Parses bytes, which must outlive the result.
inline io::Recording parseEdfText(const std::string& bytes, const std::string& name = "test.edf") {
    return io::parseEdf(std::as_bytes(std::span(bytes)), name);
}

/// Digital samples of a channel in a segment.
inline std::vector<std::int32_t> digitalSamples(const io::Recording& recording, std::size_t segment,
                                                std::size_t channel) {
    std::vector<std::int32_t> samples(recording.sampleCount(segment, channel));
    recording.readDigital(segment, channel, 0, samples);
    return samples;
}

inline std::vector<double> physicalSamples(const io::Recording& recording, std::size_t segment,
                                           std::size_t channel) {
    std::vector<double> samples(recording.sampleCount(segment, channel));
    recording.readPhysical(segment, channel, 0, samples);
    return samples;
}

/// Onset and number of records of each segment.
inline std::vector<std::pair<double, std::size_t>> stretches(const io::Recording& recording) {
    std::vector<std::pair<double, std::size_t>> all;
    for (const io::RecordingSegment& segment : recording.segments)
        all.emplace_back(segment.onset, segment.records);
    return all;
}

}  // namespace glycine::test
