#include "engine/io/recordings/brainvision.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/io/recordings/brainvision_header.hpp"
#include "engine/io/recordings/brainvision_markers.hpp"
#include "engine/io/text/byte_source.hpp"
#include "engine/storage/mapped_file.hpp"

namespace glycine::io {

namespace {

/// The file `written` in the header `header`, beside it. Throws InputError when it is not there.
std::filesystem::path companion(const std::filesystem::path& header, std::string_view key,
                                const std::string& written) {
    std::filesystem::path path = header.parent_path() / written;
    if (std::filesystem::exists(path)) return path;
    const std::filesystem::path renamed = std::filesystem::path(header).replace_extension(path.extension());
    throw InputError(fmt::format("{}: {}={}: there is no file {}{}", header.string(), key, written,
                                 path.string(),
                                 std::filesystem::exists(renamed)
                                     ? fmt::format("; the header names another file than {}, was it renamed?",
                                                   renamed.filename().string())
                                     : ""));
}

std::size_t countPoints(const BrainVisionHeader& header, std::size_t dataBytes, const std::string& name,
                        std::vector<std::string>& notes) {
    const std::size_t pointBytes = header.pointBytes();
    const std::size_t whole = dataBytes / pointBytes;
    if (header.points && *header.points > whole)
        throw InputError(
            fmt::format("{}: truncated: the header announces {} sampling points of {} bytes; the data file "
                        "{} holds {} whole ones "
                        "and {} bytes of another",
                        name, *header.points, pointBytes, header.dataFile, whole, dataBytes % pointBytes));
    const std::size_t points = header.points.value_or(whole);
    const std::size_t rest = dataBytes - points * pointBytes;
    if (rest > 0 && !header.isMultiplexed)
        throw InputError(
            fmt::format("{}: the data file {} has {} bytes; expected {} sampling points of {} bytes, "
                        "because in the order VECTORIZED no channel can be found otherwise",
                        name, header.dataFile, dataBytes, points, pointBytes));
    if (rest > 0) notes.push_back(fmt::format("{} bytes behind the last sampling point are not read", rest));
    if (points == 0) notes.push_back("there are no samples");
    return points;
}

std::vector<SampleLayout> layOut(const BrainVisionHeader& header, std::size_t points) {
    std::vector<SampleLayout> layouts;
    const std::size_t width = sampleBytes(header.sampleFormat);
    for (std::size_t i = 0; i < header.channels.size(); ++i)
        layouts.push_back({header.sampleFormat, width * i * (header.isMultiplexed ? 1 : points), 1, width,
                           header.isMultiplexed ? header.pointBytes() : width});
    return layouts;
}

/// `markerText` belongs to the marker file that the header names, if it names one.
Recording assemble(BrainVisionHeader header, const std::string& name,
                   std::optional<std::string_view> markerText, std::span<const std::byte> data,
                   std::shared_ptr<const void> owner) {
    Recording recording;
    recording.name = name;
    recording.format = "BrainVision";
    recording.notes = header.notes;
    const std::size_t points = countPoints(header, data.size(), name, recording.notes);
    recording.data = {std::move(owner), data, layOut(header, points)};
    recording.channels = std::move(header.channels);
    recording.noteDuplicateLabels();
    if (!markerText) recording.notes.push_back("the header names no marker file: gaps, if any, are unknown");
    if (points == 0) return recording;

    const std::string markerFile = (std::filesystem::path(name).parent_path() / header.markerFile).string();
    const auto markers =
        markerText ? parseBrainVisionMarkers(*markerText, markerFile) : std::vector<BrainVisionMarker>{};
    BrainVisionTimeline timeline =
        brainVisionTimeline(markers, points, recording.channels[0].samplingRate, markerFile);
    recording.startDate = std::move(timeline.startDate);
    recording.startTime = std::move(timeline.startTime);
    recording.segments = std::move(timeline.segments);
    recording.annotations = std::move(timeline.annotations);
    for (std::string& note : timeline.notes) recording.notes.push_back(std::move(note));
    return recording;
}

}  // namespace

Recording parseBrainVision(const BrainVisionContents& contents, const std::string& name) {
    return assemble(parseBrainVisionHeader(contents.header, name), name, contents.markers, contents.data,
                    contents.owner);
}

std::vector<std::filesystem::path> brainVisionFiles(const std::filesystem::path& path) {
    const BrainVisionHeader header = parseBrainVisionHeader(readText(path), path.string());
    std::vector<std::filesystem::path> files{path, companion(path, "DataFile", header.dataFile)};
    if (!header.markerFile.empty()) files.push_back(companion(path, "MarkerFile", header.markerFile));
    return files;
}

Recording readBrainVision(const std::filesystem::path& path) {
    BrainVisionHeader header = parseBrainVisionHeader(readText(path), path.string());
    const auto data = std::make_shared<const MappedFile>(companion(path, "DataFile", header.dataFile));
    std::optional<std::string> markers;
    if (!header.markerFile.empty()) markers = readText(companion(path, "MarkerFile", header.markerFile));
    return assemble(std::move(header), path.string(), markers, data->bytes(), data);
}

}  // namespace glycine::io
