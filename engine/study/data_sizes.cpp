#include "engine/study/data_sizes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace glycine::study {

void DataSizes::read(const std::vector<std::string>& texts) {
    sizes_.clear();
    for (const std::string& text : texts) sizes_.push_back(parseDataSize(text));
}

std::string DataSizes::joined(std::string (*format)(DataSize), std::string_view separator) const {
    std::vector<std::string> texts;
    for (const DataSize size : sizes_) texts.push_back(format(size));
    return fmt::format("{}", fmt::join(texts, separator));
}

}  // namespace glycine::study
