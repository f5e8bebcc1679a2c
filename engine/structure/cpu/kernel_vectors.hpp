#pragma once

#include <cstdint>

/// Vectors of kernels: functions of shared headers could be linked from a kernel's instruction set
/// (engine/core/instruction_set.hpp).
namespace glycine::structure {
namespace {

/// A vector in space, or as many of them as `Number` has lanes.
template <class Number>
struct Three {
    Number x, y, z;
    friend Three operator+(const Three& a, const Three& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend Three operator-(const Three& a, const Three& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend Three operator*(const Number& s, const Three& a) { return {s * a.x, s * a.y, s * a.z}; }
};

template <class Number>
Number dotOf(const Three<Number>& a, const Three<Number>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Number>
Three<Number> crossOf(const Three<Number>& a, const Three<Number>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// The places of the set bits of four, in ascending order.
struct Places {
    std::uint32_t place[4], count;
};
struct PlacesOfBits {
    Places of[16]{};
    constexpr PlacesOfBits() {
        for (std::uint32_t bits = 0; bits < 16; ++bits)
            for (std::uint32_t k = 0; k < 4; ++k)
                if ((bits >> k & 1) != 0) of[bits].place[of[bits].count++] = k;
    }
};
constexpr PlacesOfBits kPlaces;

/// Appends the places of the set bits of four, counted from `first`; writes four numbers. Returns how many
/// count.
inline std::uint32_t appendPlaces(unsigned bits, std::uint32_t first, std::uint32_t* to) {
    const Places& places = kPlaces.of[bits];
    for (int k = 0; k < 4; ++k) to[k] = first + places.place[k];
    return places.count;
}

using FourFloats [[gnu::vector_size(16), gnu::may_alias]] = float;
using FourMarks [[gnu::vector_size(16)]] = std::int32_t;  ///< of a comparison: 0 or −1
inline unsigned bitsOf(const FourMarks& marks) {
#if defined(__SSE2__)
    return static_cast<unsigned>(__builtin_ia32_movmskps(reinterpret_cast<const FourFloats&>(marks)));
#else
    return static_cast<unsigned>((marks[0] & 1) | (marks[1] & 2) | (marks[2] & 4) | (marks[3] & 8));
#endif
}

}  // namespace
}  // namespace glycine::structure
