// Counts of `glycine plan`.
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine::test {
namespace {

class Plan : public ProgramTest {
  protected:
    nlohmann::json plan(const std::string& arguments) const {
        return succeed(argumentsOf("plan " + arguments + " --rate 1 --json")).json();
    }
};

// By hand: tiles of two genes, of which that off the diagonal is cut in four. The first machine gets genes 0
// and 1, 2 and 1, 3 and 1; the second 2 and 0, 3 and 0, 2 and 3. It reads half of the values of gene 1 to
// check them.
TEST_F(Plan, MachinesReadWhatTheirTilesNeed) {
    const nlohmann::json shared = plan("mutualinfo --size 4x10 --machines 2 --tile 2");
    EXPECT_EQ(shared["inputBytes"], 4 * 10 * 4);
    EXPECT_EQ(shared["tiles"], 6);
    EXPECT_EQ(shared["readBytes"], 4 * 10 * 4 + 3 * 10 * 4 + 20);
    EXPECT_DOUBLE_EQ(shared["readSeconds"].get<double>(), shared["readBytes"].get<double>() / 2e9);
    EXPECT_EQ(plan("mutualinfo --size 4x10 --tile 2")["readBytes"], 4 * 10 * 4);
    // Two devices of one machine read together.
    EXPECT_EQ(plan("mutualinfo --size 4x10 --devices 2 --tile 2")["readBytes"], 4 * 10 * 4);
    EXPECT_EQ(plan("pairwise --size 4x10 --machines 2 --tile 2")["readBytes"], 2 * 4 * 10);
    EXPECT_EQ(plan("bounds --size 100 --machines 2")["readBytes"], plan("bounds --size 100")["inputBytes"]);
}

TEST_F(Plan, GenotypesAreReadInPages) {
    // All samples of a variant lie in one page.
    EXPECT_EQ(plan("distance --size 16000x100 --machines 4")["readBytes"], 4. * 16000 * 100 / 4);
    const nlohmann::json many = plan("distance --size 2000000x100 --machines 400");
    const double input = many["inputBytes"].get<double>();
    EXPECT_GT(many["readBytes"].get<double>(), 10 * input);
    EXPECT_LT(many["readBytes"].get<double>(), 200 * input) << "of 400 if each machine reads all";
    EXPECT_THAT(succeed("plan distance --size 16000x100 --machines 4 --rate 1"_args).out,
                HasSubstr("1.5 MiB by all machines, 4.00 times the input"));
}

}  // namespace
}  // namespace glycine::test
