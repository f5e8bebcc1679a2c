#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/implementation.hpp"
#include "engine/pairs/pair_run.hpp"
#include "engine/pairs/pair_store.hpp"

/// Indirect paths between genes, which the data-processing inequality needs.
namespace glycine::mutualinfo {

/// Finds the strongest indirect path between the genes x and z of each pair: max over all mediators y other
/// than x and z of min(I_xy, I_yz), or 0 without mediators. This is a matrix product with (max, min) instead
/// of (+, ·). There is no rounding: all backends agree to the bit. Missing information (NaN) counts as 0.
/// Work: pairs × genes.
using PathRun = pairs::TileRun<double>;

/// One request.
struct PathRequest {
    const pairs::PairStore* information = nullptr;  ///< not negative, or NaN; must outlive the run
    std::vector<char> mediators{};                  ///< flag per gene; empty: all genes
    /// The value of a gene's information with a mediator for paths: 0 for the gene itself, for missing
    /// values, and for genes that are not mediators.
    double pathWeight(std::size_t gene, std::size_t mediator, double value) const {
        const bool mayMediate = mediators.empty() || mediators[mediator] != 0;
        return gene != mediator && mayMediate && value > 0 ? value : 0;
    }
};

/// The part of a request that determines whether a backend supports it.
struct PathShape {
    std::size_t genes = 0;
    pairs::ValueType type = pairs::ValueType::Float64;  ///< in the store
};

/// The interface that each backend implements.
class PathEngine {
  public:
    virtual ~PathEngine() = default;
    static constexpr std::string_view kAlgorithm = "network";
    static ImplementationList<PathEngine>& implementations();
    /// Whether start() supports information of this shape.
    virtual Support supports(const PathShape&) const { return Support::yes(); }
    /// Side of the tiles that suit this backend.
    virtual std::size_t preferredTile(std::size_t genes) const = 0;
    /// Throws UnavailableError if the request is not supported.
    virtual std::unique_ptr<PathRun> start(const PathRequest& request) = 0;
};

/// Whether `backend` can search for paths in information of this shape.
Support supportsPaths(Backend& backend, const PathShape& shape);

/// The backend that infers: the given one, or the CPU if it does not support the information.
class InferenceBackend {
  public:
    /// `support`: the given backend's answer. Throws UnavailableError if the CPU is needed and not available.
    InferenceBackend(Backend& backend, const Support& support);
    Backend& get() const { return *backend_; }
    /// Why the CPU is used; empty if it is not.
    const std::string& reason() const { return reason_; }

  private:
    std::unique_ptr<Backend> processor_;
    Backend* backend_;
    std::string reason_;
};

// One per backend, each defined next to its implementation.
namespace reference {
Implementation<PathEngine> pathEngine();
}
namespace cpu {
Implementation<PathEngine> pathEngine();
}
namespace gl {
Implementation<PathEngine> pathEngine();
}
namespace cuda {
Implementation<PathEngine> pathEngine();
}

}  // namespace glycine::mutualinfo
