#pragma once

#include "tests/backends/every_backend.hpp"
#include "tests/test.hpp"

/// Tests every backend, variant and number format at both ends of each limit that it advertises. The ends are
/// found through `supports`, so that a changed limit is tested at its new value. One step beyond the limit
/// must be refused, with a reason that states the request.
namespace glycine::test {

/// All settings, and artificially small devices, whose limits are low.
inline std::vector<Setting> settingsWithSmallOnes() {
    std::vector<Setting> all = allSettings();
    const auto small = smallSettings(64, std::size_t{256} << 10, std::size_t{1} << 20);
    all.insert(all.end(), small.begin(), small.end());
    // Too small for even the smallest pieces, and just large enough.
    for (const std::size_t kibibytes : {72, 120, 136}) {
        Setting& gl = all.emplace_back(Setting{"gl_" + std::to_string(kibibytes) + "_kibibytes", "gl"});
        gl.options.maxDeviceBytes = kibibytes << 10;
    }
    return all;
}

/// The largest number from `first` to `most` that is accepted, by bisection; 0 if `first` is not. Requires
/// that numbers beyond the first refused one are refused, too.
template <class Takes>
std::size_t lastTaken(std::size_t first, std::size_t most, Takes&& takes) {
    if (!takes(first)) return 0;
    if (takes(most)) return most;
    while (most - first > 1) {
        const std::size_t middle = first + (most - first) / 2;
        (takes(middle) ? first : most) = middle;
    }
    return first;
}

/// Expects a refusal that names the number or the missing memory.
inline void expectRefusal(const Support& support, std::size_t number) {
    EXPECT_FALSE(support);
    EXPECT_THAT(support.reason(),
                AnyOf(HasSubstr(std::to_string(number)), HasSubstr("memory"), HasSubstr("texels")));
}

}  // namespace glycine::test
