// Positions of electrodes by name and from files, and their neighbours.
#include "engine/io/recordings/electrodes.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

using testing::Optional;

double apart(const char* a, const char* b) {
    const Position p = standardPosition(a).value(), q = standardPosition(b).value();
    return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

auto at(double x, double y, double z) {
    return Optional(ElementsAre(DoubleNear(x, 1e-12), DoubleNear(y, 1e-12), DoubleNear(z, 1e-12)));
}

TEST(Electrodes, LieWhereTheFivePercentSystemPutsThem) {
    const double sine = std::sin(0.4 * std::numbers::pi), cosine = std::cos(0.4 * std::numbers::pi);  // 72°
    EXPECT_THAT(standardPosition("Cz"), at(0, 0, 1));
    EXPECT_THAT(standardPosition("T8"), at(sine, 0, cosine));
    EXPECT_THAT(standardPosition("t3"), at(-sine, 0, cosine));
    EXPECT_THAT(standardPosition("Fpz"), at(0, sine, cosine));
    EXPECT_THAT(standardPosition("Nz"), at(0, 1, 0));
    EXPECT_THAT(standardPosition("Iz"), at(0, -1, 0));
    EXPECT_THAT(standardPosition("T9"), at(-1, 0, 0));
    EXPECT_THAT(standardPosition("C3"),
                at(-std::sin(0.2 * std::numbers::pi), 0, std::cos(0.2 * std::numbers::pi)));
    // Each step is ten per cent of the ring.
    for (const auto& [a, b] :
         {std::pair("Fpz", "Fp1"), {"Fp1", "AF7"}, {"AF7", "F7"}, {"F7", "FT7"}, {"P8", "PO8"}, {"O2", "Oz"}})
        EXPECT_NEAR(apart(a, b), apart("FT7", "T7"), 1e-12) << a;
    // Quarters of a row, and eighths between them, equal on both sides.
    EXPECT_NEAR(apart("Fz", "F3"), apart("F3", "F7"), 1e-12);
    EXPECT_NEAR(apart("AFz", "AF3"), apart("AF4", "AF8"), 1e-12);
    EXPECT_NEAR(apart("FCC3h", "FCC1"), apart("FCC3h", "FCC3"), 1e-12);
    EXPECT_NEAR(apart("FTT7h", "FCC5"), apart("FCC5", "FCC5h"), 1e-12);
    for (const char* name : {"PO3", "AFF5h", "CPP2", "POO10h", "TPP8h", "O1", "Fp2"}) {
        const Position place = standardPosition(name).value();
        EXPECT_NEAR(std::hypot(place[0], place[1], place[2]), 1, 1e-12) << name;
    }
    for (const char* name : {"", "z", "EOG", "F", "F11", "F0", "Xz", "MEG 0111", "Czh", "12", "h"})
        EXPECT_EQ(standardPosition(name), std::nullopt) << name;
}

TEST(Electrodes, NamesMeanTypes) {
    const auto types = [](const std::vector<std::string>& labels) { return signalTypes(labels); };
    EXPECT_THAT(types({"Fc5.", "Cz..", "Fz-M1", "FCC3h", "EOG1", "EKG", "emg2", "EOG left", "EEG x"}),
                ElementsAre("EEG", "EEG", "EEG", "EEG", "EOG", "ECG", "EMG", "EOG", "EEG"));
    EXPECT_THAT(types({"EOGs", "noise", "P300", "GSR1", ""}), Each(""));
    EXPECT_THAT(types({"C1", "C32", "P1"}), ElementsAre("", "", "EEG"));
}

TEST(Electrodes, DirectionsComeFromFilesOrNames) {
    const std::vector<std::string> names{"EEG Cz", "T8.", "Fpz-M1", "noise", "Oz"};
    std::vector<std::optional<Position>> positions(5);
    const auto named = headDirections(names, positions);
    EXPECT_THAT(named[0], at(0, 0, 1));
    EXPECT_TRUE(named[1] && named[2] && named[4]);
    EXPECT_FALSE(named[3]);
    // A sphere of 90 mm around (3, -2, 40).
    for (const std::size_t k : {0U, 1U, 2U, 4U}) {
        positions[k] = named[k];
        for (std::size_t axis = 0; axis < 3; ++axis)
            (*positions[k])[axis] = (*named[k])[axis] * 90 + Position{3, -2, 40}[axis];
    }
    positions[3] = Position{93, -2, 40};
    const auto told = headDirections(names, positions);
    for (const std::size_t k : {0U, 1U, 2U, 4U})
        EXPECT_THAT(told[k], at((*named[k])[0], (*named[k])[1], (*named[k])[2]));
    EXPECT_THAT(told[3], at(1, 0, 0));
}

TEST(Electrodes, NeighboursAreNear) {
    const std::vector<std::string> names{"Fp1", "Fp2", "F3", "F4", "C3", "C4", "O1", "O2", "EOG"};
    const auto neighbours =
        spatialNeighbours(headDirections(names, std::vector<std::optional<Position>>(names.size())));
    EXPECT_THAT(neighbours[0], Contains(1U));
    EXPECT_THAT(neighbours[0], Not(Contains(7U)));
    EXPECT_THAT(neighbours[6], ElementsAre(7U));
    EXPECT_TRUE(neighbours[8].empty());
    for (std::size_t k = 0; k < names.size(); ++k)
        for (const std::size_t other : neighbours[k]) EXPECT_THAT(neighbours[other], Contains(k));
}

}  // namespace
}  // namespace glycine::io
