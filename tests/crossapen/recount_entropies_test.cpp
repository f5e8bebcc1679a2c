// Which backend recounts entropies of a device, and that wrong ones are found.
#include "app/crossapen/compute_subjects.hpp"
#include "engine/api/backends.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "tests/core/named_backend.hpp"
#include "tests/crossapen/crossapen_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

/// Recounts entropies of two channels that `cpu` computed, as if a device had. `falsify` changes one of them.
RecountReport recountOf(std::size_t samples, double falsify = 0) {
    registerBackends();
    const EntropyOptions options;
    const Matrix<double> signals = fixtures::makeSignals<double>(2, samples, fixtures::Kind::Smooth, 5);
    const std::vector<Signals> epochs{signals.view()};
    HostBackend host("cpu", 2);
    struct : EntropySink {
        void store(Range, std::span<const double> more) override { values.assign(more.begin(), more.end()); }
        std::vector<double> values;
    } found;
    computeEntropies(host, epochs, options, found, silentProgress());
    found.values[1] += falsify;
    Recount recount(test::NamedBackend("gl"), {}, "pair", "with reference and cpu");
    const std::vector<std::string> channels{"Cz", "Pz"};
    const std::string variant = "packed";
    recountEntropies(recount, host,
                     {epochs, channels, [&](std::size_t) { return found.values.data(); },
                      [](std::size_t) { return "epoch 1"; }, variant},
                     options, silentProgress());
    return *recount.report();
}

TEST(RecountEntropies, EpochsTooLongForTheReferenceAreRecountedByCpu) {
    const RecountReport shortOnes = recountOf(300), longOnes = recountOf(4000), longest = recountOf(40'000);
    EXPECT_EQ(shortOnes.method, "with reference and cpu");
    EXPECT_EQ(shortOnes.elements, 4U);
    EXPECT_EQ(longOnes.method, "with cpu");
    EXPECT_EQ(longOnes.elements, 4U);
    EXPECT_EQ(longest.elements, 0U);
    EXPECT_THAT(longest.skipped, HasSubstr("one pair would take"));
}

TEST(RecountEntropies, WrongOnesAreFound) {
    for (const std::size_t samples : {300U, 4000U})
        EXPECT_THAT(messageOf<WrongResultError>([&] { recountOf(samples, 1e-6); }),
                    AllOf(HasSubstr("of (Pz‖Cz) in epoch 1"), HasSubstr("packed")));
}

}  // namespace
}  // namespace glycine::crossapen
