#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/crossapen/results/entropy_panels.hpp"
#include "engine/crossapen/results/subject_entropies.hpp"
#include "engine/io/text/json_forward.hpp"
#include "engine/statistics/cluster_test.hpp"
#include "engine/statistics/rank_tests.hpp"

/// Compares groups of subjects for each channel pair, as in the study (Fig. 7 and section 4 of the paper).
namespace glycine::crossapen {

/// Assigns files to groups.
struct GroupTable {
    std::vector<std::string> groups;   ///< groups with files, in the order of the table
    std::vector<std::size_t> groupOf;  ///< group of each file, in the order of the files
    /// Subject of each file. If not empty, groups are conditions of the same subjects. Empty: no such column.
    std::vector<std::string> subjectOf{};
};

/// Reads a table of two columns, `file` and `group` (comma-, tab- or semicolon-separated, plain or compressed
/// by gzip). A header line with these two titles may reorder them and add other columns, among them
/// `subject`. The `files` are looked up by path (relative to the working folder or to the table's folder), by
/// name, or by name without extension (and without .gz). Names that match no file are ignored, since a table
/// may cover more files than the run.
///
/// Throws InputError, naming line and file, for: lines without a file or group, a file missing in the table,
/// a name that matches several files, a file with two groups, fewer than two groups with files.
GroupTable readGroupTable(const std::filesystem::path& path, const std::vector<std::filesystem::path>& files);

struct FileChannels {
    std::string_view file;
    std::span<const std::string> channels;  ///< distinct names
};

/// For each channel of `first`, the index of the same channel in `other`. Throws InputError naming the first
/// difference if their channels are not the same. Files can thus be checked before work starts.
std::vector<std::size_t> matchChannels(const FileChannels& first, const FileChannels& other);

/// One test over all elements of a quantity.
struct PairwiseTest {
    std::string name;                 ///< "all groups", "children vs adults"
    std::string test;                 ///< "Kruskal-Wallis", "Mann-Whitney", "cluster permutation"
    std::vector<std::size_t> groups;  ///< indices of the compared groups
    Matrix<double> statistic;         ///< H, U of the first group, or t; NaN where the test is undefined
    /// Epsilon squared, 0 … 1; Cliff's delta, −1 … 1, positive if the first group has the larger values; or
    /// Hedges' g, see statistics::ClusterTest.
    Matrix<double> effect;
    Matrix<double> p;  ///< for clusters, the p of the cluster with the element, 1 outside clusters
    Matrix<double> q;  ///< Benjamini-Hochberg over all elements with a p; for clusters equal to p
    /// Clusters of elements; element (a, b) is a · columns + b.
    std::vector<statistics::Cluster> clusters{};
    std::size_t permutations = 0;
    bool isPaired = false;
    std::size_t elements = 0;  ///< elements with a p; symmetric quantities count each pair once
    /// Share of these elements with p below `alpha`, uncorrected and corrected, 0 … 1; NaN without elements.
    double shareBelow = 0;
    double shareBelowCorrected = 0;
    /// The p of groups of these sizes whose values do not overlap, the smallest possible p without ties.
    double smallestP = 0;
};

struct GroupComparison {
    std::vector<std::string> groups;
    std::vector<std::size_t> sizes;  ///< subjects per group
    std::vector<std::string> channels;
    std::string quantity;               ///< name in files
    std::string label;                  ///< name for display
    bool isSymmetric = false;           ///< if so, tests use only elements on and above the diagonal
    std::vector<Matrix<double>> means;  ///< per group, the mean over subjects of the means of the first
                                        ///< quantity; NaN is skipped, an infinite value makes the mean
                                        ///< infinite
    /// Kruskal-Wallis over all groups if there are more than two. Then, for each two groups, both rank tests
    /// and, if requested, the cluster test.
    std::vector<PairwiseTest> tests;
    double alpha = 0.01;
    bool areConditions = false;  ///< of the same subjects, which rank tests ignore
};

/// Compares the subjects' means of their first quantity. With `clusters`, also tests clusters of channel
/// pairs. Two pairs are neighbours if they have one channel in common and their other channels are adjacent
/// (io::spatialNeighbours). Groups are conditions if the table has subjects. All elements are tested,
/// including those of a channel with itself; for a symmetric quantity (a, b) and (b, a) are one element.
/// Channels are brought into the order of the first subject.
///
/// Throws InputError if subjects have different channels (naming the first difference), if clusters need
/// channel positions that are unknown, or if a subject lacks a condition. Throws UsageError if `table` is not
/// for these subjects, a group has none, or alpha is not between 0 and 1.
GroupComparison compareGroups(std::span<const SubjectEntropies> subjects, const GroupTable& table,
                              double alpha, const std::optional<statistics::ClusterOptions>& clusters = {});

/// Writes CSV, one line per test and ordered channel pair (a pair in one order only if the quantity is
/// symmetric): test, comparison, templates, partner, the groups' means, statistic, effect, p, q.
void writeGroupCsv(const std::filesystem::path& path, const GroupComparison& comparison);

/// Writes NPZ, with G groups, T tests, B channels:
///
///     means      float64  G × B × B    of the groups; B × 1 for measures of single channels
///     statistic  float64  T × B × B    H of Kruskal-Wallis, U of Mann-Whitney, t of clusters
///     effect     float64  T × B × B    epsilon squared, Cliff's delta, Hedges' g
///     p, q       float64  T × B × B    uncorrected, and with Benjamini and Hochberg's correction
///     tests      text     T            "Kruskal-Wallis: children vs adults"
///     groups     text     G
///     sizes      int32    G            subjects a group
///     channels   text     B
///     quantity   text     1
void writeGroupNpz(const std::filesystem::path& path, const GroupComparison& comparison);

/// Draws PNG, SVG or PDF: the groups' means side by side on one scale (as in Fig. 7), and below them −log10
/// of the tests' p on another scale, where p ≥ alpha is grey.
void drawGroups(const std::filesystem::path& path, const GroupComparison& comparison,
                const std::string& title, const std::string& footer, const picture::ColorRange& range = {});

/// Summary: groups with their sizes, and for each test the number of elements, the smallest p that groups of
/// these sizes can reach, and the shares below alpha.
Json groupJson(const GroupComparison& comparison);

}  // namespace glycine::crossapen
