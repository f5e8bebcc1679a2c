#pragma once

#include <filesystem>
#include <utility>

#include "engine/pairs/files/matrix_reader.hpp"

namespace glycine::mutualinfo {

/// A matrix of mutual information that has been written, by `glycine mutualinfo` or others.
inline pairs::MatrixReader informationMatrix(std::filesystem::path path) {
    return pairs::MatrixReader(std::move(path), {.quantity = "mutual information",
                                                 .instance = "gene",
                                                 .command = "glycine mutualinfo",
                                                 .areDistances = false});
}

}  // namespace glycine::mutualinfo
