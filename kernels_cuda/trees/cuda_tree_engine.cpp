#include "kernels_cuda/trees/cuda_tree_engine.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "engine/core/variant_table.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "kernels_cuda/trees/tree_kernels.hpp"

namespace glycine::trees::cuda {

namespace {

using glycine::cuda::CudaBackend;
using glycine::cuda::DeviceBuffer;
using glycine::cuda::JoiningTable;
using glycine::cuda::LinkageTable;

std::size_t pairsOf(std::size_t places) {
    return places * (places - 1) / 2;
}

/// Memory of a JoiningTable, for up to `most` places.
class JoiningMemory {
  public:
    JoiningMemory(const CudaBackend& backend, std::size_t most, bool isClustal)
        : distances_(backend.memory(), pairsOf(most)),
          numbers_(backend.memory(), (isClustal ? 4 : 2) * most),
          isPresent_(backend.memory(), most),
          choices_(onDevice(backend, std::vector<RowChoice>(most))),
          totals_(backend.memory(), 2),
          isClustal_(isClustal),
          most_(most) {}
    static std::size_t bytesOf(std::size_t most) {
        return pairsOf(most) * sizeof(double) + most * (4 * sizeof(double) + 1 + sizeof(RowChoice)) +
               2 * sizeof(double);
    }
    JoiningTable tableOf(std::size_t places) const {
        double* const numbers = numbers_.data();
        return {distances_.data(),
                numbers,
                isClustal_ ? numbers + 2 * most_ : nullptr,
                isClustal_ ? numbers + 3 * most_ : nullptr,
                isPresent_.data(),
                totals_.data(),
                numbers + most_,
                choices_.data(),
                static_cast<std::uint32_t>(places)};
    }

  private:
    DeviceBuffer<double> distances_, numbers_;
    DeviceBuffer<std::uint8_t> isPresent_;
    DeviceBuffer<RowChoice> choices_;
    DeviceBuffer<double> totals_;
    bool isClustal_;
    std::size_t most_;
};

class RoundsOnDevice final : public JoiningRounds {
  public:
    RoundsOnDevice(CudaBackend& backend, std::span<const double> distances, const JoiningSums& sums)
        : backend_(backend),
          isClustal_(!sums.behind.empty()),
          left_(sums.all.size()),
          memory_{JoiningMemory(backend, left_, isClustal_),
                  JoiningMemory(backend, mostAfterCompaction(left_), isClustal_)},
          table_(memory_[0].tableOf(left_)),
          kept_(backend.memory(), left_),
          least_(onDevice(backend, std::vector<unsigned long long>(left_, glycine::cuda::kLargestOrdered))),
          found_(backend.memory(), left_) {
        copyToDevice(backend_, distances.data(), distances.size(), table_.distances);
        copyToDevice(backend_, sums.all.data(), left_, table_.sums);
        if (isClustal_) {
            copyToDevice(backend_, sums.behind.data(), left_, table_.behind);
            copyToDevice(backend_, sums.before.data(), left_, table_.before);
        }
        const std::vector<std::uint8_t> present(left_, 1);
        copyToDevice(backend_, present.data(), left_, table_.isPresent);
        const double totals[2] = {sums.total, 0};
        copyToDevice(backend_, totals, 2, table_.totals);
    }
    static std::size_t bytesOf(std::size_t instances) {
        return JoiningMemory::bytesOf(instances) + JoiningMemory::bytesOf(mostAfterCompaction(instances)) +
               instances * (sizeof(unsigned long long) + sizeof(JoinedPair) + sizeof(std::uint32_t));
    }

    void join(std::span<JoinedPair> found) override {
        backend_.makeCurrent();
        for (std::size_t k = 0; k < found.size(); ++k) {
            searchNext();
            launchJoiningUpdate(launch(), table_, found_.data() + k);
            --left_;
            ++round_;
        }
        stream_.synchronize();
        copyToHost(backend_, found_.data(), found.size(), found.data());
    }

    void compact(std::span<const std::uint32_t> places) override {
        backend_.makeCurrent();
        const std::size_t other = 1 - now_;
        const JoiningTable next = memory_[other].tableOf(places.size());
        copyToDevice(backend_, places.data(), places.size(), kept_.data());
        const double totals[2] = {totalsNow()[0], 0};
        copyToDevice(backend_, totals, 2, next.totals);
        glycine::cuda::launchJoiningCompaction(launch(), table_, kept_.data(), next);
        stream_.synchronize();
        table_ = next;
        now_ = other;
    }

    JoiningSearch search() override {
        backend_.makeCurrent();
        searchNext();
        stream_.synchronize();
        const JoiningTable& table = table_;
        const std::size_t places = table.places;
        JoiningSearch result;
        const std::vector<double> totals = totalsNow();
        result.sums = {read(table.sums, places), totals[0], {}, {}};
        if (isClustal_) {
            result.sums.behind = read(table.behind, places);
            result.sums.before = read(table.before, places);
        }
        result.clustalTotal = totals[1];
        const unsigned long long least = read(least_.data() + round_, 1).front();
        result.least = std::bit_cast<double>(glycine::cuda::bitsOfOrdered(least));
        result.ofRows = read(table.leastOfRows, places);
        result.choices = read(table.choices, places);
        return result;
    }

    std::vector<double> row(std::size_t place) override {
        backend_.makeCurrent();
        return place == 0 ? std::vector<double>() : read(table_.distances + pairsOf(place), place);
    }

