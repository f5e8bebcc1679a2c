#include <string>
#include <string_view>

#include "engine/core/names.hpp"
#include "engine/distance/results/distance_files.hpp"
#include "engine/pairs/files/pair_picture.hpp"

namespace glycine::distance {

namespace {

/// What the colours stand for.
constexpr NameTable<Measure, 9> kQuantities{{
    {Measure::Mismatch, "number of attributes that differ"},
    {Measure::Proportion, "share of attributes that differ"},
    {Measure::Allele, "number of alleles that differ"},
    {Measure::Ibs, "identity by state"},
    {Measure::OneMinusIbs, "1 - identity by state"},
    {Measure::Euclidean, "Euclidean distance"},
    {Measure::SquaredEuclidean, "squared Euclidean distance"},
    {Measure::Manhattan, "Manhattan distance"},
    {Measure::Correlation, "1 - correlation"},
}};

}  // namespace

void drawResult(const std::filesystem::path& path, const pairs::PairStore& store, const ResultLabels& labels,
                bool clustered, std::string_view title, std::string_view footer, Progress& progress) {
    pairs::drawPairs(path, store, labels.names,
                     {.quantity = std::string(nameOf(labels.measure, kQuantities)),
                      .instance = "instance",
                      .isSimilarity = labels.measure == Measure::Ibs,
                      .isClustered = clustered,
                      .title = std::string(title),
                      .footer = std::string(footer)},
                     progress);
}

}  // namespace glycine::distance
