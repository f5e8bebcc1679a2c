#pragma once

/// The header for programs that link Glycine: `#include <glycine/glycine.hpp>`. This list is the public
/// interface. The headers named here are installed with those they include, and need only the standard
/// library.
///
/// Register the backends, create one, and pass it to the typed call of an algorithm: bounds::smooth,
/// distance::computeDistances, crossapen::computeEntropies, mutualinfo::computeMutualInformation,
/// pairwise::computePairwise, align::computeAlignment. Use a backend only on the thread that created it.

#include "engine/alignment/compute_alignment.hpp"
#include "engine/api/backends.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/distance/distance.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/pairwise/pairwise.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "engine/trees/newick.hpp"
