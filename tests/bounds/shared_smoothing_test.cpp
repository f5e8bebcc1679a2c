// Several workers of a process that share the blocks of a matrix, here on the processor. Processes:
// tests/app/mpi_test.cpp; devices: tests/bounds/cuda_smoothing_test.cpp.
#include "engine/bounds/shared_smoothing.hpp"
#include "app/bounds/recount_bounds.hpp"
#include "engine/bounds/cpu/cpu_blocks.hpp"
#include "engine/bounds/input/run_input.hpp"
#include "engine/bounds/tightening.hpp"
#include "engine/bounds/worker_rates.hpp"
#include "tests/bounds/bounds_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::bounds {
namespace {

template <class T>
bool haveSameBits(const FilledBounds<T>& a, const FilledBounds<T>& b) {
    const std::size_t bytes = a.upper.size() * sizeof(T);
    return std::memcmp(a.upper.data(), b.upper.data(), bytes) == 0 &&
           std::memcmp(a.lower.data(), b.lower.data(), bytes) == 0;
}

std::unique_ptr<HostBackend> crewOf(std::size_t workers) {
    auto backend = std::make_unique<HostBackend>("cpu", 2);
    std::vector<int> devices(workers);
    backend->setCrew({devices, [](int) { return std::make_unique<HostBackend>("cpu", 1); }});
    return backend;
}

/// A crew whose devices are simulated by host backends, plus the host itself.
std::unique_ptr<HostBackend> crewWithHost(std::size_t devices) {
    auto backend = std::make_unique<HostBackend>("cpu", 2);
    std::vector<int> members(devices);
    members.push_back(DeviceCrew::kHost);
    backend->setCrew({members, [](int) { return std::make_unique<HostBackend>("cpu", 1); }});
    return backend;
}

/// Rates of devices and the processor while the object lives.
struct Rates {
    Rates(double device, double host) { pretendRates(device, host); }
    ~Rates() { pretendRates(0, 0); }
};

template <class T>
class SharedSmoothing : public testing::Test {};
using Formats = testing::Types<float, double, std::int32_t>;
TYPED_TEST_SUITE(SharedSmoothing, Formats);

TYPED_TEST(SharedSmoothing, HasTheBitsOfOneWorker) {
    for (const Kind kind : kAllKinds)
        for (const std::size_t n : {1, 63, 65, 200, 333, 1100}) {
            if (n > 400 && kind != Kind::Unknown) continue;
            const FilledBounds<TypeParam> input = makeBounds<TypeParam>(n, kind);
            FilledBounds<TypeParam> alone(input);
            HostBackend cpu("cpu", 2);
            const SmoothingReport one = smoothWith(cpu, alone, Variant::Dense);
            EXPECT_FALSE(one.shared);
            for (const std::size_t workers : {2, 4, 6}) {
                if (n > 400 && workers != 4) continue;
                SCOPED_TRACE(testing::Message() << kind << ", " << n << " atoms, " << workers << " workers");
                FilledBounds<TypeParam> shared(input);
                const SmoothingReport report = smoothWith(*crewOf(workers), shared, Variant::Dense);
                EXPECT_TRUE(haveSameBits(alone, shared));
                EXPECT_EQ(report.violationCount, one.violationCount);
                ASSERT_TRUE(report.shared);
                EXPECT_EQ(report.shared->workers, workers);
                EXPECT_EQ(report.shared->exchangedBytes, report.shared->expectedBytes);
            }
        }
}

TYPED_TEST(SharedSmoothing, HasTheBitsOfOneWorkerWithWorkersOfUnequalRate) {
    const struct {
        std::size_t atoms, devices;
        double device, host;
    } cases[] = {{1, 1, 2, 1},     {65, 1, 1, 1},  {333, 1, 4, 1},   {333, 1, 1, 4},
                 {333, 1, 1, 1},   {333, 2, 3, 1}, {333, 3, 1, 9},   {333, 1, 900, 1},
                 {333, 1, 1, 900}, {700, 2, 2, 1}, {1100, 1, 12, 1}, {1100, 1, 1, 12}};
    for (const Kind kind : kAllKinds)
        for (const auto& [atoms, devices, device, host] : cases) {
            if (atoms > 400 && kind != Kind::Unknown) continue;
            SCOPED_TRACE(testing::Message() << kind << ", " << atoms << " atoms, " << devices
                                            << " devices, rates " << device << " and " << host);
            const FilledBounds<TypeParam> input = makeBounds<TypeParam>(atoms, kind);
            FilledBounds<TypeParam> alone(input), shared(input);
            HostBackend cpu("cpu", 2);
            const SmoothingReport one = smoothWith(cpu, alone, Variant::Dense);
            const Rates rates(device, host);
            const SmoothingReport report = smoothWith(*crewWithHost(devices), shared, Variant::Dense);
            EXPECT_TRUE(haveSameBits(alone, shared));
            EXPECT_EQ(report.violationCount, one.violationCount);
            EXPECT_EQ(report.shared->exchangedBytes, report.shared->expectedBytes);
            const std::vector<WorkerShare>& shares = report.shared->shares;
            ASSERT_EQ(shares.size(), devices + 1);
            EXPECT_EQ(shares.back().device, DeviceCrew::kHost);
            std::size_t blocks = 0;
            for (const WorkerShare& share : shares) {
                blocks += share.blocks;
                EXPECT_GE(share.seconds, share.busySeconds);
                EXPECT_EQ(share.rate, share.device == DeviceCrew::kHost ? host : device);
                EXPECT_EQ(share.reason.empty(), share.blocks > 0);
            }
            const std::size_t count = (atoms + report.shared->side - 1) / report.shared->side;
            EXPECT_EQ(blocks, count * (count + 1) / 2);
            // The slower of the two has no more than its rate is worth.
            const double worth = host / (host + static_cast<double>(devices) * device);
            const double part = static_cast<double>(shares.back().blocks) / static_cast<double>(blocks);
            if (host <= device) {
                EXPECT_LE(part, worth);
            } else if (devices == 1) {
                EXPECT_GE(part, worth);
            }
        }
}

/// Blocks as large as those of cuda.
class WideBlocks final : public SmoothingEngine {
  public:
    WideBlocks(Backend& backend, std::size_t side)
        : engine_(createImplementation<SmoothingEngine>(backend)), side_(side) {}
    Support supports(const SmoothingRequest& request) const override { return engine_->supports(request); }
    SmoothingOutcome smooth(const AnyBoundMatrices&, Variant, Progress&) override { return {}; }
    SmoothingOutcome beginShared(const AnyBoundMatrices& matrices, Variant variant, Progress& progress,
                                 SharedTask& task) override {
        SmoothingOutcome outcome = engine_->beginShared(matrices, variant, progress, task);
        task.side = side_;
        return outcome;
    }
    std::unique_ptr<BlockWorker> worker(const WorkerPart& part) override { return engine_->worker(part); }
    Support supportsTetrangles(std::size_t) const override { return Support::no("not here"); }
    TetrangleLimits tetrangleLimits(const AnyBoundMatrices&, Progress&) override {
        return TetrangleLimits(0);
    }

