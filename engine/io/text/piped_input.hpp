#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>

#include "engine/storage/input_file.hpp"

namespace glycine::io {

/// The file extension for contents with these first bytes: ".npy", ".npz", ".vcf", ".bcf", ".fa", ".edf",
/// ".bdf", ".pdb", ".cif", ".tsv" or ".csv", followed by ".gz" if the bytes are packed. Empty for anything
/// else.
std::string endingOfContents(std::span<const std::byte> head);

/// Makes piped inputs available as regular files, because readers map files, read them twice, and recognise
/// formats by name.
/// "-" and /dev/stdin mean standard input; any other pipe is given by its path. The bytes are copied to a
/// nameless file in the folder for temporary files, so that nothing of it remains, however the process ends.
/// Readers open it under a path with the extension of its contents (storage::NamelessInput), during the
/// lifetime of this object. Standard input that is a regular file is not copied.
class PipedInputs {
  public:
    PipedInputs() = default;

    /// Returns the file to read instead of `given`, which is a path or "-": `given` itself if it is no pipe.
    /// Throws UsageError if there is no folder for temporary files, InputError if the contents have no
    /// recognised format, Error if the disk is full, and CancelledError.
    std::string fileOf(const std::string& given);
    void replace(std::string& given) { given = fileOf(given); }

  private:
    std::deque<storage::NamelessInput> inputs_;
};

}  // namespace glycine::io
