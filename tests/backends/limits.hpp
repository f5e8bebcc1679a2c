#pragma once

#include "tests/backends/every_backend.hpp"
#include "tests/test.hpp"

/// Every backend, variant and number format at both ends of each limit that it advertises. The ends are found
/// by asking `supports`, so that a limit that is changed is tested where it then lies; one step further must
/// be refused with a reason that names what was asked for.
namespace glycine::test {

/// All settings, and devices that pretend to be small, where the ends come early.
inline std::vector<Setting> settingsWithSmallOnes() {
    std::vector<Setting> all = allSettings();
    const auto small = smallSettings(64, std::size_t{256} << 10, std::size_t{1} << 20);
    all.insert(all.end(), small.begin(), small.end());
    // Where not even the smallest pieces fit, and where they just do.
    for (const std::size_t kibibytes : {72, 120, 136}) {
        Setting& gl = all.emplace_back(Setting{"gl_" + std::to_string(kibibytes) + "_kibibytes", "gl"});
        gl.options.maxDeviceBytes = kibibytes << 10;
    }
    return all;
}

/// The largest number from `first` to `most` that is taken, by bisection; 0 where `first` is not. What is
/// taken must end somewhere and not begin again.
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

class Limits : public EveryBackend {
  protected:
    /// Whether there is time for what takes billions of comparisons.
    bool isFast() {
        return GetParam().backend == "cuda" || (GetParam().backend == "gl" && !backend().isEmulated());
    }
    /// A device that pretends to be small refuses much for its size alone.
    bool isSmall() const {
        return GetParam().options.maxDeviceBytes != 0 || GetParam().options.maxTextureSize != 0;
    }
};

/// `support` must be a refusal that names the number or the room that is lacking.
inline void expectRefusal(const Support& support, std::size_t number) {
    EXPECT_FALSE(support);
    EXPECT_THAT(support.reason(),
                AnyOf(HasSubstr(std::to_string(number)), HasSubstr("memory"), HasSubstr("texels")));
}

}  // namespace glycine::test
