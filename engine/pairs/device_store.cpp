#include "engine/pairs/device_store.hpp"

namespace glycine::pairs {

ImplementationList<DeviceStores>& DeviceStores::implementations() {
    static ImplementationList<DeviceStores> all;
    return all;
}

}  // namespace glycine::pairs