  private:
    std::unique_ptr<SmoothingEngine> engine_;
    std::size_t side_;
};

TYPED_TEST(SharedSmoothing, TakesBlocksAsLargeAsThoseOfCuda) {
    for (const std::size_t side : {256, 512}) {
        SCOPED_TRACE(side);
        const FilledBounds<TypeParam> input = makeBounds<TypeParam>(1300, Kind::Unknown);
        FilledBounds<TypeParam> alone(input), shared(input);
        HostBackend cpu("cpu", 2);
        smoothWith(cpu, alone, Variant::Dense);
        const std::unique_ptr<HostBackend> crew = crewWithHost(1);
        WideBlocks engine(*crew, side);
        const Rates rates(2, 1);
        const SmoothingOutcome outcome =
            smoothTogether(*crew, engine, shared.view(), Variant::Dense, false, silentProgress());
        EXPECT_EQ(outcome.shared->side, side);
        EXPECT_GT(outcome.shared->shares.back().blocks, 0U);
        for (std::size_t i = 0; i < shared.atoms(); ++i) shared.upper(i, i) = shared.lower(i, i) = 0;
        if (std::is_integral_v<TypeParam>) {
            EXPECT_TRUE(haveSameBits(alone, shared));
        } else {
            const double allowed = pathRoundingBound(formatOf<TypeParam>(), 64, largestBound(alone));
            EXPECT_LE(largestDifference(alone.upper, shared.upper), allowed);
            EXPECT_LE(largestDifference(alone.lower, shared.lower), allowed);
        }
    }
}

TEST(SharedSmoothing, MeasuresRatesUnlessDevicesAreSoonDone) {
    const std::unique_ptr<HostBackend> crew = crewWithHost(1);
    const std::unique_ptr<SmoothingEngine> engine = createImplementation<SmoothingEngine>(*crew);
    for (const bool isHost : {false, true})
        for (const std::size_t side : {64, 512}) {
            EXPECT_GT(measureRate(*engine, NumberFormat::Float32, 2000, side, isHost), 0);
            EXPECT_EQ(measureRate(*engine, NumberFormat::Float32, side, side, isHost), 0);
        }
    const Rates fast(1e12, 0);
    FilledBounds<float> bounds = makeBounds<float>(200, Kind::Sparse);
    const SmoothingReport report = smoothWith(*crew, bounds, Variant::Dense);
    const std::vector<WorkerShare>& shares = report.shared->shares;
    EXPECT_EQ(shares[0].blocks, 10U);
    EXPECT_EQ(shares[1].blocks, 0U);
    EXPECT_THAT(shares[1].reason, HasSubstr("less time than the measurement"));
}

TYPED_TEST(SharedSmoothing, KeepsItsInputBelowTheDiagonals) {
    for (const Variant variant : {Variant::Dense, Variant::Sparse})
        for (const std::size_t n : {1, 31, 64, 200, 333}) {
            SCOPED_TRACE(testing::Message() << n << " atoms, variant " << toString(variant));
            const FilledBounds<TypeParam> input = makeBounds<TypeParam>(n, Kind::Unknown);
            FilledBounds<TypeParam> alone(input), shared(input);
            HostBackend cpu("cpu", 2);
            SmoothingOptions options;
            options.variant = variant;
            options.keepInput = true;
            const SmoothingReport one = smooth(cpu, alone.view(), options, silentProgress());
            EXPECT_FALSE(one.hasKeptInput) << "nobody shares it";
            const SmoothingReport report = smooth(*crewOf(2), shared.view(), options, silentProgress());
            EXPECT_TRUE(report.hasKeptInput);
            EXPECT_EQ(report.violationCount, one.violationCount);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    ASSERT_EQ(shared.upper(i, j), input.upper(i, j));
                    ASSERT_EQ(shared.lower(i, j), input.lower(i, j));
                }
            FilledBounds<TypeParam> completed(shared);
            RunInput(completed.view()).completeResult();
            EXPECT_TRUE(haveSameBits(alone, completed));
            RunInput taken(shared.view());
            const auto before = std::get<BoundMatrices<TypeParam>>(taken.whole());
            EXPECT_TRUE(haveSameBits(alone, shared));
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j) {
                    ASSERT_EQ(before.upper(i, j), i == j ? TypeParam(0) : input.upper(i, j));
                    ASSERT_EQ(before.lower(i, j), i == j ? TypeParam(0) : input.lower(i, j));
                }
        }
}

