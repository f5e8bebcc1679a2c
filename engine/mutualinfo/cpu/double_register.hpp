#pragma once

#include <cstddef>

/// Registers for kernels that are compiled once an instruction set. In an anonymous namespace, as they are.
namespace glycine::mutualinfo::cpu {
namespace {

/// Numbers of float64 in kBytes bytes. (GCC takes no size that depends on a parameter here, hence one type a
/// size.)
template <std::size_t kBytes>
struct DoubleRegister;
#define GLYCINE_REGISTER(bytes)                          \
    template <>                                          \
    struct DoubleRegister<bytes> {                       \
        using Type [[gnu::vector_size(bytes)]] = double; \
    }
GLYCINE_REGISTER(16);
GLYCINE_REGISTER(32);
GLYCINE_REGISTER(64);
#undef GLYCINE_REGISTER

}  // namespace
}  // namespace glycine::mutualinfo::cpu
