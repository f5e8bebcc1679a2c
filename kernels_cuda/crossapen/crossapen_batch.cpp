#include "kernels_cuda/crossapen/pair_matching.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

namespace glycine::cuda {

namespace {

std::size_t signalElements(const MatchShape& shape) {
    return shape.signals() * signalStride(shape.samples);
}
std::size_t boundElements(const MatchShape& shape, bool hasPairBounds) {
    return hasPairBounds ? shape.pairs() : shape.epochs;
}

}  // namespace

template <class T>
MatchBatch<T>::MatchBatch(const CudaBackend& backend, const MatchShape& largest, bool hasPairBounds)
    : shape_(largest),
      hasPairBounds_(hasPairBounds),
      signalElements_(signalElements(largest)),
      input_((signalElements_ + boundElements(largest, hasPairBounds)) * sizeof(T)),
      output_(largest.pairs() * sizeof(MatchTotals)),
      deviceInput_(backend.memory(), input_.bytes() / sizeof(T)),
      deviceTotals_(backend.memory(), largest.pairs()) {}

template <class T>
std::size_t MatchBatch<T>::bytes(const MatchShape& largest, bool hasPairBounds) {
    return (signalElements(largest) + boundElements(largest, hasPairBounds)) * sizeof(T) +
           largest.pairs() * sizeof(MatchTotals);
}

template <class T>
void MatchBatch<T>::start(std::size_t epochs, const std::int64_t* logs, PairMatcher<T>& matcher,
                          const MatchStreams& streams, double work, PacedReport& report) {
    MatchProblem<T> problem;
    problem.shape = shape_;
    problem.shape.epochs = epochs;
    problem.signals = deviceInput_.data();
    problem.bounds = deviceInput_.data() + signalElements_;
    problem.hasPairBounds = hasPairBounds_;
    problem.logs = logs;
    problem.totals = deviceTotals_.data();

    const auto upload = [&](std::size_t first, std::size_t elements) {
        GLYCINE_CUDA(cudaMemcpyAsync(deviceInput_.data() + first, signals() + first, elements * sizeof(T),
                                     cudaMemcpyHostToDevice, streams.upload.handle()));
    };
    uploading_.record(streams.upload);
    upload(0, signalElements(problem.shape));
    upload(signalElements_, boundElements(problem.shape, hasPairBounds_));
    uploaded_.record(streams.upload);

    const std::size_t totalBytes = problem.shape.pairs() * sizeof(MatchTotals);
    streams.compute.waitFor(uploaded_);
    sorting_.record(streams.compute);
    matcher.prepare(problem, streams.compute);
    matching_.record(streams.compute);
    GLYCINE_CUDA(cudaMemsetAsync(deviceTotals_.data(), 0, totalBytes, streams.compute.handle()));
    matcher.match(problem, work, streams.compute, report);
    matched_.record(streams.compute);

    streams.download.waitFor(matched_);
    downloading_.record(streams.download);
    GLYCINE_CUDA(cudaMemcpyAsync(output_.data(), deviceTotals_.data(), totalBytes, cudaMemcpyDeviceToHost,
                                 streams.download.handle()));
    downloaded_.record(streams.download);
}

template <class T>
const MatchTotals* MatchBatch<T>::wait(BatchTimes& times) const {
    downloaded_.synchronize();
    times.upload += Event::secondsBetween(uploading_, uploaded_);
    times.sort += Event::secondsBetween(sorting_, matching_);
    times.match += Event::secondsBetween(matching_, matched_);
    times.download += Event::secondsBetween(downloading_, downloaded_);
    return reinterpret_cast<const MatchTotals*>(output_.data());
}

template class MatchBatch<float>;
template class MatchBatch<double>;

DeviceBuffer<std::int64_t> uploadLogarithms(const CudaBackend& backend,
                                            const std::vector<std::int64_t>& logarithms) {
    DeviceBuffer<std::int64_t> table(backend.memory(), logarithms.size());
    GLYCINE_CUDA(cudaMemcpy(table.data(), logarithms.data(), logarithms.size() * sizeof(std::int64_t),
                            cudaMemcpyHostToDevice));
    // The streams of a run do not wait for the default one, which may still be copying.
    GLYCINE_CUDA(cudaDeviceSynchronize());
    return table;
}

}  // namespace glycine::cuda
