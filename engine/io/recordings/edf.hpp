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
/// at their gaps. Annotations are read, and the onsets of data records with them; samples stay in the file.
///
/// Accepted and noted, besides what parseEdfHeader and edfSegments note: a recording that was not closed (−1
/// data records: as many are taken as there are whole ones), one that was cut short (fewer whole data records
/// than the header announces: the whole ones are taken), bytes behind the last data record, a file without
/// data records, annotation lists that cannot be read.
///
/// Throws InputError for what parseEdfHeader and edfSegments refuse, for a file that cannot be read, and for
/// one that has none of the data records that its header announces.
Recording readEdf(const std::filesystem::path& path);

/// The same for a file in memory, which outlives the recording unless `owner` keeps it; `name` is used in
/// messages.
Recording parseEdf(std::span<const std::byte> bytes, const std::string& name,
                   std::shared_ptr<const void> owner = {});

/// What an EDF file says beside its samples.
struct EdfDescription {
    std::string patient = "X";
    std::string recording;
    double samplingRate = 0;          ///< Hz, of all channels
    std::vector<std::string> labels;  ///< one a channel
    std::vector<std::string> units;   ///< one a channel, at most 8 characters; may be empty text
};

/// Writes an EDF file, atomically. `signals`: channels × samples. Samples become 16-bit numbers over the
/// channel's own range, so that each is read back within (largest − smallest) / 65,535 of what it was. Data
/// records are as near to one second as the number of samples and the header's eight characters allow.
///
/// The file says no date (1 January 1985, as anonymous ones do). Throws UsageError for no channels or
/// samples, text that is not ASCII or too long for its field (labels: 16 characters, patient and recording:
/// 80), a sampling rate that no record duration of eight characters gives within 1e-5, and for samples that
/// are not finite, beyond ±9,000,000, or that vary by less than 0.001 without being constant: another unit
/// is needed. Error with path and cause when the file cannot be written.
/// Source: Kemp et al., "A simple format for exchange of digitized polygraphic recordings", 1992.
void writeEdf(const std::filesystem::path& path, const EdfDescription& description,
              MatrixView<const double> signals);

}  // namespace glycine::io
