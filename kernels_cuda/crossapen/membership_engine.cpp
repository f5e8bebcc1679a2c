#include <fmt/format.h>

#include <algorithm>

#include "engine/core/host_memory.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/prepared_signals.hpp"
#include "kernels_cuda/crossapen/crossapen_membership.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/paced_report.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::crossapen::cuda {

namespace {

constexpr double kLog2E = 1.44269504088896340736;
/// Comparisons of samples per launch: some hundredths of a second on an H200, less than a second on a small
/// GPU.
constexpr double kWorkAtOnce = 1e11;
/// Launches that are queued while one runs.
constexpr std::size_t kLaunchesAhead = 2;

template <class T>
glycine::cuda::MembershipProblem<T> problemOf(std::size_t channels, std::size_t samples,
                                              const FuzzyRule& rule) {
    glycine::cuda::MembershipProblem<T> problem;
    problem.channels = static_cast<unsigned>(channels);
    problem.templateCount = static_cast<unsigned>(longTemplates(samples, rule.m, rule.delay));
    problem.m = rule.m;
    problem.scale = static_cast<T>(-kLog2E / rule.tolerance);
    problem.power = static_cast<T>(rule.power);
    return problem;
}

template <class T>
std::size_t templateElements(const glycine::cuda::MembershipProblem<T>& problem) {
    return std::size_t{problem.channels} * (problem.m + std::size_t{1}) * problem.templateCount;
}

/// One run over epochs of one format. Device memory is reused between epochs.
template <class T>
class Run {
  public:
    Run(const glycine::cuda::CudaBackend& backend, const FuzzyRule& rule, std::size_t channels,
        std::size_t samples)
        : backend_(backend),
          samples_(samples),
          delay_(rule.delay),
          problem_(problemOf<T>(channels, samples, rule)),
          host_(channels * (std::size_t{rule.m} + 1), problem_.templateCount),
          templates_(backend.memory(), templateElements(problem_)),
          parts_(backend.memory(), problem_.units()),
          hostParts_(problem_.pairs(), problem_.blocks()) {
        problem_.templates = {templates_.data(), problem_.templateCount};
        problem_.parts = parts_.data();
    }

    void sum(const Epoch<T>& epoch, MatrixView<MembershipSums> sums, MatchTimes& times, Progress& progress) {
        const std::size_t length = std::size_t{problem_.m} + 1;
        Stopwatch watch;
        for (std::size_t c = 0; c < epoch.channels(); ++c)
            subtractBaselines(epoch.signals.row(c), 0, delay_,
                              host_.view().block(c * length, 0, length, host_.columns()));
        times.prepare += watch.restart();
        backend_.transfer().upload(host_.data(), host_.columns(), templates_.data(), host_.columns(),
                                   host_.rows(), host_.columns(), glycine::cuda::StagedTransfer::Part::Whole);
        times.upload += watch.restart();
        launch(progress);
        times.compute += watch.restart();
        backend_.transfer().download(parts_.data(), hostParts_.columns(), hostParts_.data(),
                                     hostParts_.columns(), hostParts_.rows(), hostParts_.columns());
        for (std::size_t b = 0; b < epoch.channels(); ++b)
            for (std::size_t a = 0; a <= b; ++a) sums(a, b) = sums(b, a) = total(a, b);
        times.download += watch.restart();
    }

  private:
    void launch(Progress& progress) {
        const double samples = static_cast<double>(samples_);
        const double channels = problem_.channels;
        const auto units = static_cast<double>(problem_.units());
        const double comparisonsPerUnit =
            static_cast<double>(glycine::cuda::kMembershipRows) * problem_.templateCount * (problem_.m + 1.0);
        const auto unitsAtOnce =
            static_cast<std::size_t>(std::clamp(kWorkAtOnce / comparisonsPerUnit, 1.0, 0x1p30));
        const glycine::cuda::WorkListener worked = [&](double work) { progress.advance(work); };
        glycine::cuda::PacedReport report(worked, kLaunchesAhead);
        for (const Range part : splitRange(problem_.units(), unitsAtOnce)) {
            glycine::cuda::launchMemberships({stream_.handle(), backend_.multiprocessors()}, problem_,
                                             part.begin, part.size());
            report.queued(stream_,
                          channels * channels * samples * samples / units * static_cast<double>(part.size()));
        }
        report.settleAll();
    }