TEST(SharedSmoothing, DoesNotKeepFloatsThatItRoundsOutward) {
    FilledBounds<float> bounds = makeBounds<float>(100, Kind::Sparse);
    SmoothingOptions options;
    options.keepInput = true;
    options.rounding = Rounding::Outward;
    EXPECT_FALSE(smooth(*crewOf(2), bounds.view(), options, silentProgress()).hasKeptInput);
    EXPECT_EQ(bounds.upper(3, 1), bounds.upper(1, 3));
    EXPECT_TRUE(keepsInput(NumberFormat::Fixed, options));
}

/// Bytes that make blocks of workers lie on the disk while the object lives.
struct LittleMemory {
    explicit LittleMemory(std::size_t bytes) { cpu::pretendMemory(bytes); }
    ~LittleMemory() { cpu::pretendMemory(0); }
};

TYPED_TEST(SharedSmoothing, HasTheSameBitsWithBlocksOnTheDisk) {
    const struct {
        std::size_t atoms, workers, kibibytes;  ///< of float
        const char* rounds;
    } cases[] = {{333, 2, 900, " 1 rounds"},   {333, 4, 900, " 1 rounds"},   {1000, 1, 10000, " 4 rounds"},
                 {1000, 1, 7600, " 3 rounds"}, {1000, 2, 6000, " 2 rounds"}, {1000, 3, 5200, " 2 rounds"}};
    for (const Kind kind : kAllKinds)
        for (const auto& [atoms, workers, kibibytes, rounds] : cases) {
            if (atoms > 400 && kind != Kind::Unknown) continue;
            SCOPED_TRACE(testing::Message() << kind << ", " << atoms << " atoms, " << workers << " workers");
            const FilledBounds<TypeParam> input = makeBounds<TypeParam>(atoms, kind);
            FilledBounds<TypeParam> alone(input), shared(input);
            HostBackend cpu("cpu", 2);
            const SmoothingReport one = smoothWith(cpu, alone, Variant::Dense);
            const LittleMemory little(kibibytes * 1024 * sizeof(TypeParam) / sizeof(float));
            const SmoothingReport report = smoothWith(*crewOf(workers), shared, Variant::Dense);
            EXPECT_THAT(report.note, AllOf(HasSubstr("of blocks on the disk"), HasSubstr(rounds)));
            EXPECT_TRUE(haveSameBits(alone, shared));
            EXPECT_EQ(report.violationCount, one.violationCount);
            EXPECT_EQ(report.shared->exchangedBytes, report.shared->expectedBytes);
        }
}

