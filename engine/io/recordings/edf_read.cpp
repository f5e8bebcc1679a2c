#include "engine/io/recordings/edf.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/io/recordings/edf_header.hpp"
#include "engine/io/recordings/edf_timeline.hpp"
#include "engine/io/text/repeated_note.hpp"
#include "engine/storage/mapped_file.hpp"

namespace glycine::io {

namespace {

/// Number of data records in a file of `fileBytes`.
std::size_t countRecords(const EdfHeader& header, std::size_t fileBytes, const std::string& name,
                         std::vector<std::string>& notes) {
    const std::size_t recordBytes = header.recordBytes();
    const std::size_t dataBytes = fileBytes - header.headerBytes();
    const std::size_t whole = dataBytes / recordBytes;
    if (!header.records) {
        notes.push_back(
            fmt::format("the recording was not closed (-1 data records); the file has {} whole data records "
                        "and {} bytes of another",
                        whole, dataBytes % recordBytes));
        return whole;
    }
    const std::size_t records = *header.records;
    if (records > whole)
        throw InputError(
            fmt::format("{}: truncated: the header (bytes 236-243) announces {} data records of {} bytes; "
                        "the file holds {} whole "
                        "ones and {} bytes of another",
                        name, records, recordBytes, whole, dataBytes % recordBytes));
    if (const std::size_t rest = dataBytes - records * recordBytes; rest > 0)
        notes.push_back(fmt::format("{} bytes behind the last data record are not read", rest));
    if (records == 0) notes.push_back("there are no data records");
    return records;
}

RecordingData layOut(const EdfHeader& header, std::span<const std::byte> bytes,
                     std::shared_ptr<const void> owner) {
    RecordingData data{std::move(owner), bytes, {}};
    const std::size_t width = sampleBytes(header.sampleFormat());
    std::size_t offset = header.headerBytes();
    for (const EdfSignal& signal : header.signals) {
        data.layouts.push_back(
            {header.sampleFormat(), offset, signal.samplesPerRecord, width, header.recordBytes()});
        offset += signal.samplesPerRecord * width;
    }
    return data;
}

/// Collects the annotations of all data records; returns the onset of each as far as time-keeping tells it.
std::vector<std::optional<double>> collectAnnotations(const EdfHeader& header, std::size_t records,
                                                      Recording& recording) {
    std::vector<std::optional<double>> onsets(records);
    RepeatedNote damages;
    const std::string_view text(reinterpret_cast<const char*>(recording.data.bytes.data()),
                                recording.data.bytes.size());
    for (std::size_t record = 0; header.hasAnnotations() && record < records; ++record) {
        bool isFirstSignal = true;
        for (std::size_t i = 0; i < header.signals.size(); ++i) {
            if (header.signals[i].channel.kind != ChannelKind::Annotations) continue;
            const SampleLayout& layout = recording.data.layouts[i];
            const std::size_t begin = layout.offset + record * layout.recordStride;
            EdfAnnotations found =
                parseEdfAnnotations(text.substr(begin, layout.samplesPerRecord * layout.sampleStride));
            for (RecordingAnnotation& annotation : found.annotations)
                recording.annotations.push_back(std::move(annotation));
            for (const EdfAnnotations::Damage& damage : found.damages)
                damages.add(fmt::format("data record {}, byte {}: an annotation list is not read: {}",
                                        record + 1, begin + damage.offset, damage.reason));
            if (isFirstSignal) onsets[record] = found.recordOnset;
            isFirstSignal = false;
        }
    }
    damages.appendTo(recording.notes);
    return onsets;
}

}  // namespace

Recording parseEdf(std::span<const std::byte> bytes, const std::string& name,
                   std::shared_ptr<const void> owner) {
    EdfHeader header = parseEdfHeader(bytes, name);
    Recording recording;
    recording.name = name;
    recording.format = header.format();
    recording.patient = header.patient;
    recording.description = header.recording;
    recording.startDate = header.startDate;
    recording.startTime = header.startTime;
    recording.notes = header.notes;
    for (const EdfSignal& signal : header.signals) recording.channels.push_back(signal.channel);
    const std::size_t records = countRecords(header, bytes.size(), name, recording.notes);
    recording.data = layOut(header, bytes, std::move(owner));
    const std::vector<std::optional<double>> onsets = collectAnnotations(header, records, recording);
    if (header.recordDuration > 0) recording.segments = edfSegments(header, name, onsets, recording.notes);
    recording.noteDuplicateLabels();
    return recording;
}

Recording readEdf(const std::filesystem::path& path) {
    const auto file = std::make_shared<const storage::MappedFile>(path);
    return parseEdf(file->bytes(), path.string(), file);
}

}  // namespace glycine::io
