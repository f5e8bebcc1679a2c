#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/implementation.hpp"
#include "engine/pairs/pair_run.hpp"
#include "engine/pairs/pair_store.hpp"

/// Indirect paths between genes, which the data-processing inequality asks for.
namespace glycine::mutualinfo {

/// Finds the strongest indirect path between the genes x and z of each pair: max over all mediators y of
/// min(I_xy, I_yz), y other than x and z; 0 without any. A product of matrices with (max, min) for (+, ·). No
/// rounding: all backends agree to the bit. Information that is missing (NaN) carries nothing, as 0 does.
/// Work: pairs × genes.
using PathRun = pairs::TileRun<double>;

/// One request.
struct PathRequest {
    const pairs::PairStore* information = nullptr;  ///< not negative, or NaN; outlives the run
    std::vector<char> mediators{};                  ///< a flag a gene; empty: all may be
    /// What the information `value` of a gene and a mediator is worth to paths: 0 for the gene itself, where
    /// it is missing, and for genes that are no mediators.
    double carried(std::size_t gene, std::size_t mediator, double value) const {
        const bool mayMediate = mediators.empty() || mediators[mediator] != 0;
        return gene != mediator && mayMediate && value > 0 ? value : 0;
    }
};

/// Information that paths are looked for in.
struct PathShape {
    std::size_t genes = 0;
    pairs::ValueType type = pairs::ValueType::Float64;  ///< that the store holds
};

/// What a backend implements.
class PathEngine {
  public:
    virtual ~PathEngine() = default;
    static constexpr std::string_view kAlgorithm = "network";
    static ImplementationList<PathEngine>& implementations();
    /// Whether start() takes information of this shape.
    virtual Support supports(const PathShape&) const { return Support::yes(); }
    /// Side of the tiles that suit this backend.
    virtual std::size_t preferredTile(std::size_t genes) const = 0;
    /// Throws UnavailableError for what is not supported.
    virtual std::unique_ptr<PathRun> start(const PathRequest& request) = 0;
};

using PathEngineEntry = Implementation<PathEngine>;
/// Whether `backend` can look for paths in information of this shape.
Support supportsPaths(Backend& backend, const PathShape& shape);

/// Who infers beside a backend: itself, or the processor where it does not take such information.
class InferenceBackend {
  public:
    /// `support`: what the backend says. Throws UnavailableError when the processor is asked and not
    /// available.
    InferenceBackend(Backend& backend, const Support& support);
    Backend& get() const { return *backend_; }
    /// Why the processor was taken; empty: it was not.
    const std::string& reason() const { return reason_; }

  private:
    std::unique_ptr<Backend> processor_;
    Backend* backend_;
    std::string reason_;
};

// One a backend; each is defined beside its implementation.
namespace reference {
PathEngineEntry pathEngine();
}
namespace cpu {
PathEngineEntry pathEngine();
}
namespace gl {
PathEngineEntry pathEngine();
}
namespace cuda {
PathEngineEntry pathEngine();
}

}  // namespace glycine::mutualinfo