TEST(SharedSmoothing, IsRefusedWherePanelsHaveNoRoom) {
    const LittleMemory little(100 << 10);
    FilledBounds<float> bounds = makeBounds<float>(333, Kind::Sparse);
    EXPECT_THAT([&] { smoothWith(*crewOf(2), bounds, Variant::Dense); },
                ThrowsMessage<UnavailableError>(AllOf(HasSubstr("a share of 333 atoms among 2 workers"),
                                                      HasSubstr("and there are 100.0 KiB"))));
}

TYPED_TEST(SharedSmoothing, TakesStridedMatricesAndUpperBoundsAlone) {
    const FilledBounds<TypeParam> input = makeBounds<TypeParam>(150, Kind::Sparse);
    FilledBounds<TypeParam> alone(input);
    HostBackend cpu("cpu", 2);
    smoothWith(cpu, alone, Variant::Dense);
    Matrix<TypeParam> wide(150, 171, TypeParam(7));
    for (std::size_t i = 0; i < 150; ++i) std::copy_n(input.upper.row(i), 150, wide.row(i));
    SmoothingOptions options;
    options.variant = Variant::Dense;
    const BoundMatrices<TypeParam> upper{{wide.data(), 150, 150, 171}, {}};
    const SmoothingReport report = smooth(*crewOf(4), upper, options, silentProgress());
    EXPECT_EQ(report.shared->exchangedBytes, 192 * 192 * 2 * sizeof(TypeParam));
    for (std::size_t i = 0; i < 150; ++i) {
        EXPECT_EQ(std::memcmp(wide.row(i), alone.upper.row(i), 150 * sizeof(TypeParam)), 0);
        for (std::size_t j = 150; j < 171; ++j) ASSERT_EQ(wide(i, j), TypeParam(7));
    }
}

TEST(SharedSmoothing, SharesTheLowerBoundsOfVariantSparse) {
    const FilledBounds<float> input = makeBounds<float>(200, Kind::Unknown);
    FilledBounds<float> alone(input), shared(input);
    HostBackend cpu("cpu", 2);
    smoothWith(cpu, alone, Variant::Sparse);
    const SmoothingReport report = smoothWith(*crewOf(2), shared, Variant::Sparse);
    EXPECT_TRUE(haveSameBits(alone, shared));
    EXPECT_EQ(report.variant, "sparse");
    EXPECT_EQ(report.shared->exchangedBytes, 4 * 256 * 256 * sizeof(float));
}

TEST(SharedSmoothing, LeavesWhatCannotRaiseABoundOut) {
    // As CpuPruning: nearly no atom can raise bounds of another tile.
    constexpr std::size_t n = 400;
    FilledBounds<float> input(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j)
            input.set(i, j, (i * 7 + j * 3) % 97 == 0 ? 3 : 1, j - i <= 2 ? 3.0 * double(j - i) : 200);
    FilledBounds<float> alone(input), shared(input);
    HostBackend cpu("cpu", 2);
    smoothWith(cpu, alone, Variant::Dense);
    smoothWith(*crewOf(4), shared, Variant::Dense);
    EXPECT_TRUE(haveSameBits(alone, shared));
}

