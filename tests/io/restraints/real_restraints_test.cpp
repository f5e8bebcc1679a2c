// Real files of every format. Expected counts are those of the files' own IDs, `assign` statements or lines,
// counted by text tools.
#include "engine/io/restraints/molecule_restraints.hpp"
#include "tests/needs.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

struct RealFile {
    const char* entry;  ///< its folder
    const char* name;
    RestraintFormat format;
    std::size_t distances, dihedrals;
};
void PrintTo(const RealFile& file, std::ostream* out) {
    *out << file.name;
}

class RealRestraints : public ::testing::TestWithParam<RealFile> {};

TEST_P(RealRestraints, AreAllRead) {
    const RealFile& real = GetParam();
    const std::string entry = std::string("bounds/") + real.entry;
    if (const std::string lack = test::lackOfData(entry); !lack.empty()) GTEST_SKIP() << lack;
    const std::filesystem::path folder = test::sharedData(entry);
    const std::vector<RestraintFile> files{readRestraintFile(folder / real.name)};
    EXPECT_EQ(files[0].format, real.format);
    EXPECT_EQ(files[0].distances.size(), real.distances);
    EXPECT_EQ(files[0].dihedrals.size(), real.dihedrals);
    EXPECT_THAT(files[0].notes, ::testing::IsEmpty());

    // Every atom is one of the molecule, which NEF defines.
    const std::string nef = std::string(real.entry).substr(0, 4) + ".nef.gz";
    const std::vector<RestraintFile> sequence{readRestraintFile(folder / nef)};
    MappingOptions options;
    if (real.format == RestraintFormat::CyanaUpl || real.format == RestraintFormat::CyanaAco)
        options.firstResidues = {{"B", 101}};
    RestraintCounts counts;
    const structure::RestraintSet set = mapToMolecule(files, readMolecule("", "", sequence), options, counts);
    EXPECT_EQ(counts.distances, real.distances);
    EXPECT_EQ(counts.dihedrals, real.dihedrals);
    EXPECT_THAT(counts.skipped, ::testing::IsEmpty());
    EXPECT_EQ(set.distances.size(), real.distances);
    EXPECT_EQ(set.dihedrals.size(), real.dihedrals);
}

using enum RestraintFormat;
INSTANTIATE_TEST_SUITE_P(Files, RealRestraints,
                         ::testing::Values(RealFile{"1pqx", "1pqx.nef.gz", Nef, 1544, 178},
                                           RealFile{"1pqx", "1pqx_mr_nmrstar3.str.gz", NmrStar, 1544, 179},
                                           RealFile{"1pqx", "1pqx_aria_distances_cns.tbl.gz", Xplor, 1544, 0},
                                           RealFile{"1pqx", "1pqx_xplornih_distance.tbl.gz", Xplor, 1544, 0},
                                           RealFile{"1pqx", "1pqx_xplornih_dihedral.tbl.gz", Xplor, 0, 178},
                                           RealFile{"2kpu", "2kpu.nef.gz", Nef, 841, 66},
                                           RealFile{"2kpu", "2kpu_aria_distances_cns.tbl.gz", Xplor, 841, 0},
                                           RealFile{"2kpu", "2kpu_xplornih_distance.tbl.gz", Xplor, 841, 0},
                                           RealFile{"2kpu", "2kpu_xplornih_dihedral.tbl.gz", Xplor, 0, 66},
                                           RealFile{"2ko1_cyana", "2ko1.nef.gz", Nef, 5263, 232},
                                           RealFile{"2ko1_cyana", "2ko1_all.upl.gz", CyanaUpl, 5263, 0},
                                           RealFile{"2ko1_cyana", "2ko1.aco.gz", CyanaAco, 0, 232}),
                         [](const auto& one) {
                             std::string name = one.param.name;
                             std::replace(name.begin(), name.end(), '.', '_');
                             return name;
                         });

}  // namespace
}  // namespace glycine::io
