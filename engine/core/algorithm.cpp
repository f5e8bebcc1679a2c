#include "engine/core/algorithm.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/configuration.hpp"
#include "engine/core/names.hpp"

namespace glycine {

std::size_t dimension(const Dimensions& dimensions, std::string_view name) {
    const auto found = std::find_if(dimensions.begin(), dimensions.end(),
                                    [name](const auto& dimension) { return dimension.first == name; });
    return found == dimensions.end() ? 0 : found->second;
}

Support supportsNumberFormat(const std::vector<VariantInfo>& variants, const Configuration& configuration) {
    const std::string& format = configuration.numberFormat;
    if (format.empty()) return Support::yes();
    for (const VariantInfo& info : variants)
        if (info.backend == configuration.backend &&
            (configuration.variant.empty() || configuration.variant == "default" ||
             info.name == configuration.variant) &&
            std::ranges::find(info.numberFormats, format) != info.numberFormats.end())
            return Support::yes();
    return Support::misuse(
        fmt::format("{} {} does not work in {}", configuration.backend, configuration.variant, format));
}

AlgorithmRegistry& AlgorithmRegistry::instance() {
    static AlgorithmRegistry registry;
    return registry;
}

void AlgorithmRegistry::add(const Algorithm& algorithm) {
    algorithms_.push_back(&algorithm);
}

const Algorithm& AlgorithmRegistry::find(std::string_view name) const {
    std::vector<std::string_view> known;
    for (const Algorithm* algorithm : algorithms_) {
        if (algorithm->name() == name) return *algorithm;
        known.push_back(algorithm->name());
    }
    throwUnknownName("algorithm", name, known);
}

}  // namespace glycine
