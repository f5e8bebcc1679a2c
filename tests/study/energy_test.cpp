// Energy: counters in a folder like the kernel's powercap, and in a library like the driver's NVML.
#include <thread>

#include "engine/study/energy.hpp"
#include "tests/test.hpp"

namespace glycine::study {
namespace {

class Powercap : public testing::Test {
  protected:
    void addZone(const std::string& zone, const std::string& name, const std::string& energy) const {
        std::filesystem::create_directories(folder_ / zone);
        writeFile(folder_ / zone / "name", name + "\n");
        writeFile(folder_ / zone / "max_energy_range_uj", "10000000\n");
        if (!energy.empty()) writeFile(folder_ / zone / "energy_uj", energy + "\n");
    }
    EnergyCounters counters() const { return packageCounters(folder_ / ""); }
    TemporaryFolder folder_;
};

TEST_F(Powercap, CountsPackagesAndGoesRound) {
    addZone("intel-rapl:0", "package-0", "9000000");
    addZone("intel-rapl:1", "package-1", "5");
    addZone("intel-rapl:2", "psys", "1");
    addZone("intel-rapl:0:0", "core", "1");
    addZone("dtpm", "package-9", "1");
    const EnergyCounters found = counters();
    ASSERT_EQ(found.counters.size(), 2U) << found.absent;
    EXPECT_EQ(found.absent, "");
    EnergyCounter& first = *found.counters[0];
    EXPECT_EQ(first.name(), "package-0");
    EXPECT_THAT(first.how(), StartsWith("RAPL, "));
    EXPECT_EQ(first.joules(), 0);
    addZone("intel-rapl:0", "package-0", "9500000");
    EXPECT_DOUBLE_EQ(first.joules(), 0.5);
    addZone("intel-rapl:0", "package-0", "250000");  // 0.5 J to the end of the range, then 0.25 J
    EXPECT_DOUBLE_EQ(first.joules(), 1.25);
    EXPECT_EQ(found.counters[1]->joules(), 0);
    std::filesystem::remove(folder_ / "intel-rapl:0" / "energy_uj");
    EXPECT_THROW(first.joules(), DeviceError);
}

TEST_F(Powercap, SaysWhyThereIsNothing) {
    EXPECT_THAT(counters().absent, HasSubstr("shows no counter"));
    EXPECT_THAT(packageCounters(folder_ / "nowhere").absent, HasSubstr("shows no counter"));
    addZone("intel-rapl:2", "psys", "1");
    EXPECT_THAT(counters().absent, HasSubstr("has no package among its zones"));
    addZone("intel-rapl:0", "package-0", "");
    EXPECT_THAT(counters().absent, HasSubstr("energy_uj cannot be read"));
}

TEST(Nvml, CountsTheDriversReports) {
    const EnergyCounters found = gpuCounters("0000:01:00.0", GLYCINE_FAKE_NVML);
    ASSERT_EQ(found.counters.size(), 1U) << found.absent;
    EXPECT_EQ(found.counters[0]->name(), "Fake GPU");
    EXPECT_EQ(found.counters[0]->how(), "NVML, total energy counter");
    EXPECT_EQ(found.counters[0]->leastSeconds(), 1);
    EXPECT_DOUBLE_EQ(found.counters[0]->joules(), 2.5);
    EXPECT_DOUBLE_EQ(found.counters[0]->joules(), 5);
}

TEST(Nvml, SumsPowersWhereThereIsNoCounter) {
    const EnergyCounters found = gpuCounters("0000:02:00.0", GLYCINE_FAKE_NVML);
    ASSERT_EQ(found.counters.size(), 1U) << found.absent;
    EXPECT_EQ(found.counters[0]->how(), "NVML, power every 20 ms");
    const double before = found.counters[0]->joules();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_GE(found.counters[0]->joules() - before, 100 * 0.1);
}

TEST(Nvml, SaysWhyThereIsNothing) {
    EXPECT_EQ(gpuCounters("", "libglycine-no-such-library.so").absent,
              "libglycine-no-such-library.so is not there");
    EXPECT_EQ(gpuCounters("0000:07:00.0", GLYCINE_FAKE_NVML).absent, "NVML knows no GPU at 0000:07:00.0");
    ASSERT_EQ(setenv("GLYCINE_FAKE_GPUS", "2", 1), 0);
    EXPECT_THAT(gpuCounters("", GLYCINE_FAKE_NVML).absent, HasSubstr("there are 2 GPUs"));
    setenv("GLYCINE_FAKE_GPUS", "0", 1);
    EXPECT_EQ(gpuCounters("", GLYCINE_FAKE_NVML).absent, "NVML knows no GPU");
    unsetenv("GLYCINE_FAKE_GPUS");
    EXPECT_EQ(gpuCounters("", GLYCINE_FAKE_NVML).counters.size(), 1U) << "the only one";
}

}  // namespace
}  // namespace glycine::study
