#include "engine/core/device_arrays.hpp"

#include "python/src/arrays.hpp"
#include "python/src/module.hpp"

namespace glycine::python {

namespace {

/// DLPack's DLTensor, unchanged since version 0.3 of dlpack.h; DLManagedTensor begins with it.
struct Tensor {
    void* data;
    std::int32_t deviceType, device;
    std::int32_t dimensions;
    std::uint8_t code, bits;
    std::uint16_t lanes;
    const std::int64_t* shape;
    const std::int64_t* strides;  ///< in elements; null: C order
    std::uint64_t offset;         ///< in bytes
};

/// Describes the tensor of a DLPack capsule in terms of __cuda_array_interface__. The capsule owns the
/// memory.
py::dict describeDlpack(const py::capsule& capsule) {
    const auto* const tensor = static_cast<const Tensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    if (tensor == nullptr) throw py::error_already_set();
    constexpr std::string_view kKinds = "iuf___b";  // indexed by DLPack's type code
    const char kind = tensor->code < kKinds.size() ? kKinds[tensor->code] : '_';
    if (kind == '_' || tensor->lanes != 1 || tensor->bits % 8 != 0)
        throw UsageError(
            fmt::format("DLPack's type {} of {} bits is not taken; expected whole or real numbers",
                        tensor->code, tensor->bits));
    py::list shape, strides;
    for (int axis = 0; axis < tensor->dimensions; ++axis) {
        shape.append(tensor->shape[axis]);
        if (tensor->strides != nullptr) strides.append(tensor->strides[axis] * (tensor->bits / 8));
    }
    py::dict described;
    addItems(described, "shape", py::tuple(shape), "typestr", fmt::format("<{}{}", kind, tensor->bits / 8),
             "strides", tensor->strides != nullptr ? py::object(py::tuple(strides)) : py::object(py::none()),
             "data", py::make_tuple(reinterpret_cast<std::uintptr_t>(tensor->data) + tensor->offset, true));
    return described;
}

void withDeviceArrays(const std::function<void(const DeviceArrays&)>& work) {
    onBackend("cuda", nullptr, [&](Backend& backend) { work(*deviceArraysOf(backend)); });
}

/// Fills `target` with the bytes at a CUDA address.
void copyToHost(std::uintptr_t source, py::array_t<std::uint8_t> target) {
    std::uint8_t* const bytes = target.mutable_data();
    withDeviceArrays([&, size = static_cast<std::size_t>(target.size())](const DeviceArrays& arrays) {
        arrays.copyToHost(reinterpret_cast<const void*>(source), size, bytes);
    });
}

/// Copies a contiguous array to a CUDA address.
void copyToDevice(const py::array& source, std::uintptr_t target) {
    withDeviceArrays([bytes = source.data(), size = static_cast<std::size_t>(source.nbytes()),
                      target](const DeviceArrays& arrays) {
        arrays.copyToDevice(bytes, size, reinterpret_cast<void*>(target));
    });
}

/// Concatenates the rows of two matrices on a device; returns (address, owner).
py::tuple joinOnDevice(const py::object& first, const py::object& second) {
    DeviceMatrix matrices[] = {deviceMatrix(first), deviceMatrix(second)};
    std::shared_ptr<void> joined;
    withDeviceArrays([&](const DeviceArrays& arrays) {
        for (DeviceMatrix& one : matrices) one.device = arrays.deviceOf(one.data);
        joined = arrays.join(matrices[0], matrices[1]);
    });
    auto* const kept = new std::shared_ptr<void>(joined);
    return py::make_tuple(
        reinterpret_cast<std::uintptr_t>(joined.get()),
        py::capsule(kept, [](void* pointer) { delete static_cast<std::shared_ptr<void>*>(pointer); }));
}

const Function functions[] = {{"describe_dlpack", &describeDlpack},
                              {"copy_to_host", &copyToHost},
                              {"join_on_device", &joinOnDevice},
                              {"copy_to_device", &copyToDevice}};

}  // namespace

}  // namespace glycine::python
