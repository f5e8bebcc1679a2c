#include <algorithm>
#include <memory>
#include <vector>

#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/crossapen/cpu/membership_kernels.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/prepared_signals.hpp"

namespace glycine::crossapen::cpu {

namespace {

/// Templates of one side of a block: as many as fit into `bytes` of cache, but enough to amortise the
/// subtraction of their baselines.
std::size_t templatesPerBlock(std::size_t bytes, std::size_t bytesPerTemplate, std::size_t most) {
    return std::clamp(bytes / bytesPerTemplate, kColumnPadding, most);
}

/// One thread's blocks of templates.
template <class T>
struct Workspace {
    Workspace(std::size_t length, std::size_t rowCount, std::size_t columnCount)
        : rows(length, rowCount), columns(length, columnCount + kColumnPadding, T(0)) {}
    Matrix<T> rows;
    Matrix<T> columns;
};

/// One run over epochs of one format.
template <class T>
class MembershipRun {
  public:
    MembershipRun(std::span<const AnyEpoch> epochs, const FuzzyRule& rule, InstructionSet instructions,
                  int threads)
        : rule_(rule),
          length_(std::size_t{rule.m} + 1),
          sum_(kernelFor<MembershipKernel<T>>(instructions).sum) {
        for (const AnyEpoch& epoch : epochs) epochs_.push_back(std::get<Epoch<T>>(epoch));
        channels_ = epochs_.front().channels();
        samples_ = epochs_.front().samples();
        const std::size_t templates = longTemplates(samples_, rule.m, rule.delay);
        bands_ = splitRange(templates, templatesPerBlock(kBandBytes, length_ * sizeof(T), 2048));
        blocks_ = splitRange(templates, templatesPerBlock(kBlockBytes, length_ * sizeof(T), kMaxColumns));
        workspaces_.resize(static_cast<std::size_t>(threads));
    }

    /// Each task compares one channel with a band of templates of each channel up to it. The longest tasks
    /// come first.
    void sum(std::span<const MatrixView<MembershipSums>> sums, int threads, Progress& progress) {
        const std::size_t pairs = channels_ * (channels_ + 1) / 2;
        std::vector<MembershipSums> partial(epochs_.size() * pairs * bands_.size());
        const auto partialOf = [&](std::size_t e, std::size_t a, std::size_t b) {
            return partial.data() + (e * pairs + b * (b + 1) / 2 + a) * bands_.size();
        };
        const std::size_t tasksPerChannel = epochs_.size() * bands_.size();
        const double work = static_cast<double>(samples_) * static_cast<double>(samples_) /
                            static_cast<double>(bands_.size());
        parallelFor(threads, channels_ * tasksPerChannel, [&](std::size_t task, std::size_t thread) {
            const std::size_t b = channels_ - 1 - task / tasksPerChannel;
            const std::size_t e = task % tasksPerChannel / bands_.size();
            const std::size_t band = task % bands_.size();
            for (std::size_t block = 0; block < blocks_.size(); ++block) {
                Workspace<T>& space = workspaceOf(thread);
                takeColumns(space, epochs_[e].signals.row(b), blocks_[block]);
                for (std::size_t a = 0; a <= b; ++a)
                    addBlock(space, epochs_[e].signals.row(a), bands_[band], blocks_[block], a == b,
                             partialOf(e, a, b)[band]);
                progress.advance(work * static_cast<double>(2 * b + 1) / static_cast<double>(blocks_.size()));
            }
        });
        for (std::size_t e = 0; e < epochs_.size(); ++e)
            for (std::size_t b = 0; b < channels_; ++b)
                for (std::size_t a = 0; a <= b; ++a)
                    sums[e](a, b) = sums[e](b, a) = total(partialOf(e, a, b), a == b);
    }

  private:
    static constexpr std::size_t kBandBytes = std::size_t{256} << 10;
    static constexpr std::size_t kBlockBytes = std::size_t{24} << 10;