// Finds wrong results of a worker, computed or received.
TEST(SharedSmoothing, IsCountedAgainOnTheProcessor) {
    constexpr std::size_t n = 200;
    FilledBounds<float> input = makeBounds<float>(n, Kind::Sparse);
    FilledBounds<float> shared(input);
    const std::unique_ptr<HostBackend> backend = crewOf(2);
    const SmoothingReport report = smoothWith(*backend, shared, Variant::Dense);
    const auto recount = [&](const SmoothingReport& of) {
        RunInput before(cloneBounds(input.view()));
        return recountBounds(*backend, {}, before, shared.view(), of, 1).first;
    };
    ASSERT_TRUE(recount(report));
    EXPECT_GT(recount(report)->elements, 0U);
    for (std::size_t i = 64; i < 128; ++i)  // a row of blocks
        for (std::size_t j = 0; j < n; ++j)
            if (i != j) shared.upper(i, j) = shared.upper(j, i) *= 1.25F;
    EXPECT_THAT([&] { recount(report); }, ThrowsMessage<WrongResultError>(HasSubstr("upper bound of atoms")));
    SmoothingReport alone = report;
    alone.shared.reset();
    EXPECT_FALSE(recount(alone)) << "a processor that works alone is believed";
}

// Without memory for the input as a matrix of its own.
TYPED_TEST(SharedSmoothing, IsCountedAgainWhereItsInputLies) {
    constexpr std::size_t n = 200;
    const FilledBounds<TypeParam> input = makeBounds<TypeParam>(n, Kind::Unknown);
    FilledBounds<TypeParam> mixed(input), alone(input);
    const std::unique_ptr<HostBackend> backend = crewOf(2);
    SmoothingOptions options;
    options.variant = Variant::Dense;
    options.keepInput = true;
    const SmoothingReport report = smooth(*backend, mixed.view(), options, silentProgress());
    smoothWith(*backend, alone, Variant::Dense);
    const auto recount = [&] {
        RunInput before(mixed.view(), 2 * n * n * sizeof(TypeParam) - 1);
        EXPECT_FALSE(before.canBeWhole());
        return recountBounds(*backend, {}, before, mixed.view(), report, 1);
    };
    const auto [rows, pairs] = recount();
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->elements, 0U);
    EXPECT_THAT(rows->skipped, HasSubstr("no room for a copy"));
    ASSERT_TRUE(pairs);
    EXPECT_GT(pairs->elements, 0U);

    for (const auto measure : {measureUpperTightening, measureLowerTightening}) {
        FilledBounds<TypeParam> unsmoothed(input);
        const Tightening apart = measure(unsmoothed.view(), alone.view());
        const Tightening together = measure(mixed.view(), mixed.view());
        EXPECT_EQ(together.tightened, apart.tightened);
        EXPECT_EQ(together.fromUnknown, apart.fromUnknown);
        EXPECT_EQ(together.median, apart.median);
        EXPECT_NEAR(together.mean, apart.mean, 1e-9 * apart.mean);
    }

    for (std::size_t i = 0; i < 64; ++i)  // a block
        for (std::size_t j = 128; j < 192; ++j) mixed.upper(i, j) += mixed.upper(i, j) / 4;
    EXPECT_THAT([&] { recount(); }, ThrowsMessage<WrongResultError>(HasSubstr("upper bound of atoms")));
}

TEST(SharedSmoothing, EndsWithTheFailureOfOneWorker) {
    FilledBounds<float> bounds = makeBounds<float>(300, Kind::Dense);
    HostBackend backend("cpu", 1);
    backend.setCrew({{0, 1, 2, 3}, [](int device) -> std::unique_ptr<Backend> {
                         if (device == 2) throw UnavailableError("device 2 is not there");
                         return std::make_unique<HostBackend>("cpu", 1);
                     }});
    EXPECT_THAT([&] { smoothWith(backend, bounds); },
                ThrowsMessage<UnavailableError>(HasSubstr("device 2 is not there")));
}

