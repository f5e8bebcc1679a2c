// Options declared once: parsing, help, settings and identity; and the commands that declare them.
#include "engine/command/options.hpp"
#include "engine/command/command_line.hpp"
#include "engine/command/command_registry.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/io/text/json.hpp"
#include "engine/storage/unfinished.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

/// The message of the UsageError that `action` throws; empty if it throws none.
template <class Action>
std::string refusalOf(const Action& action) {
    try {
        action();
    } catch (const UsageError& error) {
        return error.what();
    }
    return {};
}

enum class Fruit { Apple, Pear };
constexpr auto namesOf(Fruit) {
    using enum Fruit;
    return namesAre<Fruit>("fruit", {{Apple, "apple"}, {Pear, "pear"}, {Apple, "pomme"}});
}
constexpr NameTable<bool, 2> kPlaces{{{false, "cellar"}, {true, "kitchen"}}};

/// One option of each type.
struct Basket {
    std::string name = "basket";
    int pieces = 3;
    std::size_t grams = 0;
    double price = 0.5;
    bool isRipe = false;
    std::optional<double> discount;
    std::vector<std::size_t> sizes{1, 2};
    std::vector<std::string> files;
    std::vector<std::string> inputs;
    Fruit fruit = Fruit::Apple;
    std::optional<Fruit> other;
    bool isInKitchen = false;
    std::optional<bool> isNextInKitchen;
    std::optional<std::size_t> shown;
    std::vector<std::string> colours;
    Options options;

    Basket() {
        options.value("IN", inputs, "What is in it");
        options.value("--name", name, "Its name").notASetting();
        options.value("--pieces N", pieces, "How many").positive().decidesResult();
        options.value("--grams", grams, "Weight").byDefault("light");
        options.value("--price", price, "Of all").notNegative();
        options.value("--ripe", isRipe, "To be eaten").decidesResult();
        options.value("--discount", discount, "Share").within(0, 1).decidesResult();
        options.value("--sizes", sizes, "Of the pieces").positive().decidesResult();
        options.value("-f,--file", files, "Pictures").repeated();
        options.choice("--fruit", fruit, "Which").decidesResult();
        options.choice("--other", other, "Which else");
        options.choice("--place", isInKitchen, kPlaces, "Where");
        options.choice("--next", isNextInKitchen, kPlaces, "Where later");
        options.value("--show", shown, "How many are shown").withoutValue("7");
        options.parsedList(
            "--colours", [this](const std::vector<std::string>& given) { colours = given; },
            [this] { return colours.empty() ? "" : "some"; }, "Their colours");
    }
    Basket& parse(const std::vector<std::string>& arguments) {
        options.parse(arguments);
        return *this;
    }
};

TEST(Options, DefaultsStayWhereNothingIsGiven) {
    Basket basket;
    basket.parse({});
    EXPECT_EQ(basket.pieces, 3);
    EXPECT_THAT(basket.sizes, ElementsAre(1, 2));
    EXPECT_FALSE(basket.discount);
    EXPECT_FALSE(basket.options.isGiven("--pieces"));
}

TEST(Options, ValuesAreRead) {
    Basket basket;
    basket.parse(
        "--pieces 5 --grams 9 --price 0 --ripe --discount 0.25 --fruit pear --other apple "
        "--name a,b in1 in2"_args);
    EXPECT_EQ(basket.pieces, 5);
    EXPECT_EQ(basket.grams, 9u);
    EXPECT_EQ(basket.price, 0);
    EXPECT_TRUE(basket.isRipe);
    EXPECT_EQ(basket.discount, 0.25);
    EXPECT_EQ(basket.fruit, Fruit::Pear);
    EXPECT_EQ(basket.other, Fruit::Apple);
    EXPECT_EQ(basket.name, "a,b");
    EXPECT_THAT(basket.inputs, ElementsAre("in1", "in2"));
    EXPECT_TRUE(basket.options.isGiven("--pieces"));
    EXPECT_FALSE(basket.options.isGivenIfKnown("--weight"));
    EXPECT_THROW(basket.options.isGiven("--weight"), std::logic_error);
}

