#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/io/recordings/recording.hpp"

namespace glycine::io {

/// Opens an EDF, EDF+C, EDF+D, BDF, BDF+C or BDF+D file, recognised by content. EDF+D and BDF+D are divided
/// at their gaps. Reads the annotations, which include the onsets of data records; samples stay in the file.
///
/// Accepted and noted, besides what parseEdfHeader and edfSegments note: a recording that was not closed (−1
/// data records; uses the complete ones), a truncated one (fewer complete data records than announced; uses
/// the complete ones), bytes after the last data record, a file without data records, and unreadable
/// annotation lists.
///
/// Throws InputError for what parseEdfHeader and edfSegments refuse, for a file that cannot be read, and for
/// a file without any of the data records that its header announces.
Recording readEdf(const std::filesystem::path& path);

/// The same for a file in memory, which must outlive the recording unless `owner` keeps it. `name` is used in
/// messages.
Recording parseEdf(std::span<const std::byte> bytes, const std::string& name,
                   std::shared_ptr<const void> owner = {});

/// Metadata of an EDF file.
struct EdfDescription {
    std::string patient = "X";
    std::string recording;
    double samplingRate = 0;          ///< Hz, the same for all channels
    std::vector<std::string> labels;  ///< one per channel
    std::vector<std::string> units;   ///< one per channel, at most 8 characters; may be empty
};

/// Writes an EDF file, atomically. `signals`: channels × samples. Samples become 16-bit numbers over the
/// channel's own range, so that each is read back within (largest − smallest) / 65,535 of its value. Data
/// records are as close to one second as the number of samples and the header's eight characters allow.
///
/// The file gives no date (1 January 1985, as in anonymous files). Throws UsageError if there are no channels
/// or samples, for text that is not ASCII or too long for its field (labels: 16 characters, patient and
/// recording: 80), and for a sampling rate that no record duration of eight characters gives within 1e-5.
/// Throws UsageError for samples that are not finite, exceed ±9,000,000, or vary by less than 0.001 without
/// being constant: they need another unit. Throws Error with path and cause if the file cannot be written.
/// Source: Kemp et al., "A simple format for exchange of digitized polygraphic recordings", 1992.
void writeEdf(const std::filesystem::path& path, const EdfDescription& description,
              MatrixView<const double> signals);

}  // namespace glycine::io