    MembershipSums total(std::size_t a, std::size_t b) const {
        const glycine::cuda::MembershipPart* parts = hostParts_.row(b * (b + 1) / 2 + a);
        MembershipSums sums;
        for (std::size_t block = 0; block < hostParts_.columns(); ++block) {
            sums.shortSum += parts[block].shortSum;
            sums.longSum += parts[block].longSum;
        }
        const double templates = problem_.templateCount;
        // Templates of one sample are all zero after their baseline is subtracted.
        if (problem_.m == 1) sums.shortSum = templates * (a == b ? templates - 1 : templates);
        return sums;
    }

    const glycine::cuda::CudaBackend& backend_;
    std::size_t samples_;
    std::size_t delay_;
    glycine::cuda::MembershipProblem<T> problem_;
    Matrix<T> host_;
    glycine::cuda::DeviceBuffer<T> templates_;
    glycine::cuda::DeviceBuffer<glycine::cuda::MembershipPart> parts_;
    Matrix<glycine::cuda::MembershipPart> hostParts_;  // a row per pair
    glycine::cuda::Stream stream_;
};

class CudaMemberships final : public MembershipEngine {
  public:
    explicit CudaMemberships(glycine::cuda::CudaBackend& backend) : backend_(backend) {}

    Support supports(const MembershipRequest& request) const override {
        if (Support any = supportsMemberships(request); !any) return any;
        if (request.rule.m > glycine::cuda::kLongestMembership)
            return Support::no(fmt::format("the backend 'cuda' takes templates of {} samples at most, not {}",
                                           glycine::cuda::kLongestMembership, request.rule.m));
        if (request.channels == 0 || request.samples == 0) return Support::yes();
        return request.format == NumberFormat::Float32 ? supportsSize<float>(request)
                                                       : supportsSize<double>(request);
    }

    MatchOutcome sum(std::span<const AnyEpoch> epochs, const FuzzyRule& rule,
                     std::span<const MatrixView<MembershipSums>> sums, Progress& progress) override {
        MatchOutcome outcome;
        outcome.variant = Variant::Membership;
        if (epochs.empty()) return outcome;
        backend_.makeCurrent();
        std::visit(
            [&]<class T>(const Epoch<T>& first) {
                if (first.channels() == 0) return;
                Run<T> run(backend_, rule, first.channels(), first.samples());
                for (std::size_t e = 0; e < epochs.size(); ++e)
                    run.sum(std::get<Epoch<T>>(epochs[e]), sums[e], outcome.times, progress);
            },
            epochs.front());
        return outcome;
    }

  private:
    template <class T>
    Support supportsSize(const MembershipRequest& request) const {
        const auto problem = problemOf<T>(request.channels, request.samples, request.rule);
        const std::size_t bytes =
            templateElements(problem) * sizeof(T) + problem.units() * sizeof(glycine::cuda::MembershipPart);
        backend_.makeCurrent();
        if (bytes > backend_.memory().available())
            return Support::no(
                lackOfDeviceMemory(fmt::format("holding templates and sums of {} channels", request.channels),
                                   static_cast<double>(bytes), backend_.memory().available()));
        return Support::yes();
    }

    glycine::cuda::CudaBackend& backend_;
};

}  // namespace

Implementation<MembershipEngine> membershipEngine() {
    static const VariantTable<Variant> variants("cuda", {"float32", "float64"},
                                                {{Variant::Membership,
                                                  "two templates a thread against all of a partner, staged "
                                                  "through shared memory; each pair of channels once",
                                                  "Chen et al. 2007; Xie et al. 2010"}});
    return implementWith<MembershipEngine, CudaMemberships, glycine::cuda::CudaBackend>(variants);
}

}  // namespace glycine::crossapen::cuda
