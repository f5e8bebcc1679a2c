// Replaces the driver's libnvidia-ml.so.1 with two fake GPUs. The one at bus 0000:01:00.0 has a counter that
// advances by 2,500 mJ per reading; the one at 0000:02:00.0 has no counter and draws 100 W. The environment
// variable GLYCINE_FAKE_GPUS sets how many are reported.
#include <cstdlib>
#include <cstring>

namespace {
int devices[2];
int opened = 0;
}  // namespace

extern "C" {
int nvmlInit_v2() {
    ++opened;
    return 0;
}
int nvmlShutdown() {
    return --opened < 0 ? 1 : 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
    const char* told = std::getenv("GLYCINE_FAKE_GPUS");
    *count = told != nullptr ? static_cast<unsigned>(std::atoi(told)) : 1;
    return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    if (index > 1) return 2;
    *device = &devices[index];
    return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
    for (unsigned index = 0; index < 2; ++index)
        if (std::strcmp(bus, index == 0 ? "0000:01:00.0" : "0000:02:00.0") == 0)
            return nvmlDeviceGetHandleByIndex_v2(index, device);
    return 6;
}
int nvmlDeviceGetName(void* device, char* name, unsigned length) {
    std::strncpy(name, device == &devices[0] ? "Fake GPU" : "Old fake GPU", length);
    return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
    if (device != &devices[0]) return 3;  // not supported
    static unsigned long long counter = 1000000;
    *millijoules = counter += 2500;
    return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
    *milliwatts = 100000;
    return 0;
}
}
