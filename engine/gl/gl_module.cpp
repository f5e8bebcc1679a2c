#include "engine/alignment/clustal/profile_paths.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/bounds/device_comparison.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/core/backend_module.hpp"
#include "engine/crossapen/delayed_matches.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/distance/distance_engine.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/network/selection_engine.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/structure/energy_engine.hpp"
#include "engine/view/viewer.hpp"

namespace glycine::gl {

namespace {

void registerAll() {
    BackendRegistry::instance().add({"gl", {}, &GlBackend::make, listDevices});
    addImplementation(pairwise::gl::pairwiseEngine());
    addImplementation(align::gl::posteriorEngine());
    addImplementation(align::gl::profilePaths());
    addImplementation(bounds::gl::smoothingEngine());
    addImplementation(bounds::gl::matrixHolder());
    addImplementation(crossapen::withDelay(crossapen::gl::matchEngine()));
    addImplementation(crossapen::gl::membershipEngine());
    addImplementation(crossapen::gl::patternEngine());
    addImplementation(distance::gl::engine());
    addImplementation(mutualinfo::gl::engine());
    addImplementation(mutualinfo::gl::correlationEngine(), mutualinfo::correlationEngines());
    addImplementation(mutualinfo::gl::pathEngine());
    addImplementation(mutualinfo::gl::selectionEngine());
    addImplementation(structure::gl::energy());
    addImplementation(view::gl::viewer());
}

}  // namespace

}  // namespace glycine::gl

GLYCINE_BACKEND_MODULE(gl, glycine::gl::registerAll);
