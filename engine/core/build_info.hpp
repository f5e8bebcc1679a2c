#pragma once

#include <string>

namespace glycine {

/// Version, commit, compiler and build type of this program, for every report.
struct BuildInfo {
    std::string version;
    std::string commit;  ///< short hash, "-dirty" appended where files had changed; "unknown" outside git
    std::string compiler;
    std::string buildType;
};
const BuildInfo& buildInfo();

/// "glycine 0.1.0 (commit abc1234, GNU 12.2.0, Release)".
std::string describeBuild();

}  // namespace glycine
