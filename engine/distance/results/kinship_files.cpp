#include "engine/distance/results/kinship_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/io/text/text_output.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::distance {

namespace fs = std::filesystem;

namespace {

std::string plinkNumber(double value) {
    char number[io::kNumberChars];
    return {number, writePlinkNumber(number, value)};
}

}  // namespace

void writeKinshipTable(const fs::path& path, const std::vector<KinshipPair>& pairs,
                       const ResultLabels& labels, bool hasFamilies) {
    hasFamilies = hasFamilies && std::ranges::any_of(labels.familyIds,
                                                     [](const auto& sample) { return sample.first != "0"; });
    storage::AtomicFile file(path);
    file.write(hasFamilies ? "#FID1\tIID1\tFID2\tIID2" : "#IID1\tIID2");
    file.write("\tNSNP\tHETHET\tIBS0\tKINSHIP\n");
    const auto sample = [&](std::size_t instance) {
        const auto& [family, individual] = labels.familyIds.at(instance);
        return hasFamilies ? family + '\t' + individual : individual;
    };
    for (const KinshipPair& pair : pairs) {
        const double inCommon = pair.inCommon;
        file.write(fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", sample(pair.row), sample(pair.column),
                               pair.inCommon, plinkNumber(pair.hetHet / inCommon),
                               plinkNumber(pair.ibs0 / inCommon), plinkNumber(pair.kinship())));
    }
    file.commit();
}

void writeRelatives(const fs::path& path, std::vector<KinshipPair> pairs, const ResultLabels& labels) {
    std::erase_if(pairs, [](const KinshipPair& pair) { return !std::isfinite(pair.kinship()); });
    std::ranges::stable_sort(pairs, std::greater(), &KinshipPair::kinship);
    const std::vector<std::string> names = pairs::namesWithout("\t\r\n", labels.names, path);
    storage::AtomicFile file(path);
    file.write("id1\tid2\tin_common\tibs0\tibs1\tibs2\thet_het\tkinship\tdegree\n");
    for (const KinshipPair& pair : pairs)
        file.write(fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.6g}\t{}\n", names.at(pair.column),
                               names.at(pair.row), pair.inCommon, pair.ibs0, pair.ibs1, pair.ibs2(),
                               pair.hetHet, pair.kinship(), toString(degreeOf(pair.kinship()))));
    file.commit();
}

}  // namespace glycine::distance
