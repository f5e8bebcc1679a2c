#include "engine/command/run_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/io/text/json.hpp"

namespace glycine {
namespace {

using testing::ElementsAre;
using testing::Pair;

struct Report final : RunHead {
    void print(std::ostream&) const override {}
    Json json() const override { return runHeadJson("test", *this); }
};

Report reportOf(const std::string& backend) {
    Report report;
    report.device = {.backend = backend, .dialect = "", .device = "chip", .driver = "1.0"};
    report.stages = {
        {"scaling", "rows", "rows"}, {"sums", "", ""}, {"tree", "joins", "joins"}, {"ranks", "rows", ""}};
    return report;
}

TEST(RunReport, NamesTheStagesThatLeftTheDevice) {
    const auto fieldsOf = [](const std::string& backend) {
        Fields fields;
        addDeviceFields(fields, reportOf(backend), "best");
        return fields;
    };
    EXPECT_THAT(fieldsOf("gl"),
                ElementsAre(Pair("Backend", "gl, variant best"), Pair("Device", "chip; 1.0"),
                            Pair("On the host", "scaling, ranks (rows)"), Pair("", "tree (joins)")));
    EXPECT_THAT(fieldsOf("cuda"),
                ElementsAre(Pair("Backend", "cuda, variant best"), Pair("Device", "chip; 1.0"),
                            Pair("On the host", "scaling (rows)"), Pair("", "tree (joins)")));
    EXPECT_EQ(fieldsOf("cpu").size(), 2U);  // the host runs everything
}

TEST(RunReport, ReportsWhereEachStageRan) {
    const Json stages = reportOf("cuda").json()["stages"];
    ASSERT_EQ(stages.size(), 4U);
    EXPECT_EQ(stages[0], Json({{"stage", "scaling"}, {"where", "host"}, {"why", "rows"}}));
    EXPECT_EQ(stages[1], Json({{"stage", "sums"}, {"where", "cuda"}}));
    EXPECT_EQ(stages[3], Json({{"stage", "ranks"}, {"where", "cuda"}}));
    EXPECT_FALSE(reportOf("cpu").json().contains("stages"));
}

}  // namespace
}  // namespace glycine
