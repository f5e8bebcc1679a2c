#include "engine/core/build_info.hpp"

#include "glycine_build.hpp"

namespace glycine {

const BuildInfo& buildInfo() {
    static const BuildInfo info{GLYCINE_BUILD_VERSION, GLYCINE_BUILD_COMMIT, GLYCINE_BUILD_COMPILER};
    return info;
}

std::string describeBuild() {
    return GLYCINE_BUILD;
}

}  // namespace glycine
