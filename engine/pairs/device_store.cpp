#include "engine/pairs/device_store.hpp"

namespace glycine {

template <>
ImplementationList<pairs::DeviceStores>& implementations<pairs::DeviceStores>() {
    static ImplementationList<pairs::DeviceStores> all;
    return all;
}

}  // namespace glycine
