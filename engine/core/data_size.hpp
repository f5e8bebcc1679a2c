#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace glycine {

/// The size of a data set: instances × attributes, genes × samples.
struct DataSize {
    std::size_t instances = 0;
    std::size_t attributes = 0;
    bool operator==(const DataSize&) const = default;
};

/// "2000x100000" (also with '×' or '*'): instances x attributes, both at least 1. Throws UsageError for
/// anything else.
DataSize parseDataSize(std::string_view text);
/// The inverse: "2000x100000".
std::string dataSizeText(DataSize size);

/// "2,000 × 100,000".
std::string formatDataSize(DataSize size);

}  // namespace glycine
