#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "engine/io/recordings/recording.hpp"

namespace glycine::io {

/// Opens an EDF, EDF+C, EDF+D, BDF, BDF+C or BDF+D file, recognised by content. EDF+D and BDF+D are divided
/// at their gaps. Annotations are read, and the onsets of data records with them; samples stay in the file.
///
/// Accepted and noted, besides what parseEdfHeader and edfSegments note: a recording that was not closed (−1
/// data records: as many are taken as there are whole ones), bytes behind the last data record, a file
/// without data records, annotation lists that cannot be read.
///
/// Throws InputError for what parseEdfHeader and edfSegments refuse, for a file that cannot be read, and for
/// one that has fewer whole data records than its header says.
Recording readEdf(const std::filesystem::path& path);

/// The same for a file in memory, which outlives the recording unless `owner` keeps it; `name` is used in
/// messages.
Recording parseEdf(std::span<const std::byte> bytes, const std::string& name,
                   std::shared_ptr<const void> owner = {});

}  // namespace glycine::io
