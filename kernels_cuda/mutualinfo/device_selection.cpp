#include <omp.h>

#include <algorithm>

#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/mutualinfo/network/selection_engine.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "kernels_cuda/mutualinfo/selection_kernels.hpp"

namespace glycine::mutualinfo::cuda {

namespace {

using glycine::cuda::CudaBackend;
using glycine::cuda::DeviceBuffer;
using glycine::cuda::StagedTransfer;

/// Targets at a time, one block each: several per multiprocessor.
constexpr std::size_t kTargets = 1024;
/// Rows of information that the host reads at a time.
constexpr std::size_t kRows = 1024;
/// Number of targets × genes matrices that the kernel uses.
constexpr std::size_t kMatrices = 3;

std::size_t bytesFor(std::size_t genes, std::size_t targets) {
    return (genes + kMatrices * targets) * genes * sizeof(double);
}

std::size_t targetsFor(std::size_t genes, std::size_t available) {
    return std::max<std::size_t>(1, largestFitting(std::min(kTargets, genes), [&](std::size_t targets) {
                                     return bytesFor(genes, targets) <= available;
                                 }));
}

/// Keeps all information on the device; each block of threads processes a target.
class DeviceSelection final : public SelectionRun {
  public:
    DeviceSelection(CudaBackend& backend, const SelectionRequest& request, std::size_t targets)
        : backend_(backend),
          request_(request),
          genes_(request.information->instances()),
          information_(backend.memory(), std::max<std::size_t>(genes_ * genes_, 1)),
          host_(targets, genes_) {
        for (auto& matrix : work_)
            matrix = DeviceBuffer<double>(backend.memory(), std::max<std::size_t>(targets * genes_, 1));
        const std::size_t most = std::min(kRows, std::max<std::size_t>(genes_, 1));
        Matrix<double> band(most, genes_);
        for (const Range& rows : splitRange(genes_, most)) {
            const MatrixView<double> view(band.data(), rows.size(), genes_);
            request_.information->readBlock(rows, {0, genes_}, view);
            backend_.transfer().upload(band.data(), genes_, information_.data() + rows.begin * genes_, genes_,
                                       rows.size(), genes_, StagedTransfer::Part::Whole);
        }
    }
    std::string_view variantName() const override { return "blocks"; }

    void score(Range targets, MatrixView<double> scores, Progress& progress) override {
        backend_.makeCurrent();
        for (const Range& part : splitRange(targets.size(), host_.rows())) {
            progress.throwIfCancelled();
            scoreAtOnce({targets.begin + part.begin, targets.begin + part.end},
                        scores.block(part.begin, 0, part.size(), genes_));
            progress.advance(static_cast<double>(part.size()));
        }
    }

  private:
    void scoreAtOnce(Range targets, MatrixView<double> scores) {
        const std::size_t count = targets.size();
        const MatrixView<double> relevance(host_.data(), count, genes_);
        request_.information->readBlock(targets, {0, genes_}, relevance);
        parallelFor(omp_get_max_threads(), count, [&](std::size_t t, std::size_t) {
            for (std::size_t j = 0; j < genes_; ++j)
                if (!request_.isCandidate(targets.begin + t, j, relevance(t, j)))
                    relevance(t, j) = -std::numeric_limits<double>::infinity();
        });
        backend_.transfer().upload(relevance.data(), genes_, work_[0].data(), genes_, count, genes_,
                                   StagedTransfer::Part::Whole);
        glycine::cuda::launchSelection(
            {stream_.handle(), backend_.multiprocessors()},
            {.information = {information_.data(), genes_},
             .relevance = {work_[0].data(), genes_},
             .sums = {work_[1].data(), genes_},
             .scores = {work_[2].data(), genes_},
             .targets = static_cast<unsigned>(count),
             .genes = static_cast<unsigned>(genes_),
             .selections = static_cast<unsigned>(std::min(request_.selections, genes_)),
             .unknown = request_.unknown});
        stream_.synchronize();
        backend_.transfer().download(work_[2].data(), genes_, scores.data(), scores.rowStride(), count,
                                     genes_);
    }

    CudaBackend& backend_;
    SelectionRequest request_;
    std::size_t genes_;
    DeviceBuffer<double> information_;
    DeviceBuffer<double> work_[kMatrices];
    Matrix<double> host_;
    glycine::cuda::Stream stream_;
};

class CudaSelection final : public SelectionEngine {
  public:
    explicit CudaSelection(CudaBackend& backend) : backend_(backend) {}

    Support supports(const PathShape& shape) const override {
        backend_.makeCurrent();
        const std::size_t available = backend_.memory().available();
        if (bytesFor(shape.genes, 1) <= available) return Support::yes();
        return Support::no(lackOfDeviceMemory("information of all genes",
                                              static_cast<double>(bytesFor(shape.genes, 1)), available));
    }
    std::size_t preferredTargets(std::size_t genes) const override {
        backend_.makeCurrent();
        return targetsFor(genes, backend_.memory().available());
    }
    std::unique_ptr<SelectionRun> start(const SelectionRequest& request) override {
        const std::size_t genes = request.information->instances();
        if (const Support support = supports({genes}); !support) throw UnavailableError(support.reason());
        return std::make_unique<DeviceSelection>(backend_, request, preferredTargets(genes));
    }

  private:
    CudaBackend& backend_;
};

}  // namespace

Implementation<SelectionEngine> selectionEngine() {
    return {"cuda", {}, [](Backend& backend) -> std::unique_ptr<SelectionEngine> {
                return std::make_unique<CudaSelection>(backendAs<CudaBackend>(backend));
            }};
}

}  // namespace glycine::mutualinfo::cuda
