#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/io/text/byte_source.hpp"

namespace glycine::io {

/// Presents row-major elements in memory, which must outlive the source, as an NPY file, so that they are
/// read, checked and rounded like those of files. `dtype`: as in the header of such a file ("<f8"). `name`:
/// for messages.
std::unique_ptr<ByteSource> openNpyMemory(std::string_view dtype, std::span<const std::size_t> shape,
                                          std::span<const std::byte> elements, std::string name);

}  // namespace glycine::io
