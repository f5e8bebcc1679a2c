#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/io/arrays/npy.hpp"

/// Any bytes either give an array, an InputError, or a MemoryError with both figures.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
    const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
    const auto attempt = [&](const auto& read) {
        try {
            read(*io::openMemory(bytes, "fuzz"));
        } catch (const InputError&) {
        } catch (const MemoryError&) {  // a shape beyond this machine's memory
        }
    };
    attempt([](io::ByteSource& source) { io::readNpyMatrix<float>(source); });
    attempt([](io::ByteSource& source) { io::readNpyMatrix<double>(source); });
    attempt([](io::ByteSource& source) { io::readNpyMatrix<std::int32_t>(source); });
    attempt([](io::ByteSource& source) { io::readNpyStrings(source); });
    return 0;
}
