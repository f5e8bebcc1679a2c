#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/results/entropy_panels.hpp"
#include "engine/crossapen/results/subject_entropies.hpp"
#include "engine/io/text/json_forward.hpp"
#include "engine/storage/disk_space.hpp"

/// The output files of a run. All are written atomically. Numbers in text have as many digits as are needed
/// to read the same number back. Undefined values are "nan", infinite ones "inf" and "-inf" in text (R and
/// pandas read them), null in JSON. All subjects have the same quantities.
namespace glycine::crossapen {

/// Writes NPZ. For each quantity `NAME`, rows are the channels of the templates, columns the partners (one
/// column for measures of single channels):
///
///     NAME              float64  B × B       mean over the epochs
///     NAME_sd           float64  B × B       standard deviation over the epochs, divisor n − 1
///     NAME_epochs_used  int32    B × B       epochs with a value
///     NAME_by_epoch     float64  E × B × B   values of the epochs, if kept
///
/// and also
///
///     channels          text     B
///     epoch_numbers     int32    E           counted over the whole file from 1
///     epoch_onsets      float64  E           seconds (samples if the rate is unknown)
///     parameters        text                 "name: value"; the first is "file"
void writeSubjectNpz(const std::filesystem::path& path, const SubjectEntropies& subject,
                     const Parameters& parameters);

/// Writes NPY: the mean of the first quantity, or its values for all epochs, epochs × B × B, if they were
/// kept. The names of the channels go into a file next to it (io::writeNpyNames). For measures of single
/// channels, the only column has the quantity's name.
void writeSubjectNpy(const std::filesystem::path& path, const SubjectEntropies& subject);

/// Writes CSV, one line per file and ordered channel pair: file, templates, partner, epoch, and for each
/// quantity `NAME`, `NAME_sd` and `NAME_epochs`. Column `epoch` is "mean". If epochs were kept, a line per
/// epoch follows those of the file, with the epoch's number and the value of each quantity that was kept;
/// other fields are empty. For measures of single channels, the partner is the channel itself. Text with
/// commas, quotes or line breaks is quoted.
void writeLongCsv(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects);

/// Writes CSV: the mean of the first quantity as a square with channel names in the first row and column. For
/// single channels, one column with the quantity's name.
void writeSquareCsv(const std::filesystem::path& path, const SubjectEntropies& subject);

/// What a subject's files will hold, before anything is computed.
struct ExpectedSubject {
    std::string name;
    std::span<const std::string> channels;
    std::span<const Quantity> quantities;
    EpochShape shape;
    std::size_t epochs = 0;
    bool keepsEpochs = false;  ///< of the first quantity
};
/// Bounds of the sizes of the files that the functions above write. Parameters are not counted.
storage::ExpectedFile expectedNpz(const std::filesystem::path& path, const ExpectedSubject& subject);
storage::ExpectedFile expectedNpy(const std::filesystem::path& path, const ExpectedSubject& subject);
storage::ExpectedFile expectedLongCsv(const std::filesystem::path& path,
                                      std::span<const ExpectedSubject> subjects);
storage::ExpectedFile expectedSquareCsv(const std::filesystem::path& path, const ExpectedSubject& subject);

/// Draws PNG, SVG or PDF: the means of the first quantity, one panel per subject, all on one scale. The scale
/// is that of pairs of different channels, since values of a channel with itself may be far lower. Measures
/// of single channels have one panel, with a row per subject and a column per channel.
void drawSubjects(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects,
                  const std::string& title, const std::string& footer, const picture::ColorRange& range = {});

/// Whether at least three channels have known positions on the head, from the file or from their names.
bool hasScalp(const SignalSetShape& shape);

/// Draws PNG, SVG or PDF: the first quantity of each channel on a head seen from above, for the first six
/// subjects: its value, or its mean over the other channels, as templates and as partner.
void drawScalp(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects,
               const std::string& title, const std::string& footer, const picture::ColorRange& range = {});

/// Throws UsageError if the picture of drawSubjects would be too large. The subjects need no values yet.
void checkPicture(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects);

/// Summary of a subject: file, channels, epochs, skipped epochs and unusable channels with their reasons,
/// notes. For each quantity, over ordered pairs of different channels: mean, smallest and largest with their
/// channels, mean and largest asymmetry |M − Mᵀ|, undefined and infinite pairs; and the same, except
/// asymmetry, over channels with themselves. Means exclude infinite values.
Json subjectJson(const SubjectEntropies& subject);

}  // namespace glycine::crossapen
