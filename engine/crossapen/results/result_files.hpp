#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "engine/crossapen/results/entropy_panels.hpp"
#include "engine/crossapen/results/subject_entropies.hpp"
#include "engine/io/text/json_forward.hpp"

/// The files that a run leaves. All are written atomically; numbers in text have as many digits as it takes
/// to read the same number back. Undefined values are "nan", infinite ones "inf" and "-inf" in text (R and
/// pandas read them so), null in JSON. All subjects have the same quantities.
namespace glycine::crossapen {

/// NPZ. For each quantity `NAME`, rows: channels of the templates, columns: partners (one column for measures
/// of single channels):
///
///     NAME              float64  B × B       mean over the epochs
///     NAME_sd           float64  B × B       standard deviation over the epochs, divisor n − 1
///     NAME_epochs_used  int32    B × B       epochs that have a value
///     NAME_by_epoch     float64  E × B × B   values of the epochs, where they were kept
///
/// and beside them
///
///     channels          text     B
///     epoch_numbers     int32    E           counted over the whole file from 1
///     epoch_onsets      float64  E           seconds (samples where no rate is known)
///     parameters        text                 "name: value"; the first is "file"
void writeSubjectNpz(const std::filesystem::path& path, const SubjectEntropies& subject,
                     const Parameters& parameters);

/// NPY: the mean of the first quantity; with its epochs: epochs × B × B of them. The names of the channels
/// stand beside it (io::writeNpyNames), with the quantity's as that of the only column of measures of single
/// channels.
void writeSubjectNpy(const std::filesystem::path& path, const SubjectEntropies& subject);

/// CSV, one line a file and ordered channel pair: file, templates, partner, epoch, and for each quantity
/// `NAME`, `NAME_sd` and `NAME_epochs`. Column `epoch` says "mean". Where epochs were kept, lines of single
/// epochs follow those of the file, with the epoch's number: they have the value of the quantities that were
/// kept; other fields are empty. Measures of single channels have the channel itself as partner. Text with
/// commas, quotes or line breaks is quoted.
void writeLongCsv(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects);

/// CSV, the mean of the first quantity as a square with channel names in the first row and column; of single
/// channels, one column with the quantity's name.
void writeSquareCsv(const std::filesystem::path& path, const SubjectEntropies& subject);

/// PNG, SVG or PDF: the means of the first quantity of all subjects, all on one scale, one panel each. The
/// scale is that of pairs of different channels, since a channel with itself may lie far below. Measures of
/// single channels have one panel, a row a subject and a column a channel.
void drawSubjects(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects,
                  const std::string& title, const std::string& footer, const picture::ColorRange& range = {});

/// Whether three channels or more have places on the head, by the file or by their names.
bool hasScalp(const SignalSetShape& shape);

/// PNG, SVG or PDF: the first quantity of each channel on a head seen from above, of the first six subjects:
/// its value, or its mean over the other channels, as templates and as partner.
void drawScalp(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects,
               const std::string& title, const std::string& footer, const picture::ColorRange& range = {});

/// Throws UsageError when that picture would be too large; of subjects whose values are not there yet.
void checkPicture(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects);

/// What the summary tells of a subject: file, channels, epochs, skipped epochs and unusable channels with
/// their reasons, notes, and for each quantity, over ordered pairs of different channels: mean, smallest and
/// largest with their channels, mean asymmetry |M − Mᵀ|, undefined and infinite pairs; besides, what the
/// channels have with themselves. Means leave infinite values out.
Json subjectJson(const SubjectEntropies& subject);

}  // namespace glycine::crossapen
