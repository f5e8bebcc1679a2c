// Expected answers that all settings of a test program share.
#pragma once

#include "engine/core/matrix.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <type_traits>

namespace glycine::test {

/// A hash of everything that an expected answer depends on.
class InputKey {
  public:
    template <class T>
    InputKey& add(std::span<const T> values) {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size_bytes());
        key_ = (key_ ^ std::hash<std::string_view>{}(bytes)) * 0x9e3779b97f4a7c15U + values.size();
        return *this;
    }
    template <class T>
    InputKey& add(const T& value) {
        return add(std::span(&value, 1));
    }
    InputKey& add(std::string_view text) { return add(std::span(text.data(), text.size())); }
    template <class T>
    InputKey& add(const Matrix<T>& matrix) {
        return add(matrix.rows()).add(std::span<const T>(matrix.data(), matrix.size()));
    }
    std::uint64_t value() const { return key_; }

  private:
    std::uint64_t key_ = 0;
};

/// Returns what `make` returned for the first call with this key at this place of the code. `make` is a
/// lambda, so its type names the place.
template <class Make>
const std::invoke_result_t<Make>& madeOnce(const InputKey& key, const Make& make) {
    static std::map<std::uint64_t, std::invoke_result_t<Make>> made;
    auto place = made.find(key.value());
    if (place == made.end()) place = made.emplace(key.value(), make()).first;
    return place->second;
}

}  // namespace glycine::test
