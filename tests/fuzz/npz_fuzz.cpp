#include <cstddef>
#include <cstdint>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/io/arrays/npz.hpp"
#include "tests/fuzz/fuzz_file.hpp"

/// Any bytes either give an archive whose members each give an array or an InputError, or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
    static const test::FuzzFile file("fuzz.npz");
    file.fill(data, size);
    const auto attempt = [](const auto& read) {
        try {
            read();
        } catch (const InputError&) {
        } catch (const MemoryError&) {  // a shape beyond this machine's memory
        }
    };
    attempt([&] {
        const io::NpzReader archive(file.path());
        for (const std::string& name : archive.names()) {
            attempt([&] { io::readNpyMatrix<float>(*archive.open(name)); });
            attempt([&] { io::readNpyMatrix<double>(*archive.open(name)); });
            attempt([&] { io::readNpyMatrix<std::int32_t>(*archive.open(name)); });
            attempt([&] { io::readNpyStrings(*archive.open(name)); });
        }
    });
    return 0;
}
