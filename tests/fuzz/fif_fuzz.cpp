#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/io/recordings/fif.hpp"
#include "tests/fuzz/recording_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
    requireWholeRecording([&] { return io::parseFif(std::as_bytes(std::span(data, size)), "fuzz.fif"); });
    return 0;
}
