// Protection of results from a driver's watchdog: the canary, which detects draws that were not executed, and
// the pass budget, which keeps draws short. A simulated device sits between the engine and the driver. It
// loses draws without an error, as a device does after a reset, and takes time for others.
#include <dlfcn.h>

#include <chrono>

#include "engine/core/stopwatch.hpp"
#include "engine/gl/framework/gl_api.hpp"
#include "engine/gl/framework/watchdog.hpp"
#include "tests/backends/every_subject.hpp"
#include "tests/test.hpp"

namespace {

using Duration = std::chrono::duration<double>;

/// State and behaviour of the simulated device.
struct Device {
    long draws = 0;                                     ///< requested so far
    long waits = 0;                                     ///< calls that waited for all draws
    long losesFrom = std::numeric_limits<long>::max();  ///< first draw that is not executed
    Duration secondsPerRow{0};                          ///< time per row of the drawn region
    Duration queued{0};                                 ///< time of draws that nobody has waited for
    Duration longest{0};                                ///< longest time of all work between two waits
} device;

/// The driver's function, hidden by this program's function of the same name.
template <class Function>
Function* driversOwn(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// The linker uses these for the engine's calls as well.
extern "C" {

void GLAPIENTRY glDrawArrays(GLenum mode, GLint first, GLsizei count) {
    static auto* const own = driversOwn<void(GLenum, GLint, GLsizei)>("glDrawArrays");
    if (device.draws++ < device.losesFrom) own(mode, first, count);
}

void GLAPIENTRY glFinish() {
    static auto* const own = driversOwn<void()>("glFinish");
    own();
    ++device.waits;
    if (device.queued > Duration(0)) glycine::Clock::advance(device.queued.count());
    device.longest = std::max(device.longest, device.queued);
    device.queued = Duration(0);
}

}  // extern "C"

namespace glycine::study {
namespace {

/// A slow device: draws nothing, but takes time.
class PassBudgets : public testing::Test {
  protected:
    void SetUp() override {
        try {
            backend_ = std::make_unique<gl::GlBackend>(BackendOptions{});
        } catch (const UnavailableError& error) {
            GTEST_SKIP() << error.what();
        }
        device = {};
    }
    void TearDown() override { device = {}; }
    /// Heights of the bands into which `rows` rows are divided, on a device that takes `seconds` per row.
    std::vector<int> bands(gl::PassBudget& budget, int rows, double workPerRow, Duration seconds) {
        std::vector<int> heights;
        gl::drawInBands(budget, {{0, 0}, {8, rows}}, workPerRow, [&](const gl::Rectangle& band) {
            heights.push_back(band.size.y);
            device.queued += seconds * band.size.y;
        });
        return heights;
    }

  private:
    StoppedClock clock_;                      // advanced by the device
    std::unique_ptr<gl::GlBackend> backend_;  // creates the context for glFinish
};

TEST_F(PassBudgets, FollowASlowDevice) {
    // The budget is 5 ms. The first guess is 20 µs per row: 250 rows. The device takes 200 µs: 25 rows.
    gl::PassBudget budget(5);
    const std::vector<int> heights = bands(budget, 1000, 1e3, Duration(2e-4));
    EXPECT_EQ(heights.front(), 250);
    ASSERT_GE(heights.size(), 30U);
    EXPECT_LE(*std::max_element(heights.begin() + 1, heights.end()), 25);
    // Waits follow portions as long as the budget, or one draw longer if draws do not divide it.
    EXPECT_GE(device.waits, 16);
}

TEST_F(PassBudgets, FollowADeviceThatGetsSlower) {
    gl::PassBudget budget(10);
    // Finished at once.
    for (int portion = 0; portion < 100 && budget.workPerDraw() < 1e6; ++portion)
        bands(budget, 500, 1e3, Duration(0));
    EXPECT_GE(budget.workPerDraw(), 1e6) << "the budget did not find that the device is faster";
    EXPECT_EQ(bands(budget, static_cast<int>(budget.workPerDraw() / 1e3) + 1, 1e3, Duration(1e-4)).size(),
              2U);
    EXPECT_LE(budget.workPerDraw(), 1e5);
    device.longest = Duration(0);
    bands(budget, 400, 1e3, Duration(1e-4));
    // A draw within the budget may start while another one is running.
    EXPECT_LE(device.longest, Duration(0.02));
}

TEST_F(PassBudgets, PiecesFollowToo) {
    gl::PassBudget budget(5);
    std::vector<int> texels;
    gl::drawInPieces(budget, {{0, 0}, {64, 1200}}, 8, [&](const gl::Rectangle& piece) {
        texels.push_back(piece.size.x * piece.size.y);
        device.queued += Duration(2e-6) * texels.back();
    });
    EXPECT_EQ(texels.front(), 64 * 488);  // 31,250 texels, rounded down to whole rows in multiples of four
    // The second piece comes before the portion is full. After that, 5 ms correspond to 2,500 texels.
    ASSERT_GT(texels.size(), 5U);
    EXPECT_LE(*std::max_element(texels.begin() + 2, texels.end()), 2500);
}

TEST_F(PassBudgets, GrowStepByStep) {
    // On a device that finishes at once, a portion is at most eight times the previous one.
    gl::PassBudget budget(1000);
    double last = budget.workPerDraw();
    for (int portion = 0; portion < 4; ++portion) {
        EXPECT_TRUE(budget.note(last));
        EXPECT_LE(budget.workPerDraw(), last * 8.001);
        EXPECT_GT(budget.workPerDraw(), last);
        last = budget.workPerDraw();
    }
    EXPECT_FALSE(budget.note(last / 2));
    EXPECT_TRUE(budget.note(last / 2));
    EXPECT_EQ(device.waits, 5);
    budget.restart("other work");
    EXPECT_DOUBLE_EQ(budget.workPerDraw(), 5e7);
}

TEST_F(PassBudgets, RememberRatesOnceTheCanaryHasProvedThem) {
    gl::PassBudget first(1000);
    const auto measure = [&](const char* work) {
        first.restart(work);
        first.note(first.workPerDraw());
        return first.workPerDraw();
    };
    const double fast = measure("fast");
    EXPECT_EQ(first.remembered(), "");
    first.confirm();
    first.restart("other");
    EXPECT_DOUBLE_EQ(first.workPerDraw(), 5e7);
    first.restart("fast");
    EXPECT_DOUBLE_EQ(first.workPerDraw(), fast);

    // A later process starts with a quarter of the remembered rate, and measures from there.
    gl::PassBudget second(1000);
    second.recall(first.remembered());
    EXPECT_EQ(second.remembered(), "") << "nothing new";
    second.restart("fast");
    EXPECT_NEAR(second.workPerDraw(), fast / 4, 1e-4 * fast);
    second.note(second.workPerDraw());
    EXPECT_NEAR(second.workPerDraw(), fast * 2, 1e-3 * fast);
    // After a reset of the device, everything seems to finish at once.
    second.distrust();
    second.restart("fast");
    EXPECT_DOUBLE_EQ(second.workPerDraw(), 5e7);
    gl::PassBudget third(1000);
    third.recall(first.remembered());
    third.recall(second.remembered());
    EXPECT_THAT(second.remembered(), Not(HasSubstr("fast")));
    EXPECT_NE(second.remembered(), "") << "that it is forgotten is news";
}

// Bounds of 4,096 atoms on a fast device: 64 steps of 512 strips. A wait takes tens of microseconds, so
// learning the rate costs nothing that a user would notice, even in the first process.
TEST_F(PassBudgets, AreLearntInAFewWaits) {
    constexpr double kWorkPerStrip = 2.1e6, kRate = 4e11;
    const auto waitsOf = [&](gl::PassBudget& budget) {
        device.waits = 0;
        budget.restart("strips");
        for (int step = 0; step < 64; ++step)
            bands(budget, 512, kWorkPerStrip, Duration(kWorkPerStrip / kRate));
        budget.confirm();
        return device.waits;
    };
    std::string remembered;
    std::vector<long> waits;
    for (int process = 0; process < 3; ++process) {
        gl::PassBudget budget(250);
        budget.recall(remembered);
        waits.push_back(waitsOf(budget));
        if (const std::string rates = budget.remembered(); !rates.empty()) remembered = rates;
    }
    EXPECT_LE(waits[0], 8);
    EXPECT_LE(waits[1], 3);
    EXPECT_LE(waits[2], 3);
}

TEST_F(PassBudgets, RememberASlowDrift) {
    gl::PassBudget budget(5);
    budget.recall("work\t5e6");
    double seconds = 2e-4;
    for (int step = 0; step < 4; ++step, seconds *= 1.1) {
        EXPECT_EQ(budget.remembered(), "") << "nothing new";
        budget.restart("work");
        bands(budget, 1000, 1e3, Duration(seconds));
        budget.confirm();
    }
    EXPECT_THAT(budget.remembered(), HasSubstr("work"));
}

TEST_F(PassBudgets, AreNotMisledByWhatTheyRecall) {
    gl::PassBudget budget(1000);
    for (const char* const text :
         {"work\tinf\n", "work\tnan\n", "work\t-1e9\n", "work\t0\n", "work\t1e300\n", "work\t1e-300\n",
          "work\t1e9x\n", "work\t\n", "work\n", "\t1e9\n", "work 1e9\n", "\n\n", ""}) {
        budget.recall(text);
        budget.restart("work");
        EXPECT_DOUBLE_EQ(budget.workPerDraw(), 5e7) << text;
    }
    budget.recall("work\t8e9");
    budget.restart("work");
    EXPECT_DOUBLE_EQ(budget.workPerDraw(), 2e9);
}

TEST_F(PassBudgets, DoNotCountWhatTheHostDoesBetween) {
    gl::PassBudget budget(5);
    bands(budget, 100, 1e3, Duration(2e-4));
    glFinish();
    budget.settle();
    Clock::advance(10);
    bands(budget, 1000, 1e3, Duration(2e-4));
    EXPECT_NEAR(budget.workPerDraw(), 25e3, 1e3);
}

TEST_F(PassBudgets, LearnNothingFromALostDevice) {
    gl::GlBackend backend{BackendOptions{}};
    gl::PassBudget budget(1000);
    gl::Canary canary(backend.textures(), backend.geometry(), backend.programs(), budget);
    budget.restart("work");
    budget.note(budget.workPerDraw());
    device.losesFrom = device.draws;
    EXPECT_THROW(canary.check("testing"), DeviceError);
    budget.restart("work");
    EXPECT_DOUBLE_EQ(budget.workPerDraw(), 5e7);
}

class Watchdog : public EverySubject {
  protected:
    void SetUp() override {
        device = {};
        EverySubject::SetUp();
    }
    void TearDown() override {
        device = {};
        EverySubject::TearDown();
    }
    /// The largest problem that a configuration supports, or none.
    Problem* largestFor(const Configuration& configuration) {
        const auto extent = [](const Problem& problem) {
            double product = 1;
            for (const auto& [name, count] : problem.dimensions()) product *= static_cast<double>(count);
            return product;
        };
        Problem* largest = nullptr;
        for (const auto& problem : problems())
            if (problem->concerns(configuration) && problem->supports(*backend_, configuration) &&
                (largest == nullptr || extent(*problem) > extent(*largest)))
                largest = problem.get();
        return largest;
    }
};

/// Whichever draw is the first that the device loses, the result is refused.
TEST_P(Watchdog, LostDrawsAreFound) {
    for (const Configuration& configuration : configurations_) {
        Problem* const problem = largestFor(configuration);
        if (problem == nullptr) continue;
        SCOPED_TRACE(configuration.label() + ", " + problem->name());
        const auto computation = problem->start(*backend_, configuration, CheckScope::Full, progress_);
        device.draws = 0;
        computation->run(progress_);
        const long draws = device.draws;
        ASSERT_GT(draws, 1);
        EXPECT_TRUE(computation->check(progress_).agrees());
        // es300 has the code of gl33: there, only the loss of the last draw, which nothing follows.
        std::vector<long> firsts{draws - 1};
        if (test::isSwept(setting())) firsts.insert(firsts.end(), {0L, draws / 2, draws - 2});
        for (const long first : firsts) {
            device.draws = 0;
            device.losesFrom = first;
            try {
                computation->run(progress_);
                ADD_FAILURE() << "of " << draws << " draws those from " << first << " on were lost unnoticed";
            } catch (const DeviceError& error) {
                EXPECT_THAT(error.what(), HasSubstr("the graphics device stopped drawing while"));
            }
            device.losesFrom = std::numeric_limits<long>::max();
        }
        computation->run(progress_);
        EXPECT_TRUE(computation->check(progress_).agrees());
    }
}

INSTANTIATE_TEST_SUITE_P(All, Watchdog, testing::ValuesIn([] {
                             std::vector<Setting> settings;
                             for (const Dialect dialect : allDialects()) {
                                 settings.push_back({"gl_" + std::string(toString(dialect)), "gl"});
                                 settings.back().options.dialect = dialect;
                             }
                             return casesOf(settings);
                         }()),
                         nameOfCase);

/// With a budget of a microsecond per draw, every variant submits its work in portions.
class TinyBudget : public Watchdog {};

TEST_P(TinyBudget, WorkIsHandedOverInPortions) {
    auto& backend = dynamic_cast<gl::GlBackend&>(*backend_);
    for (const Configuration& configuration : configurations_) {
        Problem* const problem = largestFor(configuration);
        if (problem == nullptr) continue;
        SCOPED_TRACE(configuration.label() + ", " + problem->name());
        const auto portionsWith = [&](double milliseconds) {
            backend.budget() = gl::PassBudget(milliseconds);
            const auto computation = problem->start(backend, configuration, CheckScope::Full, progress_);
            computation->run(progress_);  // compiles programs and fills tables
            device.waits = 0;
            computation->run(progress_);
            const long waits = device.waits;
            EXPECT_TRUE(computation->check(progress_).agrees());
            return waits;
        };
        const long hurried = portionsWith(setting().options.passBudgetMilliseconds);
        EXPECT_GE(hurried, portionsWith(1e6) + 4);
    }
}

INSTANTIATE_TEST_SUITE_P(All, TinyBudget, testing::ValuesIn([] {
                             Setting tiny{"gl_tiny_budget", "gl"};
                             tiny.options.passBudgetMilliseconds = 1e-3;
                             return casesOf({tiny});
                         }()),
                         nameOfCase);

}  // namespace
}  // namespace glycine::study
