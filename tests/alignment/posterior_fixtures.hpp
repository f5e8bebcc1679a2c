#pragma once

#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/core/host_backends.hpp"

namespace glycine::align {

/// What everything else is compared with.
inline PosteriorSet posteriorsByReference(const Sequences& sequences) {
    HostBackend host("reference", 1);
    Progress progress;
    return createPosteriorEngine(host)->start(sequences)->posteriors(progress);
}

}  // namespace glycine::align
