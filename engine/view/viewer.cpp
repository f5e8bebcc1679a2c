#include "engine/view/viewer.hpp"

namespace glycine {

template <>
ImplementationList<view::Viewer>& implementations<view::Viewer>() {
    static ImplementationList<view::Viewer> all;
    return all;
}

}  // namespace glycine
