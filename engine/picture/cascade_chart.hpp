#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// How efficient programs are on more and more platforms, each from its best platform to its worst: the
/// cascade plot of J. Sewall, S. J. Pennycook, D. Jacobsen, T. Deakin and S. McIntosh-Smith, "Interpreting
/// and Visualizing Performance Portability Metrics", P3HPC 2020.
namespace glycine::picture {

struct CascadeSeries {
    std::string name;
    std::vector<double> efficiencies;  ///< of one platform each, 0 … 1, in any order; as many in each series
    double portability = 0;            ///< the metric over all platforms, shown in the key
};

struct CascadeOptions {
    std::string title{};
    std::string yLabel{};
    std::vector<std::string> footer{};
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically. Solid with markers: the efficiency on the k-th
/// best platform; dashed: the metric over the best k, whose last value the key repeats. Throws UsageError
/// without series, for differing numbers of platforms and for what lies outside 0 … 1; Error with path and
/// cause when the file cannot be written.
void writeCascadeChart(const std::filesystem::path& path, const std::vector<CascadeSeries>& series,
                       const CascadeOptions& options);

}  // namespace glycine::picture
