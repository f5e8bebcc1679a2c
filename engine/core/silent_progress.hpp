#pragma once

#include "engine/core/progress.hpp"

namespace glycine {

/// For those who do not want to know: silent and never cancelled. One for all of them.
inline Progress& silentProgress() {
    static Progress silent;
    return silent;
}

}  // namespace glycine