TEST(Options, ListsAreCutAtCommasAndReplaceTheDefault) {
    Basket basket;
    basket.parse("--sizes 4,5 in --colours red,green -f a,b.png --file c.png"_args);
    EXPECT_THAT(basket.sizes, ElementsAre(4, 5));
    EXPECT_THAT(basket.inputs, ElementsAre("in"));
    EXPECT_THAT(basket.colours, ElementsAre("red", "green"));
    EXPECT_THAT(basket.files, ElementsAre("a,b.png", "c.png"));
}

TEST(Options, AnOptionMayStandWithoutItsValue) {
    EXPECT_EQ(Basket().parse({}).shown, std::nullopt);
    EXPECT_EQ(Basket().parse({"--show"}).shown, 7u);
    EXPECT_EQ(Basket().parse("--show 2"_args).shown, 2u);
    EXPECT_EQ(Basket().parse("--show --ripe"_args).shown, 7u);
}

TEST(Options, WrongValuesAreRefusedByName) {
    const auto refusal = [](std::vector<std::string> arguments) {
        return messageOf<UsageError>([&] { Basket().parse(arguments); });
    };
    EXPECT_THAT(refusal("--pieces 0"_args), HasSubstr("--pieces: '0' is not a number above 0"));
    EXPECT_THAT(refusal("--pieces many"_args), HasSubstr("'many'"));
    EXPECT_THAT(refusal("--pieces 1.5"_args), HasSubstr("--pieces"));
    EXPECT_THAT(refusal("--grams -1"_args), HasSubstr("--grams"));
    EXPECT_THAT(refusal("--price -0.1"_args), HasSubstr("'-0.1' is not a number of at least 0"));
    EXPECT_THAT(refusal("--discount 1.5"_args), HasSubstr("--discount: '1.5' is not a number from 0 to 1"));
    EXPECT_THAT(refusal("--discount nan"_args), HasSubstr("--discount"));
    EXPECT_THAT(refusal("--sizes 1,0"_args), HasSubstr("--sizes: '0'"));
    for (const char* option : {"--fruit", "--other"})
        EXPECT_EQ(refusal({option, "plum"}), "unknown fruit 'plum'; known: apple, pear");
    for (const char* option : {"--place", "--next"})
        EXPECT_EQ(refusal({option, "attic"}),
                  fmt::format("unknown {} 'attic'; known: cellar, kitchen", option));
    EXPECT_THAT(refusal("--weight 3"_args), HasSubstr("--weight"));
    Options options;
    std::string text;
    options.value("--must", text, "").required();
    EXPECT_THAT(messageOf<UsageError>([&] { options.parse({}); }), HasSubstr("--must is required"));
}

TEST(Options, NumbersAreFinite) {
    for (const char* number : {"nan", "inf", "-inf", "1e999"}) {
        double plain = 0;
        std::optional<double> optional;
        std::vector<double> list;
        Options options;
        options.value("--plain", plain, "");
        options.value("--optional", optional, "");
        options.value("--list", list, "");
        EXPECT_THAT(messageOf<UsageError>([&] {
                        options.parse({"--plain", number});
                    }),
                    HasSubstr("--plain"))
            << number;
        EXPECT_THAT(messageOf<UsageError>([&] {
                        options.parse({"--optional", number});
                    }),
                    HasSubstr("--optional"));
        EXPECT_THAT(messageOf<UsageError>([&] {
                        options.parse({"--list", std::string("1,") + number});
                    }),
                    HasSubstr("--list"));
    }
}

