#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Injects faults into kernel results, to test whether they are detected (scripts/falsify.py). Only exists in
/// programs built with -DGLYCINE_FAULTS=ON. The linker replaces every launch by a wrapper, so neither kernels
/// nor launches have to know.
///
/// GLYCINE_FAULT=KERNEL:KIND:SEED alters what that kernel has changed in device memory, after each of its
/// launches (see alterChanged for the kinds). GLYCINE_FAULT=list alters nothing. GLYCINE_FAULT_LOG names a
/// file; each watched launch appends a line to it: the kernel, the number of changed arrays, of changed
/// elements and of altered elements, separated by tabs.
namespace glycine::cuda {

/// Brackets a launch from construction to destruction: the device is idle before, and is waited for after it.
class WatchedLaunch {
  public:
    /// `kernel`: its name. `addresses`: words of its parameters, some of which may be pointers.
    explicit WatchedLaunch(std::string kernel, const std::vector<std::uintptr_t>& addresses = {});
    ~WatchedLaunch();
    WatchedLaunch(const WatchedLaunch&) = delete;
    WatchedLaunch& operator=(const WatchedLaunch&) = delete;

  private:
    std::string kernel_;
    bool isWatched_ = false;
    std::map<std::uintptr_t, std::vector<std::byte>> before_;  ///< contents of arrays, by address
};

// Alteration of an array that a kernel has written. Free of CUDA, so that it can be tested without a device.

/// KERNEL:KIND:SEED. A kernel's name may contain colons.
struct Fault {
    std::string kernel;
    std::string kind;
    std::uint64_t seed = 0;

    /// Nothing if the text has another form.
    static std::optional<Fault> parse(std::string_view text) {
        const std::size_t last = text.rfind(':');
        if (last == std::string_view::npos || last == 0) return std::nullopt;
        const std::size_t first = text.rfind(':', last - 1);
        if (first == std::string_view::npos || first == 0) return std::nullopt;
        Fault fault{std::string(text.substr(0, first)), std::string(text.substr(first + 1, last - first - 1)),
                    0};
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + last + 1, end, fault.seed);
        if (error != std::errc() || stop != end) return std::nullopt;
        return fault;
    }
    /// For kind "target-N": alters only the N-th array that the kernel has changed.
    std::optional<std::size_t> target() const {
        constexpr std::string_view kTarget = "target-";
        if (!kind.starts_with(kTarget)) return std::nullopt;
        return std::stoul(kind.substr(kTarget.size()));
    }
};

/// Numbers of 4- or 8-byte elements of an array.
struct Alteration {
    std::size_t changed = 0;  ///< by the kernel
    std::size_t altered = 0;  ///< among them, by the fault
};

namespace faults {

template <class T>
T numberIn(std::span<const std::byte> bytes, std::size_t element) {
    T number;
    std::memcpy(&number, bytes.data() + element * sizeof(T), sizeof(T));
    return number;
}

/// Indices of the elements that differ.
template <class T>
std::vector<std::size_t> changedElements(std::span<const std::byte> before,
                                         std::span<const std::byte> after) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < after.size() / sizeof(T); ++i)
        if (std::memcmp(before.data() + i * sizeof(T), after.data() + i * sizeof(T), sizeof(T)) != 0)
            places.push_back(i);
    return places;
}

/// Whether nearly all of these elements, read as T, have plausible magnitudes.
template <class T>
bool lookLike(std::span<const std::byte> bytes, const std::vector<std::size_t>& places) {
    std::size_t plausible = 0;
    for (const std::size_t place : places) {
        const double size = std::abs(static_cast<double>(numberIn<T>(bytes, place)));
        if (size == 0 || (size > 1e-12 && size < 1e12)) plausible += 1;
    }
    return plausible * 20 >= places.size() * 19;
}

inline std::uint64_t hash(std::uint64_t number) {
    number += 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
    return number ^ (number >> 31);
}

