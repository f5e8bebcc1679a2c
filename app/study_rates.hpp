#pragma once

#include <string>

#include "app/planned_run.hpp"
#include "engine/study/reports/study_report.hpp"

/// The rate of a device for a planned run, from the rows of a study.
namespace glycine::planning {

struct StudyRate {
    double rate = 0;     ///< operations per second
    double ceiling = 0;  ///< the rate at the device's ceiling; 0: unknown
    double upload = 0;   ///< bytes per second into the device; 0: nothing is copied
    std::string from{};  ///< origin of the rate
};

/// The rate of the variant that is fastest at this size. Between two rows of the study it is interpolated, by
/// the logarithms of operations (of `crossapen`: samples of an epoch) and rate. Beyond the largest row, that
/// row's rate counts, and before the smallest one that row's. No rate is above the device's ceiling.
/// `bounds`: of the upper and the lower bounds together. Throws InputError if the study has no time of the
/// algorithm on the backend.
StudyRate rateOfStudy(const study::StudyReport& report, const RunRequest& request);

}  // namespace glycine::planning