TEST(Options, WholeNumbersAreDecimalAndFitTheirType) {
    std::uint64_t seed = 0;
    unsigned m = 0;
    int model = 0;
    std::optional<std::size_t> most;
    std::vector<std::size_t> sizes;
    Options options;
    options.value("--seed", seed, "");
    options.value("--m", m, "").positive();
    options.value("--model", model, "");
    options.value("--most", most, "").notNegative();
    options.value("--sizes", sizes, "").positive();
    const auto refusal = [&](const std::string& option, const std::string& text) {
        return refusalOf([&] { options.parse({option + "=" + text}); });
    };
    options.parse("--seed 18446744073709551615 --m 010 --sizes 09,+7 --model=-3 --most=0"_args);
    EXPECT_EQ(seed, std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(m, 10U) << "a leading 0 does not make a number octal";
    EXPECT_THAT(sizes, ElementsAre(9, 7));
    EXPECT_EQ(model, -3);
    EXPECT_EQ(most, 0U);
    EXPECT_EQ(refusal("--seed", "18446744073709551616"),
              "--seed: '18446744073709551616' is beyond the numbers up to 18446744073709551615");
    EXPECT_EQ(refusal("--m", "4294967297"), "--m: '4294967297' is beyond the numbers up to 4294967295");
    EXPECT_EQ(refusal("--model", "-2147483649"),
              "--model: '-2147483649' is beyond the numbers up to 2147483647");
    EXPECT_EQ(refusal("--seed", "-1"), "--seed: '-1' is not a number of at least 0");
    EXPECT_EQ(refusal("--m", "-1"), "--m: '-1' is not a number above 0");
    EXPECT_EQ(refusal("--sizes", "3,-1"), "--sizes: '-1' is not a number above 0");
    for (const char* option : {"--seed", "--m", "--model", "--most", "--sizes"})
        for (const char* text : {"1.5", "0x10", "1e3", "7k", "", " ", "+", "++1", "+-1", "nan"})
            EXPECT_NE(refusal(option, text), "") << option << " " << text;
}

TEST(Options, ARefusalOfTheValueNamesTheOption) {
    Options options;
    const auto refuse = [](const std::string& text) { throw UsageError("'" + text + "' is no size"); };
    options.parsed(
        "--size S", refuse, [] { return std::string(); }, "");
    options.parsedList(
        "--sizes S,…", [&](const std::vector<std::string>& texts) { refuse(texts.at(0)); },
        [] { return std::string(); }, "");
    EXPECT_EQ(messageOf<UsageError>([&] { options.parse("--size x"_args); }), "--size: 'x' is no size");
    EXPECT_EQ(messageOf<UsageError>([&] { options.parse("--sizes y,z"_args); }), "--sizes: 'y' is no size");
}

TEST(Options, ShellsGetTheNamesOfChoices) {
    Basket basket;
    EXPECT_THAT(basket.options.suggestions("--fruit"), ElementsAre("apple", "pear"));
    EXPECT_THAT(basket.options.suggestions("--place"), ElementsAre("cellar", "kitchen"));
    EXPECT_THAT(basket.options.suggestions("--name"), ElementsAre());
    EXPECT_THAT(basket.options.suggestions("--weight"), ElementsAre());
}

TEST(Options, ARunThatReadsLittleRefusesTheRest) {
    bool isList = false;
    std::string output, id;
    Options options;
    options.value("ID", id, "");
    options.flag("--list", isList, "");
    options.value("-o,--output", output, "");
    options.parse({"--list"});
    EXPECT_NO_THROW(options.requireOnly({"--list"}, ""));
    options.parse("--list -o x"_args);
    EXPECT_EQ(messageOf<UsageError>([&] { options.requireOnly({"--list"}, "--list shows all"); }),
              "--output is not read: --list shows all");
    options.parse("--list a"_args);
    EXPECT_EQ(messageOf<UsageError>([&] { options.requireOnly({"--list"}, "--list shows all"); }),
              "ID is not read: --list shows all");
}

TEST(Options, WhatARunDoesNotReadIsRefused) {
    std::string gaps, header;
    std::size_t power = 0;
    bool all = false;
    Options options;
    options.value("--gaps", gaps, "").readBy("input", {"dna", "protein"}, "sequences");
    options.value("--header", header, "").readBy("input", {"table", "array"});
    options.value("--n", power, "").readBy("measure", {"fuzzy"}).readBy("input", {"array"});
    options.flag("--all", all, "");

    const auto refusal = [&](const RunFacet& facet) {
        return refusalOf([&] { options.requireReaders(facet); });
    };
    const std::string none;
    options.parse({"--all"});
    EXPECT_EQ(refusal({"input", {"bed"}, ""}), none);

    options.parse("--gaps x --all"_args);
    EXPECT_EQ(refusal({"input", {"bed"}, "a.bed is a PLINK set"}),
              "--gaps is for sequences; a.bed is a PLINK set");
    EXPECT_EQ(refusal({"input", {"protein"}, ""}), none);
    EXPECT_EQ(refusal({"input", {"bed", "dna"}, ""}), none) << "one of several inputs reads it";
    EXPECT_EQ(refusal({"measure", {"other"}, ""}), none) << "it does not name the measure";
    EXPECT_NE(refusal({"input", {}, ""}), none) << "nothing reads it";

    options.parse("--header x"_args);
    EXPECT_EQ(refusal({"input", {"bed"}, "b"}), "--header is for table, array; b");

    options.parse("--n 3"_args);
    EXPECT_EQ(refusal({"input", {"array"}, ""}), none);
    EXPECT_EQ(refusal({"input", {"table"}, "it is a table"}), "--n is for array; it is a table");
    EXPECT_EQ(refusal({"measure", {"fuzzy"}, ""}), none);
    EXPECT_EQ(refusal({"measure", {"plain"}, "the measure is plain"}),
              "--n is for fuzzy; the measure is plain");
}

TEST(Options, ACompanionMustBeInTheSameFolder) {
    std::string picture, order;
    Options options;
    options.value("--order", order, "").onlyWith("--png");
    options.value("-p,--png", picture, "");
    EXPECT_NO_THROW(options.parse({}));
    EXPECT_NO_THROW(options.parse("--png a.png"_args));
    EXPECT_NO_THROW(options.parse("--png a.png --order cluster"_args));
    EXPECT_EQ(messageOf<UsageError>([&] { options.parse("--order cluster"_args); }), "--order needs --png");
}

TEST(Options, HelpStatesTheDefaultOfTheTarget) {
    Basket basket;
    EXPECT_EQ(basket.options.help("--pieces"), "How many (default: 3)");
    EXPECT_EQ(basket.options.help("--price"), "Of all (default: 0.5)");
    EXPECT_EQ(basket.options.help("--grams"), "Weight (default: light)");
    EXPECT_EQ(basket.options.help("--sizes"), "Of the pieces (default: 1,2)");
    EXPECT_EQ(basket.options.help("--fruit"), "Which (default: apple)");
    EXPECT_EQ(basket.options.help("--ripe"), "To be eaten");
    EXPECT_EQ(basket.options.help("--discount"), "Share");
    EXPECT_EQ(basket.options.help("--other"), "Which else");
    EXPECT_EQ(basket.options.help("--place"), "Where (default: cellar)");
    EXPECT_EQ(basket.options.help("--next"), "Where later");
    Options options;
    std::size_t count = 4;
    options.value("--count", count, "How many").required();
    EXPECT_EQ(options.help("--count"), "How many");
}

TEST(Options, SettingsAndIdentityHaveThePresentValues) {
    Basket basket;
    basket.parse("--pieces 5 --fruit pear in"_args);
    EXPECT_EQ(
        basket.options.settings().dump(),
        R"({"IN":["in"],"pieces":5,"grams":0,"price":0.5,"ripe":false,"sizes":[1,2],"file":[],"fruit":"pear","place":"cellar"})");
    EXPECT_THAT(basket.options.identity(),
                ElementsAre("--pieces: 5", "--ripe: false", "--sizes: 1,2", "--fruit: pear"));
    basket.discount = 0.1;  // values that were determined later count
    EXPECT_EQ(basket.options.identity().at(2), "--discount: 0.1");
    EXPECT_THAT(basket.options.decidingValues().at(2), ::testing::Pair("--discount", "0.1"));
}

TEST(Options, AreNamedAndWrittenByTheFirstNameOfAValue) {
    Basket basket;
    basket.parse("--fruit pomme --other pear --place kitchen --next cellar"_args);
    EXPECT_EQ(basket.fruit, Fruit::Apple);
    EXPECT_TRUE(basket.isInKitchen);
    EXPECT_EQ(basket.isNextInKitchen, false);
    const Json settings = basket.options.settings();
    EXPECT_EQ(settings["fruit"], "apple");
    EXPECT_EQ(settings["other"], "pear");
    EXPECT_EQ(settings["place"], "kitchen");
    EXPECT_EQ(settings["next"], "cellar");
}

TEST(Options, AHeadingIsThatOfWhatIsDeclaredWhileItLives) {
    Options options;
    bool given[5] = {};
    options.flag("--first", given[0], "");
    {
        Heading outer(options, "Outer");
        outer.decidesResults();
        options.flag("--second", given[1], "");
        {
            const Heading inner(options, "Inner");
            options.flag("--third", given[2], "");
        }
        options.flag("--fourth", given[3], "");
    }
    options.flag("--last", given[4], "");
    options.parse("--first --third --fourth --last"_args);
    EXPECT_THAT(options.identity(), ElementsAre("--second: false", "--fourth: true"));
}

TEST(Options, CanBeTakenBack) {
    Basket basket;
    basket.options.remove("--pieces");
    EXPECT_EQ(basket.options.identity().front(), "--ripe: false");
    EXPECT_THAT(messageOf<UsageError>([&] { basket.parse("--pieces 3"_args); }), HasSubstr("--pieces"));
    EXPECT_THROW(basket.options.isGiven("--pieces"), std::logic_error);
}

TEST(RunIdentity, AChangedOptionIsRefusedByName) {
    const TemporaryFolder folder;
    const auto open = [&](const std::vector<std::string>& arguments) {
        return refusalOf([&] {
            Basket basket;
            RunIdentity identity(basket.parse(arguments).options);
            identity.add("contents", "1234");
            storage::TileJournal(folder / "run.tiles", identity.text(), false);
        });
    };
    EXPECT_EQ(open("--sizes 1,2,3"_args), "");
    // Options that do not affect results, and explicitly given defaults, do not change the identity.
    EXPECT_EQ(open("--sizes 1,2,3 --price 9 --pieces 3"_args), "");
    EXPECT_THAT(open("--sizes 1,2"_args), HasSubstr("--sizes was 1,2,3, is 1,2 now"));
    EXPECT_THAT(open("--sizes 1,2,3 --ripe"_args), HasSubstr("--ripe was false, is true now"));
    EXPECT_THAT(open("--sizes 1,2,3 --discount 0.5"_args), HasSubstr("--discount was not given, is 0.5 now"));
}

/// Registers commands once, because the registry is global.
class RegisteredCommands : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        const auto declare = [](int exitCode) {
            return [exitCode](Options& options) -> CommandAction {
                auto isLoud = std::make_shared<bool>(false), isSlow = std::make_shared<bool>(false);
                options.flag("--loud", *isLoud, "Say so\n, in a loud voice").formerly("--noisy");
                const Heading heading(options, "Rarely");
                options.flag("--slowly", *isSlow, "Take time").formerly("--speed", "--slowly, or nothing");
                options.footer("Long words.\n\nExamples:\n  one\n  two\n  three\n  four");
                return [isLoud, isSlow, exitCode, &options](CommandContext& context) {
                    if (*isLoud && options.isGiven("--loud")) context.out() << "loud\n";
                    if (context.verbosity() == Verbosity::Verbose) context.out() << "verbose\n";
                    return exitCode;
                };
            };
        };
        CommandRegistry& commands = CommandRegistry::instance();
        commands.describeGroup("pick", "Take something");
        commands.add({"", "eat", "Uses", "Eat it", declare(0)});
        commands.add({"pick", "apples", "", "From the tree", declare(3)});
        commands.add({"pick", "network", "", "A second command of the group", declare(4)});
    }
    int run(const std::vector<std::string>& arguments) {
        out_.str("");
        err_.str("");
        CommandContext context(out_, err_, false);
        return runCommandLine(arguments, context);
    }
    std::ostringstream out_;
    std::ostringstream err_;
};

