#include "engine/pairs/device_store.hpp"

#include <mutex>

#include "engine/core/device_arrays.hpp"
#include "engine/pairs/stored_value.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/device_matrix_kernels.hpp"
#include "kernels_cuda/pairs/device_store_kernels.hpp"

namespace glycine::pairs::cuda {

namespace {

using glycine::cuda::CurrentDeviceGuard;
using glycine::cuda::DeviceBuffer;

class CudaStore final : public DeviceStore {
    /// Calls use(values) with the values in their stored type.
    template <class Use>
    auto visit(const Use& use) const {
        if (format_.type == ValueType::Int32) return use(static_cast<std::int32_t*>(memory_));
        if (format_.type == ValueType::Float32) return use(static_cast<float*>(memory_));
        return use(static_cast<double*>(memory_));
    }

  public:
    CudaStore(const PairFormat& format, void* memory, int device)
        : format_(format),
          memory_(memory),
          place_{.device = device},
          layout_{format.layout.instances, format.layout.references,
                  format.layout.layout == StoreLayout::Condensed} {
        const CurrentDeviceGuard current(place_);
        misfits_ = DeviceBuffer<unsigned>(budget_, 1);
        if (format.diagonals.empty()) return;
        diagonals_ = DeviceBuffer<double>(budget_, format.diagonals.size());
        GLYCINE_CUDA(cudaMemcpy(diagonals_.data(), format.diagonals.data(),
                                format.diagonals.size() * sizeof(double), cudaMemcpyDefault));
    }
    int device() const override { return place_.device; }

    bool keep(const PairTile& piece, DeviceNumbers<double> numbers, const DeviceFinish& finish) override {
        const std::lock_guard lock(mutex_);
        return put(piece, numbers, finish, true);
    }
    bool keep(const PairTile& piece, DeviceNumbers<std::uint32_t> numbers,
              const DeviceFinish& finish) override {
        const std::lock_guard lock(mutex_);
        return put(piece, numbers, finish, true);
    }

    void store(const PairTile& tile, MatrixView<const double> values) override {
        const std::lock_guard lock(mutex_);
        const CurrentDeviceGuard current(place_);
        if (scratch_.size() < values.rows() * values.columns())
            scratch_ = DeviceBuffer<double>(budget_, values.rows() * values.columns());
        const std::size_t width = values.columns() * sizeof(double);
        GLYCINE_CUDA(cudaMemcpy2D(scratch_.data(), width, values.data(), values.rowStride() * sizeof(double),
                                  width, values.rows(), cudaMemcpyDefault));
        if (!put(tile, DeviceNumbers<double>{scratch_.data(), values.columns()}, {}, false))
            refuseFirst(tile, values, format_.type);
    }

    double value(std::size_t i, std::size_t j) const override {
        if (i == j) return format_.diagonalOf(i);
        const bool isHeld = layout_.isSquare() || (i > j) == layout_.holdsBelow();
        const std::size_t index = isHeld ? layout_.index(i, j) : layout_.index(j, i);
        return visit([&]<class T>(const T* data) {
            T found{};
            const CurrentDeviceGuard current(place_);
            GLYCINE_CUDA(cudaMemcpy(&found, data + index, sizeof found, cudaMemcpyDefault));
            return fromStored(found);
        });
    }

  private:
    template <class Source>
    bool put(const PairTile& piece, DeviceNumbers<Source> numbers, const DeviceFinish& finish,
             bool isFinite) {
        const CurrentDeviceGuard current(place_);
        GLYCINE_CUDA(cudaMemset(misfits_.data(), 0, sizeof(unsigned)));
        const glycine::cuda::PieceOnDevice<Source> there{{numbers.data, numbers.stride},
                                                         piece.rows.size(),
                                                         piece.columns.size(),
                                                         piece.rows.begin,
                                                         piece.columns.begin};
        const glycine::cuda::ValueRule rule{finish.isRoot, finish.factor,     finish.least,
                                            isFinite,      diagonals_.data(), format_.diagonal};
        visit([&](auto* data) {
            glycine::cuda::launchStore(nullptr, there, rule, layout_, data, misfits_.data());
        });
        unsigned misfits = 0;
        GLYCINE_CUDA(cudaMemcpy(&misfits, misfits_.data(), sizeof misfits, cudaMemcpyDefault));
        return misfits == 0;
    }

    PairFormat format_;
    std::mutex mutex_;
    void* memory_;
    DeviceMatrix place_;  ///< only its device is used
    glycine::cuda::StoredLayout layout_;
    glycine::cuda::MemoryBudget budget_{0};
    DeviceBuffer<unsigned> misfits_;
    DeviceBuffer<double> diagonals_, scratch_;
};

class CudaStores final : public DeviceStores {
  public:
    explicit CudaStores(Backend& backend) : arrays_(glycine::cuda::deviceArrays().create(backend)) {}
    std::unique_ptr<DeviceStore> open(const PairFormat& format, void* memory) const override {
        return std::make_unique<CudaStore>(format, memory, arrays_->deviceOf(memory));
    }

  private:
    std::unique_ptr<DeviceArrays> arrays_;
};

}  // namespace

Implementation<DeviceStores> deviceStores() {
    return {"cuda", {}, [](Backend& backend) -> std::unique_ptr<DeviceStores> {
                return std::make_unique<CudaStores>(backend);
            }};
}

}  // namespace glycine::pairs::cuda
