#include "engine/trees/tree_algorithm.hpp"

#include <fmt/format.h>

#include <vector>

#include "engine/core/configuration.hpp"
#include "engine/core/quantity.hpp"
#include "engine/trees/tree_engine.hpp"

namespace glycine::trees {

namespace {

const std::vector<VariantInfo>& hostVariants() {
    static const std::vector<VariantInfo> variants{
        {.backend = "cpu",
         .name = "pruned",
         .summary = "neighbour joining that searches only rows that can hold the smallest value; the "
                    "nearest-neighbour chain of average linkage",
         .source = "Simonsen, Mailund & Pedersen 2008; Murtagh 1983",
         .numberFormats = {"float64"},
         .dialects = {},
         .isDefault = true}};
    return variants;
}

std::vector<VariantInfo> variantsOfAll() {
    std::vector<VariantInfo> variants = hostVariants();
    for (VariantInfo& info : allVariants<TreeEngine>()) variants.push_back(std::move(info));
    return variants;
}

}  // namespace

Support supportsTrees(const Backend& backend, const std::string& variant) {
    const Implementation<TreeEngine>* const entry = findImplementation<TreeEngine>(backend);
    if (entry == nullptr && backend.name() != hostVariants().front().backend)
        return Support::no(fmt::format("trees are built on cpu and cuda, and not on {}", backend.name()));
    if (variant.empty() || variant == "default") return Support::yes();
    const std::string missing =
        missingVariant(backend.name(), variant, entry == nullptr ? hostVariants() : entry->variants);
    return missing.empty() ? Support::yes() : Support::misuse(missing);
}

std::string reasonForHost(std::size_t instances) {
    constexpr std::size_t kLeast = TreeSettings().leastToStart;
    return instances < kLeast ? fmt::format("cuda: gains from {} on", formatCount(kLeast, "sequence")) : "";
}

std::string treeVariantOn(const Backend& backend) {
    const Implementation<TreeEngine>* const entry = findImplementation<TreeEngine>(backend);
    return (entry == nullptr ? hostVariants() : entry->variants).front().name;
}

const Algorithm& treeAlgorithm() {
    static const Algorithm algorithm(
        TreeEngine::kAlgorithm, "Builds trees of distances by neighbour joining or average linkage",
        "N. Saitou, M. Nei, Molecular Biology and Evolution 4 (1987); R. R. Sokal, C. D. Michener, "
        "University of Kansas Science Bulletin 38 (1958)",
        variantsOfAll, [](Backend& backend, const Configuration& configuration, const Dimensions&) {
            if (const Support format = supportsNumberFormat(algorithm.variants(), configuration); !format)
                return format;
            return supportsTrees(backend, configuration.variant);
        });
    return algorithm;
}

}  // namespace glycine::trees
