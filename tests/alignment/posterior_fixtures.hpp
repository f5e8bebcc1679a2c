#pragma once

#include "engine/alignment/posterior/posterior_engine.hpp"
#include "tests/test.hpp"

namespace glycine::align {

/// The reference's posteriors, with which all others are compared.
inline PosteriorSet posteriorsByReference(const Sequences& sequences) {
    HostBackend host("reference", 1);
    return createImplementation<PosteriorEngine>(host)->start(sequences)->posteriors(silentProgress());
}

}  // namespace glycine::align
