#include "tests/crossapen/signal_fixtures.hpp"

namespace glycine::crossapen {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(SignalFiles, AnnotationsMarkArtefacts) {
    const std::filesystem::path path = write("gaps.edf", gappedEdf());
    SignalOptions options = epochsOf(2);
    options.artefactAnnotations = {"bad*"};
    const SignalSet set = read(path, options);
    EXPECT_THAT(numbers(set), ElementsAre(1, 3, 4));
    ASSERT_EQ(set.skipped.size(), 1U);
    EXPECT_EQ(set.skipped[0].origin.number, 2U);
    EXPECT_EQ(set.skipped[0].reason, "annotation 'BAD blink' at 1.6 s");
    options.artefactAnnotations = {"blink"};
    EXPECT_THAT(numbers(read(path, options)), ElementsAre(1, 2, 3, 4));
}

class ArtefactLists : public SignalFiles {
  protected:
    /// Six epochs of one second, two samples each.
    SignalOptions listed(const std::string& list) const {
        SignalOptions options = epochsOf(2);
        options.artefacts = write("artefacts.csv", list);
        return options;
    }
    std::vector<std::size_t> left(const std::string& list) const {
        return numbers(read(edf({"EEG Fz"}), listed(list)));
    }
    std::string refused(const std::string& list) const { return refusal(edf({"EEG Fz"}), listed(list)); }
};

TEST_F(ArtefactLists, ByNumber) {
    EXPECT_THAT(left("epoch\n2\n5\n2\n"), ElementsAre(1, 3, 4, 6));
    SignalOptions options = listed("comment\tEpoch\neye\t1\n");
    options.maximumEpochs = 2;
    const SignalSet set = read(edf({"EEG Fz"}), options);
    EXPECT_THAT(numbers(set), ElementsAre(2, 3));
    EXPECT_EQ(set.skipped[0].reason, "artefact list, line 2");
}

TEST_F(ArtefactLists, ByTime) {
    EXPECT_THAT(left("onset;duration\n1.5;1\n"), ElementsAre(1, 4, 5, 6));
    EXPECT_THAT(left("onset,duration\n1,1\n"), ElementsAre(1, 3, 4, 5, 6));  // ends touch
    EXPECT_THAT(left("onset\n3\n"), ElementsAre(1, 2, 3, 5, 6));
    EXPECT_THAT(left("epoch,onset,duration\n1,,\n,4.5,\n,5.5,0.1\n"), ElementsAre(2, 3, 4));
    const SignalSet set = read(edf({"EEG Fz"}), listed("onset\n77\n"));
    EXPECT_THAT(set.notes, Contains(HasSubstr("line 2: 77 s lies behind the end of the recording at 6 s")));
}

TEST_F(ArtefactLists, ByFile) {
    EXPECT_THAT(
        left("file,epoch\ntest.edf,1\nother.edf,2\ntest,3\n" + (folder_ / "test.edf").string() + ",4\n"),
        ElementsAre(2, 5, 6));
    EXPECT_THAT(left("file,epoch\nother.edf,99\n"), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(ArtefactLists, Refusals) {
    EXPECT_THAT(refused("epoch\n7\n"), AllOf(HasSubstr("artefacts.csv: artefact list, line 2: epoch 7"),
                                             HasSubstr("test.edf has 6 epochs of 2 samples")));
    EXPECT_THAT(refused("epoch\n1\n0\n"), AllOf(HasSubstr("line 3"), HasSubstr("a whole number from 1")));
    EXPECT_THAT(refused("epoch\n1.5\n"), HasSubstr("line 2"));
    EXPECT_THAT(refused("epoch\nabc\n"), HasSubstr("'abc'"));
    EXPECT_THAT(refused("onset,duration\n-1,2\n"), HasSubstr("a time in seconds"));
    EXPECT_THAT(refused("onset,duration\n1,x\n"), HasSubstr("a duration in seconds"));
    EXPECT_THAT(refused("onset,epoch\n1,1\n"), HasSubstr("an epoch and an onset"));
    EXPECT_THAT(refused("file,epoch\ntest.edf,\n"), HasSubstr("neither an epoch nor an onset"));
    EXPECT_THAT(refused("file,epoch\n,1\n"), HasSubstr("no file"));
    EXPECT_THAT(refused("file,group\na,b\n"), HasSubstr("no column 'epoch' and no column 'onset'"));
    EXPECT_THAT(refused("epoch,EPOCH\n1,1\n"), HasSubstr("two columns are called"));
    EXPECT_THAT(refused("epoch,file\n1\n"), HasSubstr("line 2 has 1 fields; expected 2"));
    EXPECT_THAT(refused(""), HasSubstr("is empty"));
    EXPECT_THAT(refused("epoch\n"), HasSubstr("no rows"));
    EXPECT_THAT(refused("epoch\n1\n2\n3\n4\n5\n6\n"),
                HasSubstr("all 6 epochs are left out; the first: artefact list, line 2"));
}

}  // namespace
}  // namespace glycine::crossapen