// Devices of a crew that keeps its input: device -1 is not there, and the first one fails at the end of a
// stage.
TYPED_TEST(SharedSmoothing, GoesOnWithoutDevicesThatFail) {
    const FilledBounds<TypeParam> input = makeBounds<TypeParam>(333, Kind::Unknown);
    FilledBounds<TypeParam> alone(input);
    HostBackend cpu("cpu", 2);
    smoothWith(cpu, alone, Variant::Dense);
    SmoothingOptions options;
    options.variant = Variant::Dense;
    options.keepInput = true;
    const struct {
        std::vector<int> devices, left;
        std::string failing;
    } cases[] = {{{0, 1, -1, 3}, {0, 1, 3}, ""},
                 {{0, 1, -1}, {0, 1}, ""},
                 {{0, -1}, {0}, ""},
                 {{0, 1, 2}, {1, 2}, "upper bounds"},
                 {{0, 1, 2, 3}, {1, 2, 3}, "lower bounds"},
                 {{0, 1}, {1}, "lower bounds"}};
    for (const auto& one : cases) {
        SCOPED_TRACE(testing::Message() << one.devices.size() << " devices, " << one.failing);
        HostBackend backend("cpu", 1);
        backend.setCrew({one.devices, [](int device) -> std::unique_ptr<Backend> {
                             if (device < 0) throw UnavailableError("is not there");
                             return std::make_unique<HostBackend>("cpu", 1);
                         }});
        bool hasFailed = false;
        Progress progress([&](const ProgressUpdate& update) {
            if (update.stage != one.failing || hasFailed) return;
            hasFailed = true;
            throw DeviceError("fell off the bus");
        });
        FilledBounds<TypeParam> shared(input);
        const SmoothingReport report = smooth(backend, shared.view(), options, progress);
        RunInput(shared.view()).completeResult();
        EXPECT_TRUE(haveSameBits(alone, shared));
        ASSERT_TRUE(report.shared);
        EXPECT_EQ(report.shared->workers, one.left.size());
        std::vector<int> left;
        for (const WorkerShare& share : report.shared->shares)
            if (share.reason.empty())
                left.push_back(share.device);
            else
                EXPECT_THAT(share.reason, AnyOf(HasSubstr("left out: is not there"),
                                                HasSubstr("left out: fell off the bus")));
        EXPECT_EQ(left, one.left);
        EXPECT_EQ(report.shared->shares.size(), one.devices.size());
    }
}

TEST(SharedSmoothing, WithoutAnyDeviceLeftEndsWithTheFirstFailure) {
    FilledBounds<float> bounds = makeBounds<float>(100, Kind::Dense);
    HostBackend backend("cpu", 1);
    backend.setCrew(
        {{0, 1}, [](int) -> std::unique_ptr<Backend> { throw UnavailableError("is not there"); }});
    SmoothingOptions options;
    options.keepInput = true;
    Progress failing({}, []() -> bool { throw DeviceError("fell off the bus"); });
    EXPECT_THAT(messageOf<Error>([&] { smooth(backend, bounds.view(), options, failing); }),
                AnyOf(HasSubstr("is not there"), HasSubstr("fell off the bus")));
}

TEST(SharedSmoothing, StopsWhereTheUserWantsIt) {
    FilledBounds<float> bounds = makeBounds<float>(300, Kind::Dense);
    Progress stopped({}, [] { return true; });
    SmoothingOptions options;
    options.variant = Variant::Dense;
    EXPECT_THROW(smooth(*crewOf(3), bounds.view(), options, stopped), CancelledError);
}

TEST(SharedSmoothing, OfTheReferenceIsRefused) {
    FilledBounds<float> bounds = makeBounds<float>(30, Kind::Dense);
    HostBackend backend("reference", 1);
    backend.setCrew({{0, 0}, {}});
    EXPECT_THAT([&] { smoothWith(backend, bounds); },
                ThrowsMessage<UnavailableError>(HasSubstr("cpu, gl and cuda do")));
}