TEST_F(RegisteredCommands, StandOnTheCommandLine) {
    EXPECT_EQ(run("eat --loud"_args), 0);
    EXPECT_EQ(out_.str(), "loud\n");
    EXPECT_EQ(run({"pick", "apples"}), 3);
    EXPECT_EQ(run({"pick", "network"}), 4);
    EXPECT_THAT(err_.str(), IsEmpty());
}

TEST_F(RegisteredCommands, StandInTheHelp) {
    EXPECT_EQ(run({"--help"}), 0);
    EXPECT_THAT(out_.str(), HasSubstr("Uses:\n  eat"));
    EXPECT_THAT(out_.str(), HasSubstr("Commands:\n  pick                        Take something"));
    EXPECT_EQ(run({"help", "pick"}), 0);
    EXPECT_THAT(out_.str(), HasSubstr("apples                      From the tree"));
    EXPECT_EQ(run("pick apples --help"_args), 0);
    EXPECT_THAT(out_.str(), HasSubstr("Usage: glycine pick apples"));
}

TEST_F(RegisteredCommands, HelpHasTwoPages) {
    EXPECT_EQ(run("help eat"_args), 0);
    EXPECT_THAT(out_.str(),
                AllOf(HasSubstr("--loud                      Say so\n"), Not(HasSubstr("--slowly")),
                      Not(HasSubstr("Long words")), HasSubstr("  three\n"), Not(HasSubstr("  four")),
                      EndsWith("`glycine help eat --all` explains 3 more options.\n")));
    EXPECT_EQ(run("help eat --all"_args), 0);
    const std::string all = out_.str();
    EXPECT_THAT(all, AllOf(HasSubstr("Say so, in a loud voice"), HasSubstr("Rarely:\n  --slowly"),
                           HasSubstr("--quiet"), HasSubstr("Long words"), HasSubstr("  four")));
    EXPECT_EQ(run("eat --help --all"_args), 0);
    EXPECT_EQ(out_.str(), all);
}

