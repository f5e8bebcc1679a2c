#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "engine/study/conditions.hpp"
#include "engine/study/report.hpp"
#include "engine/study/reports/answer.hpp"

namespace glycine::study {

/// Output of `glycine bench <algorithm>`.
struct BenchReport : Report {
    std::string sizeLabel;  ///< "atoms"
    std::string rateUnit;   ///< "G relaxations/s"
    Conditions conditions;
    std::vector<MeasuredRow> rows;

    /// Speed of `row` relative to the first row of its size, by the minimum of the total; 0 if either has no
    /// time.
    double ratioToFirst(const MeasuredRow& row) const;
    /// The same ratio by medians, from the quotients of each round; nothing if either row has no time.
    std::optional<Statistics> roundRatio(const MeasuredRow& row) const;
    /// Whether the medians of the row and of the first row of its size are statistically indistinguishable.
    bool isUndecided(const MeasuredRow& row) const;

    /// Prints the fastest contender for each input, the table, and then the conditions of the times.
    void print(std::ostream& out, std::size_t width) const;
    Json toJson() const;

  private:
    /// The fastest contender for each input, by ratios of the same rounds.
    std::vector<Answer> answers() const;
    /// The first row of the same size.
    const MeasuredRow& firstOf(const MeasuredRow& row) const;
    Json toJson(const MeasuredRow& row) const;
};

}  // namespace glycine::study
