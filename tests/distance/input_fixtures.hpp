#pragma once

#include "engine/io/text/text_stream.hpp"
#include "tests/test.hpp"

/// Input files for tests.
namespace glycine::test {

/// `text` must outlive the stream.
inline std::unique_ptr<io::TextStream> streamOf(const std::string& text, const std::string& name) {
    return std::make_unique<io::TextStream>(io::openMemory(std::as_bytes(std::span(text)), name));
}

}  // namespace glycine::test
