#include "engine/io/expression/missing_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/expression/expression_table.hpp"

namespace glycine::io {

namespace {

std::size_t missingOf(const double* values, std::size_t count) {
    return static_cast<std::size_t>(
        std::count_if(values, values + count, [](double value) { return std::isnan(value); }));
}

/// Of one value at least; `values` may be reordered. Rounding takes it not below the smallest nor above the
/// largest value, so that equal values have themselves as their mean.
double mean(std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    double sum = 0, sumOfShares = 0;
    for (const double value : values) {
        sum += value;
        sumOfShares += value / count;
    }
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return std::clamp(std::isfinite(sum) ? sum / count : sumOfShares, *least, *most);
}

double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

void fill(ExpressionTable& table, double (*centre)(std::vector<double>&), std::string_view name) {
    const std::size_t samples = table.values.columns();
    std::size_t filled = 0;
    std::vector<double> present;
    for (std::size_t g = 0; g < table.values.rows(); ++g) {
        double* values = table.values.row(g);
        const std::size_t missing = missingOf(values, samples);
        if (missing == 0 || missing == samples) continue;
        present.clear();
        std::copy_if(values, values + samples, std::back_inserter(present),
                     [](double value) { return !std::isnan(value); });
        const double value = centre(present);
        std::replace_if(
            values, values + samples, [](double one) { return std::isnan(one); }, value);
        filled += missing;
    }
    if (filled > 0)
        table.notes.push_back(
            fmt::format("{} filled with the {} of their gene", formatCount(filled, "missing value"), name));
}

void dropSamples(const std::string& path, ExpressionTable& table) {
    const std::size_t genes = table.values.rows(), samples = table.values.columns();
    std::vector<char> lacks(samples, 0);
    for (std::size_t g = 0; g < genes; ++g) {
        const double* values = table.values.row(g);
        if (missingOf(values, samples) == samples) continue;
        for (std::size_t s = 0; s < samples; ++s) lacks[s] |= static_cast<char>(std::isnan(values[s]));
    }
    std::vector<std::size_t> kept;
    for (std::size_t s = 0; s < samples; ++s)
        if (lacks[s] == 0) kept.push_back(s);
    if (kept.size() == samples) return;
    if (kept.empty())
        throw InputError(
            fmt::format("{}: each of {} lacks a value of some gene; none is left without them "
                        "(missing values can also be left out pair by pair, or filled)",
                        path, formatCount(samples, "sample")));
    Matrix<double> values(genes, kept.size());
    for (std::size_t g = 0; g < genes; ++g)
        for (std::size_t i = 0; i < kept.size(); ++i) values(g, i) = table.values(g, kept[i]);
    std::vector<std::string> names;
    for (const std::size_t s : kept) names.push_back(std::move(table.samples[s]));
    table.notes.push_back(fmt::format("left out {} of {}, which lack values",
                                      formatCount(samples - kept.size()), formatCount(samples, "sample")));
    table.values = std::move(values);
    table.samples = std::move(names);
}

void dropGenes(const std::string& path, ExpressionTable& table) {
    const std::size_t samples = table.values.columns();
    std::vector<std::size_t> kept;
    for (std::size_t g = 0; g < table.values.rows(); ++g)
        if (missingOf(table.values.row(g), samples) == 0) kept.push_back(g);
    if (kept.size() == table.values.rows()) return;
    if (kept.empty())
        throw InputError(
            fmt::format("{}: each of {} lacks a value; none is left without them (missing values can "
                        "also be left out pair by pair, or filled)",
                        path, formatCount(table.values.rows(), "gene")));
    table.notes.push_back(fmt::format("left out {} of {}, which lack values",
                                      formatCount(table.values.rows() - kept.size()),
                                      formatCount(table.values.rows(), "gene")));
    keepGenes(table, kept);
}

}  // namespace

void treatMissing(const std::string& path, ExpressionTable& table, MissingValues rule) {
    switch (rule) {
        case MissingValues::Pairwise:
            break;
        case MissingValues::Mean:
            fill(table, mean, "mean");
            break;
        case MissingValues::Median:
            fill(table, median, "median");
            break;
        case MissingValues::DropSamples:
            dropSamples(path, table);
            break;
        case MissingValues::DropGenes:
            dropGenes(path, table);
            break;
    }
    table.missing = missingOf(table.values.data(), table.values.size());
}

}  // namespace glycine::io
