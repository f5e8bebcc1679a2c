// Which backend recounts entropies of a device, and that wrong ones are found.
#include "app/crossapen/compute_subjects.hpp"
#include "engine/api/backends.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "tests/core/named_backend.hpp"
#include "tests/crossapen/crossapen_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

/// Recounts entropies of two channels in files of such lengths that `cpu` computed, as if a device had.
/// `falsify` changes one of each file.
RecountReport recountOf(const std::vector<std::size_t>& lengths, double falsify = 0) {
    registerBackends();
    const EntropyOptions options;
    HostBackend host("cpu", 2);
    Recount recount(test::NamedBackend("gl"), {}, "pair", "with reference and cpu");
    const std::vector<std::string> channels{"Cz", "Pz"};
    const std::string variant = "packed";
    for (const std::size_t samples : lengths) {
        const Matrix<double> signals = fixtures::makeSignals<double>(2, samples, fixtures::Kind::Smooth, 5);
        const std::vector<Signals> epochs{signals.view()};
        struct : EntropySink {
            void store(Range, std::span<const double> more) override {
                values.assign(more.begin(), more.end());
            }
            std::vector<double> values;
        } found;
        computeEntropies(host, epochs, options, found, silentProgress());
        found.values[1] += falsify;
        recountEntropies(recount, host,
                         {epochs, channels, [&](std::size_t) { return found.values.data(); },
                          [](std::size_t) { return "epoch 1"; }, variant},
                         options, silentProgress());
    }
    return *recount.report();
}

TEST(RecountEntropies, EpochsTooLongForTheReferenceAreRecountedByCpu) {
    const RecountReport shortOnes = recountOf({300}), longOnes = recountOf({4000}),
                        longest = recountOf({40'000});
    EXPECT_EQ(shortOnes.method, "with reference and cpu");
    EXPECT_EQ(shortOnes.elements, 4U);
    EXPECT_EQ(longOnes.method, "with cpu");
    EXPECT_EQ(longOnes.elements, 4U);
    for (const auto& both : {recountOf({300, 4000}), recountOf({4000, 300})}) {
        EXPECT_EQ(both.method, "with reference and cpu");
        EXPECT_EQ(both.elements, 8U);
    }
    EXPECT_EQ(longest.elements, 0U);
    EXPECT_THAT(longest.skipped, HasSubstr("one pair would take"));
}

TEST(RecountEntropies, WrongOnesAreFound) {
    for (const std::size_t samples : {300U, 4000U})
        EXPECT_THAT(messageOf<WrongResultError>([&] { recountOf({samples}, 1e-6); }),
                    AllOf(HasSubstr("of (Pz‖Cz) in epoch 1"), HasSubstr("packed")));
}

}  // namespace
}  // namespace glycine::crossapen
