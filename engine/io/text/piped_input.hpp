#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>

#include "engine/storage/input_file.hpp"

namespace glycine::io {

/// The ending that tells what a file is, found in the first bytes of its contents: ".npy", ".npz", ".vcf",
/// ".bcf", ".fa",
/// ".edf", ".bdf", ".pdb", ".cif", ".tsv" or ".csv"; with ".gz" behind it where the bytes are packed. Empty:
/// none of these.
std::string endingOfContents(std::span<const std::byte> head);

/// Inputs that come through pipes, as regular files: readers map files, read them twice, and tell formats by
/// names.
/// "-" and /dev/stdin are standard input, any other pipe its path. The bytes are copied to a file in the
/// folder for temporary files that has no name there, so that nothing stays of it however the process ends.
/// Readers open it under a path that ends in what the contents are (storage::NamelessInput), until the
/// object's end. Standard input that is itself a regular file is not copied.
class PipedInputs {
  public:
    PipedInputs() = default;

    /// What to read instead of `given`, which is a path or "-": `given` itself where it is no pipe. Throws
    /// UsageError where there is no folder for temporary files, InputError for contents that are none of the
    /// formats that can be told, Error when the disk has no room, CancelledError.
    std::string fileOf(const std::string& given);
    void replace(std::string& given) { given = fileOf(given); }

  private:
    std::deque<storage::NamelessInput> inputs_;
};

}  // namespace glycine::io
