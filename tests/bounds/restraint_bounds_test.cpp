#include "engine/bounds/input/restraint_bounds.hpp"

#include "engine/bounds/number_format.hpp"

#include "tests/bounds/bounds_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::bounds {
namespace {

RestraintBounds read(const std::string& name, const std::string& text, const std::string& fasta = "") {
    const test::TemporaryFolder folder;
    std::ofstream(folder / name) << text;
    RestraintBoundsOptions options;
    options.format = NumberFormat::Float64;
    if (!fasta.empty()) {
        std::ofstream(folder / "a.fa") << fasta;
        options.sequence = (folder / "a.fa").string();
    }
    const std::vector<std::filesystem::path> files{folder / name};
    return boundsFromRestraints(files, options);
}

struct Limits {
    double lower = 0, upper = 0;
};
Limits between(RestraintBounds& read, const std::string& a, const std::string& b) {
    const auto place = [&](const std::string& name) {
        const auto& names = read.set.atomNames;
        return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    const auto& bounds = std::get<OwnedBounds<double>>(read.set.bounds);
    return {bounds.lower(place(a), place(b)), bounds.upper(place(a), place(b))};
}

TEST(RestraintBounds, TablesNeedNoMolecule) {
    RestraintBounds table = read("a.bounds", "1 2 1 2\n2 4 0.5 inf\n2 1 1.5 3\n");
    EXPECT_FALSE(table.report);
    const auto& bounds = std::get<OwnedBounds<double>>(table.set.bounds);
    ASSERT_EQ(bounds.upper.rows(), 4U);
    EXPECT_EQ(bounds.upper(1, 0), 2);
    EXPECT_EQ(bounds.lower(0, 1), 1.5);
    EXPECT_EQ(bounds.lower(3, 1), 0.5);
    EXPECT_TRUE(isUnknownUpper(bounds.upper(0, 3)));
    EXPECT_EQ(table.set.knownPairs, 1U);
}

TEST(RestraintBounds, OfPairsGroupsAndCovalentGeometry) {
    RestraintBounds some =
        read("a.upl", "1 ALA HA 4 ALA HA 5\n1 ALA QB 4 ALA H 4\n2 GLY CA 3 GLY N 9\n", ">A\nAGGA\n");
    ASSERT_TRUE(some.report);
    EXPECT_EQ(some.report->bounded, 3U);
    EXPECT_EQ(some.report->groups, 1U);
    EXPECT_EQ(between(some, "A/ALA1/HA", "A/ALA4/HA").upper, 5);
    // Three pairs: 4 Å · 3^(1/6), and the methyl's hydrogens are some 1.8 Å apart.
    const double group = between(some, "A/ALA1/HB1", "A/ALA4/H").upper;
    EXPECT_GT(group, 4 * std::pow(3, 1.0 / 6) + 1.7);
    EXPECT_LT(group, 4 * std::pow(3, 1.0 / 6) + 1.9);
    EXPECT_TRUE(isUnknownUpper(between(some, "A/ALA1/CA", "A/ALA4/CA").upper));
    // The bounds from bonds are tighter than 9 Å.
    EXPECT_LT(between(some, "A/GLY2/CA", "A/GLY3/N").upper, 2.6);
    const Limits bond = between(some, "A/GLY2/C", "A/GLY3/N");
    EXPECT_NEAR(bond.lower, 1.32, 0.03);
    EXPECT_NEAR(bond.upper - bond.lower, 0.02, 1e-6);
}

TEST(RestraintBounds, SayWhereTheyComeFrom) {
    RestraintBounds some =
        read("a.tbl", "! a comment\nassign (resid 1 and name HA)(resid 4 and name HA) 5 2 0\n", ">A\nAGGA\n");
    const auto& names = some.set.atomNames;
    const auto place = [&](const std::string& name) {
        return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    const std::size_t i = place("A/ALA1/HA"), j = place("A/ALA4/HA");
    EXPECT_EQ(some.report->sources.describe(j, i, true), "restraint 1, line 2");
    EXPECT_EQ(some.report->sources.describe(i, j, false), "restraint 1, line 2");
    EXPECT_EQ(some.report->sources.describe(0, 1, true), "covalent geometry");
}

// Geometry alone contradicts nothing, so that contradictions are the restraints'.
TEST(RestraintBounds, GeometryIsConsistent) {
    std::vector<structure::ResidueName> names = structure::residuesOf("MARNDCQEGHILKPMFPSTWYVCP");
    names[13].cisPeptide = names[2].cisPeptide = true;
    const structure::Molecule molecule(names, {{5, 22}});
    RestraintBoundsOptions options;
    options.format = NumberFormat::Float64;
    RestraintBounds made = boundsOfMolecule(molecule, {}, options);
    SmoothingOptions how;
    how.tolerance = 1e-9;
    HostBackend backend("reference", 1);
    const SmoothingReport report = smooth(backend, made.set.matrices(), how, silentProgress());
    EXPECT_EQ(report.violationCount, 0U);
    EXPECT_FALSE(made.report->sources.isStated(0, 1, true));
}

TEST(RestraintBounds, TorsionAnglesBoundTheirOuterAtoms) {
    RestraintBounds cis = read("a.aco", "2 GLY PHI -20 20\n", ">A\nAGGA\n");
    RestraintBounds trans = read("a.aco", "2 GLY PHI 160 200\n", ">A\nAGGA\n");
    EXPECT_LT(between(cis, "A/ALA1/C", "A/GLY2/C").upper, between(trans, "A/ALA1/C", "A/GLY2/C").lower);
}

}  // namespace
}  // namespace glycine::bounds
