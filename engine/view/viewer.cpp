#include "engine/view/viewer.hpp"

namespace glycine::view {

ImplementationList<Viewer>& Viewer::implementations() {
    static ImplementationList<Viewer> all;
    return all;
}

}  // namespace glycine::view
