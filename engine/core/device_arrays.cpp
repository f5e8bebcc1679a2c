#include "engine/core/device_arrays.hpp"

namespace glycine {

ImplementationList<DeviceArrays>& DeviceArrays::implementations() {
    static ImplementationList<DeviceArrays> all;
    return all;
}

}  // namespace glycine