TEST(BlockLayout, GivesACornerToAWorkerOfAnotherRate) {
    constexpr std::size_t count = 13;
    for (const std::size_t workers : {2, 3, 5})
        for (const std::size_t worker : {std::size_t{0}, workers - 1})
            for (const double share : {0.0, 0.005, 0.1, 0.3, 0.5}) {
                SCOPED_TRACE(testing::Message() << workers << " workers, " << share << " for " << worker);
                const BlockCorner corner = cornerOf(worker, share, count);
                const BlockLayout layout(count * 64 - 5, 64, workers, corner);
                EXPECT_EQ(layout.gridRows() * layout.gridColumns(), workers - 1);
                const double blocks = share * count * (count + 1) / 2;
                EXPECT_LE(layout.blocksOf(worker), blocks);
                EXPECT_GT(layout.blocksOf(worker) + 1.0, 0.8 * blocks);
                std::size_t received = 0;
                for (std::size_t row = 0; row < count; ++row) {
                    EXPECT_TRUE(layout.ownerOf(row, row) != worker) << "it closes no pivot";
                    for (std::size_t column = 0; column < count; ++column) {
                        const std::size_t owner = layout.ownerOf(row, column);
                        ASSERT_LT(owner, workers);
                        EXPECT_EQ(owner == worker, layout.ownerOf(column, row) == worker);
                        for (std::size_t one = 0; one < workers; ++one) {
                            const Range own = layout.columnsOf(one, row);
                            EXPECT_EQ(owner == one, layout.hasRow(one, row) &&
                                                        layout.hasColumn(one, column) &&
                                                        column >= own.begin && column < own.end);
                        }
                        for (std::size_t one = 0; one < workers; ++one)
                            received += row == 4 && one != owner && layout.needs(one, column);
                    }
                }
                EXPECT_EQ(received, layout.receivedBlocks());
            }
}

TEST(BlockLayout, SharesByRateAtMostInHalves) {
    EXPECT_EQ(divideByRate(1, 3, 1, 40).corner.worker, 1U) << "the processor is slower";
    EXPECT_EQ(divideByRate(1, 1, 3, 40).corner.worker, 0U) << "the device is slower";
    EXPECT_EQ(divideByRate(2, 1, 9, 40).corner.worker, 2U) << "several devices keep the grid";
    const Division none = divideByRate(1, 8, 1, 3);
    EXPECT_EQ(none.corner.rows, 0U);
    EXPECT_EQ(none.reason, "its share by rate, 8.9 %, is less than one of 6 blocks");
    EXPECT_EQ(divideByRate(1, 1000, 1, 1000).reason,
              "its share by rate, 0.08 %, gains less than exchanging blocks costs");
    const Division slowDevice = divideByRate(1, 1, 1000, 1000);
    EXPECT_EQ(slowDevice.corner.worker, 0U);
    EXPECT_EQ(slowDevice.corner.rows, 0U);
    EXPECT_THAT(reasonNotToMeasureHost(1e12, 1, 2000, true, 64), HasSubstr("less time"));
    EXPECT_THAT(reasonNotToMeasureHost(0, 1, 100, true, 64), HasSubstr("less time")) << "a single block";
    EXPECT_EQ(reasonNotToMeasureHost(15e12, 1, 20000, true, 16),
              "16 threads would add less than 10 % to the devices' rate");
    EXPECT_EQ(reasonNotToMeasureHost(1e12, 1, 20000, true, 16), "");
}

TEST(BlockLayout, DealsBlocksOutEvenly) {
    for (const std::size_t workers : {1, 2, 3, 4, 6, 7, 12}) {
        const BlockLayout layout(24 * 64, 64, workers);
        EXPECT_EQ(layout.gridRows() * layout.gridColumns(), workers);
        std::vector<std::size_t> blocks(workers);
        for (std::size_t row = 0; row < layout.count(); ++row)
            for (std::size_t column = 0; column < layout.count(); ++column) {
                const std::size_t owner = layout.ownerOf(row, column);
                ++blocks[owner];
                EXPECT_TRUE(layout.hasRow(owner, row) && layout.hasColumn(owner, column));
                EXPECT_TRUE(layout.needs(owner, row) && layout.needs(owner, column));
            }
        const auto [fewest, most] = std::ranges::minmax(blocks);
        EXPECT_LE(most - fewest, 2 * layout.count()) << workers;
        std::size_t needing = 0;
        for (std::size_t worker = 0; worker < workers; ++worker) needing += layout.needs(worker, 3);
        EXPECT_EQ(needing, layout.receivers() + 1);
    }
}

}  // namespace
}  // namespace glycine::bounds
