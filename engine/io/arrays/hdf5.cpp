#include "engine/io/arrays/hdf5.hpp"

GLYCINE_USES_MODULE(hdf5, glycine::io::Hdf5Module, hdf5Module)

namespace glycine::io {

std::unique_ptr<Hdf5File> openHdf5(const std::filesystem::path& path) {
    return hdf5Module().open(path);
}

}  // namespace glycine::io
