#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cancellation.hpp"

namespace glycine::io {

/// The ending that tells what a file is, found in the first bytes of its contents: ".npy", ".npz", ".vcf",
/// ".bcf", ".fa",
/// ".edf", ".bdf", ".pdb", ".cif", ".tsv" or ".csv"; with ".gz" behind it where the bytes are packed. Empty:
/// none of these.
std::string endingOfContents(std::span<const std::byte> head);

/// Inputs that come through pipes, as regular files: readers map files, read them twice, and tell formats by
/// names.
/// "-" and /dev/stdin are standard input, any other pipe its path. The bytes are copied to a file in a folder
/// for temporary files, which is removed with the object; its name ends in what the contents are, unless the
/// pipe has such a name. Standard input that is itself a regular file is not copied.
class PipedInputs {
  public:
    PipedInputs() = default;
    PipedInputs(const PipedInputs&) = delete;
    PipedInputs& operator=(const PipedInputs&) = delete;
    ~PipedInputs();

    /// What to read instead of `given`, which is a path or "-": `given` itself where it is no pipe. Throws
    /// InputError for contents that are none of the formats that can be told, Error when the disk has no
    /// room, CancelledError.
    std::string fileOf(const std::string& given);
    void replace(std::string& given) { given = fileOf(given); }

  private:
    std::filesystem::path makeFile(const std::string& stem);

    std::filesystem::path folder_;
    std::vector<std::filesystem::path> files_;
    std::deque<DiscardOnAbort> discarded_;
};

}  // namespace glycine::io
