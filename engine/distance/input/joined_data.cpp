#include "engine/distance/input/joined_data.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <iterator>

#include "engine/core/cancellation.hpp"
#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/text.hpp"
#include "engine/io/sequences/plink_files.hpp"
#include "engine/io/text/byte_source.hpp"

namespace glycine::distance {

namespace {

/// The instances of one source, followed by those of another.
class JoinedSource final : public DiscreteSource {
  public:
    JoinedSource(std::unique_ptr<DiscreteSource> first, std::unique_ptr<DiscreteSource> second)
        : first_(std::move(first)), second_(std::move(second)), shape_(first_->shape()) {
        shape_.instances += second_->shape().instances;
        shape_.hasMissing = shape_.hasMissing || second_->shape().hasMissing;
    }
    const DiscreteShape& shape() const override { return shape_; }
    PlaneBlock readPlanes(Range instances, Range attributes) const override {
        PlaneBlock block(instances.size(), shape_.storedPlanes(), attributes.size());
        const std::size_t border = first_->shape().instances;
        const Range ofFirst{std::min(instances.begin, border), std::min(instances.end, border)};
        const Range ofSecond{std::max(instances.begin, border) - border,
                             std::max(instances.end, border) - border};
        copy(*first_, ofFirst, attributes, 0, block);
        copy(*second_, ofSecond, attributes, ofFirst.size(), block);
        return block;
    }

  private:
    void copy(const DiscreteSource& source, Range instances, Range attributes, std::size_t to,
              PlaneBlock& block) const {
        if (instances.size() == 0) return;
        const PlaneBlock part = source.readPlanes(instances, attributes);
        const std::size_t words = (attributes.size() + 63) / 64;
        const std::size_t tail = attributes.size() % 64;
        for (std::size_t i = 0; i < instances.size(); ++i) {
            for (unsigned p = 0; p < source.shape().storedPlanes(); ++p)
                std::copy_n(part.plane(i, p), words, block.plane(to + i, p));
            if (!shape_.hasMissing || source.shape().hasMissing) continue;
            std::fill_n(block.plane(to + i, shape_.planes), words, ~std::uint64_t{0});
            if (tail > 0) block.plane(to + i, shape_.planes)[words - 1] = (std::uint64_t{1} << tail) - 1;
        }
    }

    std::unique_ptr<DiscreteSource> first_, second_;
    DiscreteShape shape_;
};

std::vector<io::PlinkVariant> variantsOf(const std::filesystem::path& path) {
    const std::filesystem::path bim = io::plinkPaths(path).bim;
    std::vector<io::PlinkVariant> variants;
    io::parseBim(io::readText(bim), bim.string(),
                 [&](std::size_t, const io::PlinkVariant& variant) { variants.push_back(variant); });
    return variants;
}

void requireSameVariants(const std::filesystem::path& path, const std::filesystem::path& other) {
    const std::vector<io::PlinkVariant> ones = variantsOf(path), others = variantsOf(other);
    for (std::size_t k = 0; k < std::min(ones.size(), others.size()); ++k) {
        const io::PlinkVariant &a = ones[k], &b = others[k];
        if (a.id != b.id || a.allele1 != b.allele1 || a.allele2 != b.allele2)
            throw InputError(
                fmt::format("variant {} is {} ({}/{}) in {} and {} ({}/{}) in {}; expected the same "
                            "variants, alleles and "
                            "order. Bring both to one list first: plink2 --extract, --ref-allele",
                            k + 1, excerpt(a.id), excerpt(a.allele1), excerpt(a.allele2), path.string(),
                            excerpt(b.id), excerpt(b.allele1), excerpt(b.allele2), other.string()));
    }
}

template <class Number>
Matrix<Number> joined(CoordinateView first, CoordinateView second) {
    Matrix<Number> all(first.rows() + second.rows(), first.columns());
    const auto copy = [&all](CoordinateView part, std::size_t to) {
        part.visit([&](const auto& numbers) {
            parallelFor(omp_get_max_threads(), numbers.rows(), [&](std::size_t i, std::size_t) {
                throwIfCancellationRequested();
                std::copy_n(numbers.row(i), numbers.columns(), all.row(to + i));
            });
        });
    };
    copy(first, 0);
    copy(second, first.rows());
    return all;
}

}  // namespace

std::unique_ptr<DiscreteSource> joinSources(std::unique_ptr<DiscreteSource> first,
                                            std::unique_ptr<DiscreteSource> second) {
    return std::make_unique<JoinedSource>(std::move(first), std::move(second));
}

CoordinateMatrix joinRows(CoordinateView first, CoordinateView second) {
    if (first.precision() == Precision::Float32 && second.precision() == Precision::Float32)
        return joined<float>(first, second);
    return joined<double>(first, second);
}

std::size_t putReferencesBefore(DataSet& data, const std::filesystem::path& path, DataSet references,
                                const std::filesystem::path& referencePath) {
    const std::string_view family = inputFamily(path).name;
    const std::size_t count = references.view().instances();
    if (family == "calls" || inputFamily(referencePath).name == "calls")
        throw UsageError(
            "--against compares .bed sets, alignments, tables and arrays; make .bed sets of VCF files "
            "first: plink2 --vcf IN --make-bed");
    if (data.kind != references.kind)
        throw InputError(fmt::format("{} holds {}, {} holds {}; expected the same (--data names it)",
                                     path.string(), toString(data.kind), referencePath.string(),
                                     toString(references.kind)));
    if (family == "plink" && inputFamily(referencePath).name == "plink")
        requireSameVariants(path, referencePath);
    if (data.view().attributes() != references.view().attributes())
        throw InputError(fmt::format("{} has {} attributes, {} has {}; expected as many", path.string(),
                                     data.view().attributes(), referencePath.string(),
                                     references.view().attributes()));
    if (data.view().isCoordinates()) {
        data.coordinates = joinRows(references.view().coordinates, data.view().coordinates);
        data.inFile.reset();
    } else {
        if (data.discrete->shape().planes != references.discrete->shape().planes)
            throw InputError(fmt::format("{} and {} have different letters as symbols; expected the same",
                                         path.string(), referencePath.string()));
        data.discrete = joinSources(std::move(references.discrete), std::move(data.discrete));
    }
    const auto join = [](auto& first, auto& second) {
        std::move(second.begin(), second.end(), std::back_inserter(first));
        second = std::move(first);
    };
    if (data.founders.empty() != references.founders.empty()) {
        data.founders.clear();
        references.founders.clear();
    }
    join(references.names, data.names);
    join(references.familyIds, data.familyIds);
    join(references.founders, data.founders);
    data.notes.push_back("against " + references.description);
    return count;
}

}  // namespace glycine::distance
