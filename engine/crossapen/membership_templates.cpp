#include "engine/crossapen/membership_templates.hpp"

#include <algorithm>

namespace glycine::crossapen {

template <class T>
void subtractBaselines(const T* signal, std::size_t first, std::size_t delay, MatrixView<T> templates) {
    // Some templates at a time, sample by sample: neighbours go through the processor side by side.
    constexpr std::size_t kGroup = 64;
    const std::size_t length = templates.rows();
    for (std::size_t begin = 0; begin < templates.columns(); begin += kGroup) {
        const std::size_t count = std::min(kGroup, templates.columns() - begin);
        const T* samples = signal + first + begin;
        double baselines[kGroup] = {};
        for (std::size_t k = 0; k < length; ++k)
            for (std::size_t i = 0; i < count; ++i)
                baselines[i] += static_cast<double>(samples[k * delay + i]);
        for (double& baseline : baselines) baseline /= static_cast<double>(length);
        for (std::size_t k = 0; k < length; ++k) {
            T* target = templates.row(k) + begin;
            for (std::size_t i = 0; i < count; ++i)
                target[i] = static_cast<T>(static_cast<double>(samples[k * delay + i]) - baselines[i]);
        }
    }
}

template void subtractBaselines(const float*, std::size_t, std::size_t, MatrixView<float>);
template void subtractBaselines(const double*, std::size_t, std::size_t, MatrixView<double>);

}  // namespace glycine::crossapen
