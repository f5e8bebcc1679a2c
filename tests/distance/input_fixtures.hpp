#pragma once

#include <zlib.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "engine/io/text/text_stream.hpp"
#include "tests/io/io_test_support.hpp"

/// Input files for tests.
namespace glycine::test {

inline void writeGzip(const std::filesystem::path& path, const std::string& text) {
    const gzFile file = gzopen(path.c_str(), "wb");
    if (file == nullptr || gzwrite(file, text.data(), static_cast<unsigned>(text.size())) < 0 ||
        gzclose(file) != Z_OK)
        throw std::runtime_error("cannot write " + path.string());
}

/// `text` outlives the stream.
inline std::unique_ptr<io::TextStream> streamOf(const std::string& text, const std::string& name) {
    return std::make_unique<io::TextStream>(io::openMemory(std::as_bytes(std::span(text)), name));
}

}  // namespace glycine::test