    Workspace<T>& workspaceOf(std::size_t thread) {
        auto& space = workspaces_[thread];
        if (!space)
            space = std::make_unique<Workspace<T>>(length_, bands_.front().size(), blocks_.front().size());
        return *space;
    }

    void takeColumns(Workspace<T>& space, const T* signal, const Range& block) const {
        subtractBaselines(signal, block.begin, rule_.delay,
                          space.columns.view().block(0, 0, length_, block.size()));
    }

    /// Of a channel with itself, only one half is computed: pairs of a template with a later one.
    void addBlock(Workspace<T>& space, const T* signal, const Range& band, const Range& block, bool isSelf,
                  MembershipSums& sums) const {
        if (isSelf && block.end <= band.begin + 1) return;
        const MatrixView<T> rows = space.rows.view().block(0, 0, length_, band.size());
        subtractBaselines(signal, band.begin, rule_.delay, rows);
        const auto count = static_cast<std::ptrdiff_t>(band.size());
        const std::ptrdiff_t next =
            static_cast<std::ptrdiff_t>(band.begin) + 1 - static_cast<std::ptrdiff_t>(block.begin);
        const MembershipSums part =
            sum_({rows.data(), rows.rowStride(), band.size(), space.columns.data(), space.columns.columns(),
                  block.size(), isSelf ? next : -count, rule_});
        sums.shortSum += part.shortSum;
        sums.longSum += part.longSum;
    }

    MembershipSums total(const MembershipSums* bands, bool isSelf) const {
        const auto templates = static_cast<double>(longTemplates(samples_, rule_.m, rule_.delay));
        MembershipSums sums;
        for (std::size_t band = 0; band < bands_.size(); ++band) {
            sums.shortSum += bands[band].shortSum;
            sums.longSum += bands[band].longSum;
        }
        if (isSelf) sums = {2 * sums.shortSum, 2 * sums.longSum};
        // Templates of one sample are all zero after their baseline is subtracted.
        if (rule_.m == 1) sums.shortSum = templates * (isSelf ? templates - 1 : templates);
        return sums;
    }

    std::vector<Epoch<T>> epochs_;
    FuzzyRule rule_;
    std::size_t length_;
    MembershipSums (*sum_)(const MembershipBlock<T>& block);
    std::size_t channels_ = 0;
    std::size_t samples_ = 0;
    std::vector<Range> bands_;   // of rows
    std::vector<Range> blocks_;  // of columns
    std::vector<std::unique_ptr<Workspace<T>>> workspaces_;
};

class CpuMemberships : public MembershipEngine {
  public:
    explicit CpuMemberships(const HostBackend& backend)
        : threads_(backend.threads()), instructions_(backend.instructions()) {}

    Support supports(const MembershipRequest& request) const override { return supportsMemberships(request); }

    MatchOutcome sum(std::span<const AnyEpoch> epochs, const FuzzyRule& rule,
                     std::span<const MatrixView<MembershipSums>> sums, Progress& progress) override {
        const Stopwatch watch;
        MatchOutcome outcome;
        outcome.variant = Variant::Membership;
        if (epochs.empty()) return outcome;
        std::visit(
            [&]<class T>(const Epoch<T>& first) {
                if (first.channels() == 0) return;
                MembershipRun<T>(epochs, rule, instructions_, threads_).sum(sums, threads_, progress);
            },
            epochs.front());
        outcome.times.compute = watch.seconds();
        return outcome;
    }

  private:
    int threads_;
    InstructionSet instructions_;
};

}  // namespace

Implementation<MembershipEngine> membershipEngine() {
    static const VariantTable<Variant> variants(
        "cpu", {"float32", "float64"},
        {{Variant::Membership,
          "sums of memberships at both lengths in one sweep, each pair of channels once, vectorised",
          "Chen et al. 2007; Xie et al. 2010"}});
    return implementWith<MembershipEngine, CpuMemberships, HostBackend>(variants);
}

}  // namespace glycine::crossapen::cpu