/// Whether a fault hits an element. `place`: its index in the array; `number`: its index among the changed
/// elements.
inline bool hits(const Fault& fault, std::size_t place, std::size_t number, std::size_t count) {
    constexpr std::string_view kSeldom = "seldom-";
    if (fault.kind == "lane") return place % 4 == fault.seed % 4;
    if (fault.kind == "column") return place % 32 == fault.seed % 32;
    if (fault.kind == "tile") {
        const std::size_t side = std::max<std::size_t>(1, count / 16);
        return number / side == fault.seed % 16;
    }
    if (fault.kind.starts_with(kSeldom)) {
        const double share = std::stod(fault.kind.substr(kSeldom.size())) / 100;
        return static_cast<double>(hash(place * 1000003 + fault.seed) >> 11) * 0x1p-53 < share;
    }
    return true;
}

template <class T>
T altered(const Fault& fault, T value) {
    if (fault.kind == "zeroed") return T(0);
    if constexpr (std::is_floating_point_v<T>) {
        if (fault.kind == "scaled") return value * T(1.05);
        if (fault.kind == "halved") return value * T(0.5);
        if (fault.kind == "shifted") return value + T(1);
        if (fault.kind == "nudged") return value + T(0.01);
        return value * T(1.05) + T(1);
    } else {
        const std::int64_t number = value;
        const std::int64_t part = (std::abs(number) + 19) / 20;
        const std::int64_t scaled = number < 0 ? number - part : number + part;
        if (fault.kind == "scaled") return static_cast<T>(scaled);
        if (fault.kind == "halved") return static_cast<T>(number / 2);
        if (fault.kind == "shifted") return static_cast<T>(number + 1);
        if (fault.kind == "nudged") return static_cast<T>(number ^ 1);
        return static_cast<T>(scaled + 1);
    }
}

template <class T>
std::size_t alterAs(const Fault& fault, std::span<std::byte> bytes, const std::vector<std::size_t>& places) {
    std::size_t count = 0;
    const auto put = [&](std::size_t place, T number) {
        const T old = numberIn<T>(bytes, place);
        if (std::memcmp(&old, &number, sizeof(T)) == 0) return;
        std::memcpy(bytes.data() + place * sizeof(T), &number, sizeof(T));
        count += 1;
    };
    if (fault.kind == "swapped") {
        for (std::size_t i = 0; i + 1 < places.size(); i += 2) {
            const T first = numberIn<T>(bytes, places[i]);
            put(places[i], numberIn<T>(bytes, places[i + 1]));
            put(places[i + 1], first);
        }
        return count;
    }
    for (std::size_t i = 0; i < places.size(); ++i)
        if (hits(fault, places[i], i, places.size()))
            put(places[i], altered(fault, numberIn<T>(bytes, places[i])));
    return count;
}

}  // namespace faults

/// Alters what a kernel has changed in an array: all elements (scaled, halved, shifted, nudged, swapped,
/// zeroed, target-N) or some (lane, column, tile, seldom-PERCENT). The element type, float, double or int32,
/// is inferred from the values.
inline Alteration alterChanged(const Fault& fault, std::span<const std::byte> before,
                               std::span<std::byte> after) {
    const std::vector<std::size_t> words = faults::changedElements<std::uint32_t>(before, after);
    Alteration alteration{words.size(), 0};
    if (words.empty()) return alteration;
    if (faults::lookLike<float>(after, words)) {
        alteration.altered = faults::alterAs<float>(fault, after, words);
        return alteration;
    }
    const std::vector<std::size_t> longs = faults::changedElements<std::uint64_t>(before, after);
    if (!longs.empty() && faults::lookLike<double>(after, longs))
        return {longs.size(), faults::alterAs<double>(fault, after, longs)};
    alteration.altered = faults::alterAs<std::int32_t>(fault, after, words);
    return alteration;
}

}  // namespace glycine::cuda
