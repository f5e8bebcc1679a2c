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

/// Groups of subjects, compared channel pair by channel pair as in the study (its Fig. 7 and section 4).
namespace glycine::crossapen {

/// Which file belongs to which group.
struct GroupTable {
    std::vector<std::string> groups;   ///< those that have files, in the order of the table
    std::vector<std::size_t> groupOf;  ///< one a file, in the order of the files
    /// One a file: whose recording it is. Groups are conditions of the same subjects then. Empty: no column.
    std::vector<std::string> subjectOf{};
};

/// Reads a table of two columns, `file` and `group` (comma-, tab- or semicolon-separated, plain or packed by
/// gzip). A header line with these two titles may change their order and add other columns, among them
/// `subject`. The `files` are looked up by path (from the working folder or from that of the table), by name,
/// or by name without extension (.gz besides). Names that fit no file are ignored: a table may be for more
/// files than the run. Throws InputError, naming line and file: lines without a file or group, a file that
/// the table does not name, a name that fits several files, a file that is given two groups, fewer than two
/// groups with files.
GroupTable readGroupTable(const std::filesystem::path& path, const std::vector<std::filesystem::path>& files);

struct FileChannels {
    std::string_view file;
    std::span<const std::string> channels;  ///< no name twice
};

/// For each channel of `first` the index of the same channel of `other`. Throws InputError that names the
/// first difference when they have not the same channels: files can be checked before they are worked on.
std::vector<std::size_t> matchChannels(const FileChannels& first, const FileChannels& other);

/// One test over all elements of a quantity.
struct PairwiseTest {
    std::string name;                 ///< "all groups", "children vs adults"
    std::string test;                 ///< "Kruskal-Wallis", "Mann-Whitney", "cluster permutation"
    std::vector<std::size_t> groups;  ///< indices of those that take part
    Matrix<double> statistic;         ///< H, U of the first group, or t; NaN where the test says nothing
    /// Epsilon squared, 0 … 1; Cliff's delta, −1 … 1, above 0 where the first group has the larger values; or
    /// Hedges' g, see statistics::ClusterTest.
    Matrix<double> effect;
    Matrix<double> p;  ///< of clusters: that of the element's own, 1 outside of any
    Matrix<double> q;  ///< Benjamini-Hochberg over all elements that have a p; of clusters p
    /// Of clusters: of elements (a, b) as a · columns + b.
    std::vector<statistics::Cluster> clusters{};
    std::size_t permutations = 0;
    bool isPaired = false;
    std::size_t elements = 0;  ///< that have a p; of a symmetric quantity each pair counts once
    /// Share of these elements whose p lies below `alpha`, uncorrected and corrected, 0 … 1; NaN without any.
    double shareBelow = 0;
    double shareBelowCorrected = 0;
    /// The p of groups of these sizes whose values do not overlap. Without ties none is smaller.
    double smallestP = 0;
};

struct GroupComparison {
    std::vector<std::string> groups;
    std::vector<std::size_t> sizes;  ///< subjects a group
    std::vector<std::string> channels;
    std::string quantity;      ///< its name in files
    std::string label;         ///< its name for people
    bool isSymmetric = false;  ///< of the quantity: tests took elements on and above the diagonal only
    std::vector<Matrix<double>> means;  ///< of the subjects' means of the first quantity, one a group; NaN is
                                        ///< left out, an infinite value makes the mean infinite
    /// Kruskal-Wallis over all groups if they are more than two, then for each two groups both tests, and
    /// that of clusters where it is asked for.
    std::vector<PairwiseTest> tests;
    double alpha = 0.01;
};

/// Compares the subjects' means of their first quantity. With `clusters` also by clusters of pairs of
/// channels, of which two are neighbours when one channel is common and the others lie next to each other
/// (io::spatialNeighbours); groups are conditions where the table tells subjects. All elements take part,
/// those of channels with themselves, too; of a symmetric quantity the elements (a, b) and (b, a) are one.
/// Throws InputError when subjects differ in their channels (the first difference is named), or clusters are
/// asked for of channels whose places are unknown, or of conditions that some subject lacks; UsageError when
/// `table` is not for these subjects, a group has none, or alpha is not between 0 and 1. Channels in another
/// order are brought into that of the first subject.
GroupComparison compareGroups(std::span<const SubjectEntropies> subjects, const GroupTable& table,
                              double alpha, const std::optional<statistics::ClusterOptions>& clusters = {});

/// CSV, one line a test and ordered channel pair (a pair in one order only, if the quantity is symmetric):
/// test, comparison, templates, partner, the groups' means, statistic, effect, p, q.
void writeGroupCsv(const std::filesystem::path& path, const GroupComparison& comparison);

/// NPZ, with G groups, T tests, B channels:
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

/// PNG, SVG or PDF: the groups' means side by side on one scale (as in Fig. 7), and below them −log10 of the
/// tests' p on another one, where p ≥ alpha is grey.
void drawGroups(const std::filesystem::path& path, const GroupComparison& comparison,
                const std::string& title, const std::string& footer, const picture::ColorRange& range = {});

/// What the summary tells: groups with their sizes, and of each test the number of elements, the smallest
/// p that groups of these sizes can reach, and the shares below alpha.
Json groupJson(const GroupComparison& comparison);

}  // namespace glycine::crossapen
