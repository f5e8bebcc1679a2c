#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/mutualinfo/mutualinfo_options.hpp"
#include "app/pair_command.hpp"
#include "engine/command/recount.hpp"
#include "engine/mutualinfo/network/infer_network.hpp"
#include "engine/mutualinfo/network/path_engine.hpp"

namespace glycine::mutualinfo {

class RecountedPaths;
class RecountedSelection;

/// Infers one network: the stages that `glycine network` and the Python package share. The functions are
/// listed in the order in which they are called. Each stage completes the options that it decides.
class NetworkInference {
  public:
    /// `expression`: genes × samples; without rows if the information is read from a file. It and `options`
    /// must outlive the object. Selects the estimator of the method 'correlation'.
    NetworkInference(NetworkOptions& options, ExpressionView expression, std::size_t genes);
    ~NetworkInference();

    /// Selects the order of splines for networks. Call it unless the user chose one.
    void chooseOrder(bool haveGaps);
    /// Whether the backend can compute the values of all pairs, or has other work to do if they are read.
    /// Selects the precision.
    Support supports(Backend& backend);
    /// Starts the engines on the backend, which must outlive this object. Selects the side of tiles.
    void start(Backend& backend);
    /// "indirect paths" or "selection of regulators": the stage of the inference that a device can run; empty
    /// if the method has none.
    std::string_view deviceStage() const;
    /// Why the processor runs that stage; empty if the backend does.
    std::string_view reasonForProcessor() const {
        return stageBackend_ ? std::string_view(stageBackend_->reason()) : std::string_view();
    }
    /// Determines how estimates of pairs with missing samples are corrected. For expression only.
    void prepareGaps(Progress& progress);
    /// Null until prepareGaps() was called.
    const GapCorrection* correction() const { return correction_ ? &*correction_ : nullptr; }
    const SharedMoments& moments() const { return moments_; }
    /// Sets the threshold of edges, in the unit of the report. Adds reservations to `warnings`.
    void findThreshold(std::vector<std::string>& warnings, Progress& progress);
    /// The null distribution that P refers to; null without a P.
    const InformationNull* null() const { return null_.get(); }

    pairs::ValueType valueType() const;
    /// Computes the values of all pairs: information, correlations or importances. For expression only.
    MutualInformationReport fill(pairs::PairSink& sink, Progress& progress);
    /// How the values were estimated, in one line. Complete after `fill`.
    const std::string& estimator() const { return estimator_; }
    /// How to recount some values; nothing if no device has computed them.
    std::optional<PairRecount> recountOfValues() const;
    Network infer(const pairs::PairStore& values, Progress& progress);
    /// The engine of the method 'aracne'; null for others.
    PathEngine* paths() const;
    /// The recount of the stage on a device.
    std::optional<RecountReport> inferenceRecount() const;
    /// P-value of each edge, from its information; none without a P.
    std::vector<double> pValues(const Network& network, Progress& progress) const;

  private:
    /// The method needs every value of every gene instead of information.
    bool needsValues() const { return isOfValues(options_.inference.method); }
    bool needsPaths() const { return options_.inference.method == NetworkMethod::Aracne; }
    Support supportsStage(Backend& backend) const;
    double unit() const { return perBit(options_.information.unit); }  ///< one bit, in the unit of the report

    NetworkOptions& options_;
    ExpressionView expression_;
    std::size_t genes_;
    Backend* backend_ = nullptr;
    std::optional<InferenceBackend> stageBackend_;
    std::unique_ptr<RecountedPaths> paths_;
    std::unique_ptr<RecountedSelection> selection_;
    SharedMoments moments_;
    std::optional<GapCorrection> correction_;
    std::unique_ptr<InformationNull> null_;
    std::string estimator_;
};

/// Null distribution from permuted genes; `isResampled`: from their bootstraps. Throws UsageError if P needs
/// an unreasonable number of pairs and the user did not say how many.
std::unique_ptr<InformationNull> permutedNull(Backend& backend, ExpressionView expression,
                                              const NetworkOptions& options, bool isResampled,
                                              Progress& progress);

}  // namespace glycine::mutualinfo
