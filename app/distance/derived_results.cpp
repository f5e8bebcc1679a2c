#include "app/distance/derived_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/distance/measures.hpp"
#include "engine/pairs/files/coordinate_files.hpp"
#include "engine/pairs/files/tree_picture.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "engine/trees/newick.hpp"
#include "engine/trees/rooting.hpp"

namespace glycine::distance {

namespace {

/// Passes the values below the diagonal to `take`, row by row. Throws InputError for a missing value.
template <class Take>
void forKnownPairs(const DerivedInput& input, const Take& take) {
    std::vector<double> row(input.values.instances());
    for (std::size_t i = 1; i < row.size(); ++i) {
        input.values.readRow(i, 0, i, row.data());
        for (std::size_t j = 0; j < i; ++j) {
            if (!std::isfinite(row[j]))
                throw InputError(fmt::format(
                    "'{}' and '{}' have no value: too few attributes in common; expected a value for each "
                    "pair: lower --min-overlap, or leave out sparse variants (--geno) or samples (--remove)",
                    input.labels.names[i], input.labels.names[j]));
            take(i, j, row[j]);
        }
    }
}

/// Adds the recounted stages of a tree to a report of recounted pairs.
void addStages(RecountReport& report, const RecountReport& ofTree) {
    if (report.stages.empty())
        report.stages.push_back(
            {"values", report.kind, report.elements, report.largestDifference, report.seconds});
    report.stages.insert(report.stages.end(), ofTree.stages.begin(), ofTree.stages.end());
    report.elements += ofTree.elements;
    report.seconds += ofTree.seconds;
}

}  // namespace

statistics::PrincipalCoordinates coordinatesOf(Matrix<double> values, Measure measure, std::size_t dimensions,
                                               Progress& progress) {
    if (measure == Measure::Grm) return statistics::componentsOf(values, dimensions, progress);
    const MeasureTraits& traits = traitsOf(measure);
    for (std::size_t i = 0; i < values.rows(); ++i)
        for (std::size_t j = 0; j < values.columns(); ++j) {
            const double distance = traits.isSimilarity ? traits.selfValue - values(i, j) : values(i, j);
            values(i, j) = i == j ? 0 : measure == Measure::SquaredEuclidean ? distance : distance * distance;
        }
    return statistics::coordinatesOfDistances(std::move(values), dimensions, progress);
}

void writeCoordinates(const DerivedInput& input, std::size_t dimensions, RunReport& report,
                      Progress& progress) {
    const std::size_t n = input.values.instances();
    const bool isGrm = input.labels.measure == Measure::Grm;
    Matrix<double> matrix(n, n, 0);
    forKnownPairs(input,
                  [&](std::size_t i, std::size_t j, double value) { matrix(i, j) = matrix(j, i) = value; });
    for (std::size_t i = 0; i < n; ++i) matrix(i, i) = input.values.value(i, i);
    report.coordinates = coordinatesOf(std::move(matrix), input.labels.measure, dimensions, progress);
    report.stages.push_back({"coordinates", kStageWithoutKernel, kStageWithoutKernel});
    const std::string meaning = fmt::format("principal {}: {}", isGrm ? "components" : "coordinates",
                                            traitsOf(input.labels.measure).quantity);
    for (const Output& output : input.outputs)
        pairs::writeCoordinates(output.path, {*report.coordinates,
                                              input.labels.names,
                                              input.groups,
                                              isGrm ? "PC" : "axis",
                                              input.title,
                                              {meaning, input.footer}});
}

void writeTree(const DerivedInput& input, trees::TreeMethod method, trees::TreeDevice& device,
               RunReport& report, Progress& progress) {
    const std::vector<std::string>& names = input.labels.names;
    if (names.size() < 2) throw InputError("the input has one instance; a tree needs at least two");
    std::vector<double> distances;
    distances.reserve(names.size() * (names.size() - 1) / 2);
    forKnownPairs(input, [&](std::size_t, std::size_t, double value) { distances.push_back(value); });
    const trees::Tree tree =
        trees::treeOfDistances(method, names.size(), std::move(distances), progress, &device);
    report.stages.push_back({"tree", device.reason(), device.reason()});
    if (report.recount && device.recount() != nullptr && device.recount()->counted().elements > 0)
        addStages(*report.recount, device.recount()->counted());
    const bool isJoined = method == trees::TreeMethod::NeighbourJoining;
    report.tree = fmt::format("{} of {}", isJoined ? "neighbour joining" : "UPGMA",
                              formatCount(names.size(), "instance"));
    for (const Output& output : input.outputs) {
        if (picture::isPictureFile(output.path)) {
            const std::string root = isJoined ? ", drawn from the middle of the longest path" : "";
            pairs::writeTreePicture(output.path, isJoined ? trees::rootAtMidpoint(tree) : tree, names,
                                    {.title = input.title,
                                     .footer = {report.tree + root, input.footer},
                                     .unit = fmt::format("({})", traitsOf(input.labels.measure).quantity),
                                     .groups = input.groups});
            continue;
        }
        storage::AtomicFile file(output.path);
        file.write(trees::newickTree(tree, names, trees::NewickForm::RoundTrip) + '\n');
        file.commit();
    }
}

double bytesForDerived(const RunOptions& run, std::size_t instances) {
    const double all = static_cast<double>(instances) * static_cast<double>(instances) * sizeof(double);
    // The eigenvectors are computed in separate matrices.
    return run.coordinates ? 3 * all : run.tree ? all : 0;
}

}  // namespace glycine::distance
