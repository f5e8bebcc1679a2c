#include "engine/core/device_arrays.hpp"

namespace glycine {

template <>
ImplementationList<DeviceArrays>& implementations<DeviceArrays>() {
    static ImplementationList<DeviceArrays> all;
    return all;
}

}  // namespace glycine