  private:
    /// Places are compacted when fewer than three quarters hold clusters.
    static std::size_t mostAfterCompaction(std::size_t instances) { return instances * 3 / 4 + 1; }
    glycine::cuda::Launch launch() const { return {stream_.handle(), backend_.multiprocessors()}; }
    /// A search that is made again finds the same.
    void searchNext() {
        const auto left = static_cast<std::uint32_t>(left_);
        unsigned long long* const least = least_.data() + round_;
        glycine::cuda::launchJoiningSearch(launch(), table_, left, least);
        glycine::cuda::launchJoiningChoices(launch(), table_, left, least);
    }
    std::vector<double> totalsNow() const { return read(table_.totals, 2); }
    template <class T>
    std::vector<T> read(const T* from, std::size_t size) const {
        std::vector<T> values(size);
        copyToHost(backend_, from, size, values.data());
        return values;
    }

    CudaBackend& backend_;
    bool isClustal_;
    std::size_t left_, round_ = 0;
    JoiningMemory memory_[2];
    std::size_t now_ = 0;  ///< whose memory the table is
    JoiningTable table_;
    DeviceBuffer<std::uint32_t> kept_;
    DeviceBuffer<unsigned long long> least_;  ///< the smallest criterion of each round, ordered
    DeviceBuffer<JoinedPair> found_;
    glycine::cuda::Stream stream_;
};

template <class T>
class MergesOnDevice final : public LinkageMerges {
  public:
    MergesOnDevice(CudaBackend& backend, std::size_t instances, std::span<const T> distances)
        : backend_(backend),
          distances_(backend.memory(), instances * instances),
          isPresent_(backend.memory(), instances),
          sizes_(backend.memory(), instances),
          chain_(backend.memory(), instances + 1),
          found_(backend.memory(), instances),
          table_{distances_.data(), isPresent_.data(), sizes_.data(),
                 chain_.data() + 1, chain_.data(),     static_cast<std::uint32_t>(instances)} {
        const DeviceBuffer<T> packed(backend.memory(), distances.size());
        copyToDevice(backend_, distances.data(), distances.size(), packed.data());
        glycine::cuda::launchLinkageSquare(launch(), packed.data(), table_);
        stream_.synchronize();
    }
    static std::size_t bytesOf(std::size_t instances) {
        return (instances * instances + pairsOf(instances)) * sizeof(T) +
               instances * (1 + 2 * sizeof(std::uint32_t) + sizeof(MergedPair)) + sizeof(std::uint32_t);
    }

    void merge(std::span<MergedPair> found) override {
        backend_.makeCurrent();
        // Two equal names: a merge that was not made.
        const std::vector<MergedPair> none(found.size());
        copyToDevice(backend_, none.data(), none.size(), found_.data());
        glycine::cuda::launchLinkageMerges(launch(), table_, static_cast<std::uint32_t>(found.size()),
                                           found_.data());
        stream_.synchronize();
        copyToHost(backend_, found_.data(), found.size(), found.data());
    }

  private:
    glycine::cuda::Launch launch() const { return {stream_.handle(), backend_.multiprocessors()}; }

    CudaBackend& backend_;
    DeviceBuffer<T> distances_;
    DeviceBuffer<std::uint8_t> isPresent_;
    DeviceBuffer<std::uint32_t> sizes_, chain_;
    DeviceBuffer<MergedPair> found_;
    LinkageTable<T> table_;
    glycine::cuda::Stream stream_;
};

class CudaTrees final : public TreeEngine {
  public:
    CudaTrees(CudaBackend& backend, const TreeSettings& settings) : backend_(backend), settings_(settings) {}

    std::size_t leastInstances(TreeMethod method) const override { return settings_.leastFor(method); }
    std::unique_ptr<JoiningRounds> startJoining(std::span<const double> distances,
                                                const JoiningSums& sums) override {
        return hasRoom(sums.all.size(), RoundsOnDevice::bytesOf)
                   ? std::make_unique<RoundsOnDevice>(backend_, distances, sums)
                   : nullptr;
    }
    std::unique_ptr<LinkageMerges> startLinkage(std::size_t instances,
                                                std::span<const float> distances) override {
        return startLinkageOf(instances, distances);
    }
    std::unique_ptr<LinkageMerges> startLinkage(std::size_t instances,
                                                std::span<const double> distances) override {
        return startLinkageOf(instances, distances);
    }

  private:
    bool hasRoom(std::size_t instances, std::size_t (*bytesOf)(std::size_t)) const {
        backend_.makeCurrent();
        // Posteriors that an alignment keeps on the device need room, too.
        return instances < glycine::cuda::kNoRowChoice && bytesOf(instances) <= backend_.memory().available();
    }
    template <class T>
    std::unique_ptr<LinkageMerges> startLinkageOf(std::size_t instances, std::span<const T> distances) const {
        return hasRoom(instances, MergesOnDevice<T>::bytesOf)
                   ? std::make_unique<MergesOnDevice<T>>(backend_, instances, distances)
                   : nullptr;
    }

    CudaBackend& backend_;
    TreeSettings settings_;
};

}  // namespace

std::unique_ptr<TreeEngine> createTreeEngine(CudaBackend& backend, const TreeSettings& settings) {
    return std::make_unique<CudaTrees>(backend, settings);
}

Implementation<TreeEngine> treeEngine() {
    return {"cuda",
            {{.backend = "cuda",
              .name = "exhaustive",
              .summary = "each round of neighbour joining searches all pairs in parallel; the "
                         "nearest-neighbour chain of average linkage in a block",
              .source = "Khaladkar 2009, 7.2",
              .numberFormats = {"float64"},
              .dialects = {},
              .isDefault = true}},
            [](Backend& backend) { return createTreeEngine(backendAs<CudaBackend>(backend)); }};
}

}  // namespace glycine::trees::cuda
