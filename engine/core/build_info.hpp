#pragma once

#include <string>

namespace glycine {

/// Version, commit and compiler of this program, for every report.
struct BuildInfo {
    std::string version;
    std::string commit;  ///< short hash, with "-dirty" if files had changed; "unknown" outside git
    std::string compiler;
};
const BuildInfo& buildInfo();

/// "glycine 0.1.0 (commit abc1234, GNU 12.2.0, Release)".
std::string describeBuild();

}  // namespace glycine
