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

/// What the reserved field says about gaps; files without a plus say nothing.
enum class EdfContinuity { Plain, Continuous, Discontinuous };

struct EdfSignal {
    RecordingChannel channel;
    std::size_t samplesPerRecord = 0;  ///< at least 1
};

struct EdfHeader {
    bool isBdf = false;  ///< samples of 24 bits, not 16
    EdfContinuity continuity = EdfContinuity::Plain;
    std::string patient;
    std::string recording;
    std::string startDate;  ///< as Recording has them
    std::string startTime;
    std::optional<std::size_t>
        records;                ///< number of data records; absent (−1): the recording was not closed
    double recordDuration = 0;  ///< seconds; 0 only where all signals are annotations
    std::vector<EdfSignal> signals;
    std::vector<std::string> notes;

    std::size_t headerBytes() const;
    std::size_t recordBytes() const;
    SampleFormat sampleFormat() const { return isBdf ? SampleFormat::Int24 : SampleFormat::Int16; }
    /// "EDF", "BDF+C", "EDF+D" …
    std::string format() const;
    bool hasAnnotations() const;
    /// Whether a signal is not annotations.
    bool hasSamples() const;
};

/// Reads the header from the front of `bytes`, the whole file or its beginning.
///
/// Accepted and noted: dates and times that are none, decimal commas, bytes that are not ASCII, digital
/// ranges beyond what the samples can hold, EDF's marks in a BDF file and the other way round, annotation
/// signals in a file that is not marked as EDF+ or BDF+, and such a mark without annotation signal. Ranges of
/// annotation signals are not looked at.
///
/// Throws InputError, naming bytes and field, for: fewer bytes than the header has, another format, fields
/// that are no numbers or out of range, a header length that contradicts the number of signals, samples per
/// record below 1, a digital minimum that is not below the maximum, equal physical minimum and maximum,
/// physical numbers of a size outside 1e-30 … 1e30 other than 0, a negative record duration, and a record
/// duration of 0 in a file with samples.
EdfHeader parseEdfHeader(std::span<const std::byte> bytes, const std::string& name);

}  // namespace glycine::io
