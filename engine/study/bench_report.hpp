#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "engine/study/conditions.hpp"
#include "engine/study/report.hpp"

namespace glycine::study {

/// What `glycine bench <algorithm>` prints.
struct BenchReport : Report {
    std::string sizeLabel;  ///< "atoms"
    std::string rateUnit;   ///< "G relaxations/s"
    Conditions conditions;
    std::vector<MeasuredRow> rows;

    /// How many times faster than the first row of its size `row` is, by the minimum of the total; 0 when
    /// either has no time.
    double ratioToFirst(const MeasuredRow& row) const;
    /// The same of the medians, from the quotients of each round; nothing when either has no time.
    std::optional<Statistics> roundRatio(const MeasuredRow& row) const;
    /// Whether the medians of the row and of the first of its size cannot be told apart.
    bool isUndecided(const MeasuredRow& row) const;

    void print(std::ostream& out, std::size_t width) const;
    Json toJson() const;

  private:
    /// The first row of the same size.
    const MeasuredRow& firstOf(const MeasuredRow& row) const;
    Json toJson(const MeasuredRow& row) const;
};

}  // namespace glycine::study
