#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/io/recordings/recording.hpp"

/// The header of EDF, EDF+, BDF and BDF+ files.
/// Sources: Kemp et al., "A simple format for exchange of digitized polygraphic recordings", 1992 (EDF); Kemp
/// and Olivan, "European data format 'plus'", 2003 (EDF+); BioSemi's description of BDF.
namespace glycine::io {

/// Gaps according to the reserved field, which plain EDF and BDF files leave empty.
enum class EdfContinuity { Plain, Continuous, Discontinuous };

struct EdfSignal {
    RecordingChannel channel;
    std::size_t samplesPerRecord = 0;  ///< at least 1
};

struct EdfHeader {
    bool isBdf = false;  ///< 24-bit samples instead of 16-bit
    EdfContinuity continuity = EdfContinuity::Plain;
    std::string patient;
    std::string recording;
    std::string startDate;  ///< as in Recording
    std::string startTime;
    std::optional<std::size_t>
        records;                ///< number of data records; absent (−1) if the recording was not closed
    double recordDuration = 0;  ///< seconds; 0 only if all signals are annotations
    std::vector<EdfSignal> signals;
    std::vector<std::string> notes;

    std::size_t headerBytes() const;
    std::size_t recordBytes() const;
    SampleFormat sampleFormat() const { return isBdf ? SampleFormat::Int24 : SampleFormat::Int16; }
    /// "EDF", "BDF+C", "EDF+D" …
    std::string format() const;
    bool hasAnnotations() const;
    /// Whether any signal holds samples rather than annotations.
    bool hasSamples() const;
};

/// Reads the header at the front of `bytes`, which is the whole file or its beginning.
///
/// Accepted and noted: invalid dates and times, decimal commas, bytes that are not ASCII, digital ranges
/// beyond those of the samples, EDF's marks in a BDF file and vice versa, annotation signals in a file that
/// is not marked as EDF+ or BDF+, and such a mark without annotation signal. Ranges of annotation signals are
/// ignored.
///
/// Throws InputError, naming bytes and field, for fewer bytes than the header has, another format, fields
/// that are no numbers or out of range, a header length that contradicts the number of signals, samples per
/// record below 1, a digital minimum not below the maximum, equal physical minimum and maximum, physical
/// numbers other than 0 with a magnitude outside 1e-30 … 1e30, a negative record duration, and a record
/// duration of 0 in a file with samples.
EdfHeader parseEdfHeader(std::span<const std::byte> bytes, const std::string& name);

}  // namespace glycine::io