TEST_F(RegisteredCommands, FormerNamesNameTheNewOnes) {
    for (const auto& [old, now] : std::vector<std::pair<std::string, std::string>>{
             {"--noisy", "--loud"}, {"--noisy=yes", "--loud"}, {"--speed", "--slowly, or nothing"}}) {
        EXPECT_EQ(run({"eat", old}), 2);
        EXPECT_EQ(err_.str(), "glycine: error: " + old.substr(0, old.find('=')) + " is now " + now +
                                  "; see `glycine eat --help`\n");
    }
}

TEST_F(RegisteredCommands, SayAsMuchAsIsWanted) {
    EXPECT_EQ(run("eat -v"_args), 0);
    EXPECT_EQ(out_.str(), "verbose\n");
    EXPECT_EQ(run("eat --quiet"_args), 0);
    EXPECT_EQ(out_.str(), "");
    EXPECT_EQ(run("eat --quiet --verbose"_args), 2);
}

TEST_F(RegisteredCommands, WrongNamesAreNamed) {
    EXPECT_EQ(run({"eta"}), 2);
    EXPECT_THAT(err_.str(), HasSubstr("unknown command 'eta'; nearest: eat; known: eat, pick\n"));
    EXPECT_EQ(run({"drink"}), 2);
    EXPECT_THAT(err_.str(), HasSubstr("unknown command 'drink'; known: eat, pick"));
    EXPECT_EQ(run({"pick", "plums"}), 2);
    EXPECT_THAT(err_.str(), HasSubstr("'plums'; known: apples, network"));
    EXPECT_EQ(run("eat --quickly"_args), 2);
    EXPECT_THAT(err_.str(), HasSubstr("see `glycine eat --help`"));
}

}  // namespace
}  // namespace glycine
