// The render-to-texture framework, class by class, and its probes.
#include "engine/gl/framework/context.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/framework/gl_probes.hpp"
#include "engine/gl/framework/self_test.hpp"
#include "tests/gl/gl_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::gl {
namespace {

// ---- The render-to-texture framework, class by class.

class GlFramework : public testing::TestWithParam<Dialect> {
  protected:
    void SetUp() override {
        BackendOptions options;
        options.dialect = GetParam();
        try {
            backend_ = std::make_unique<GlBackend>(options);
        } catch (const UnavailableError& error) {
            GTEST_SKIP() << error.what();
        }
        DebugLog::take();
    }
    void TearDown() override { EXPECT_THAT(DebugLog::take(), IsEmpty()); }
    bool isLegacy() const { return GetParam() == Dialect::Gl21; }

    std::unique_ptr<GlBackend> backend_;
};

INSTANTIATE_TEST_SUITE_P(Dialects, GlFramework, testing::ValuesIn(allDialects()),
                         [](const auto& dialect) { return std::string(toString(dialect.param)); });

template <class T>
void expectRoundTrip(GlBackend& backend, TextureFormat format) {
    const TextureShape shape{format, {7, 5}};
    std::vector<T> texels(shape.bytes() / 4);
    for (std::size_t i = 0; i < texels.size(); ++i)
        texels[i] = std::is_same_v<T, float> ? T(1) / T(3 + i) : T(i * 2654435761U);
    RenderTexture texture(backend.textures(), shape);
    texture.texture().upload(texels.data());
    std::vector<T> back(texels.size());
    readPixels(texture.framebuffer(), 0, format, texture.texture().extent(), back.data());
    EXPECT_EQ(back, texels) << info(format).name;
}

TEST_P(GlFramework, TextureKeepsWhatIsUploaded) {
    expectRoundTrip<float>(*backend_, TextureFormat::R32F);
    expectRoundTrip<float>(*backend_, TextureFormat::RGBA32F);
    if (isLegacy()) return;
    expectRoundTrip<std::int32_t>(*backend_, TextureFormat::R32I);
    expectRoundTrip<std::int32_t>(*backend_, TextureFormat::RGBA32I);
    expectRoundTrip<std::uint32_t>(*backend_, TextureFormat::RGBA32UI);
}

TEST_P(GlFramework, TexelsOfAnotherNumberTypeAreRefused) {
    RenderTexture texture(backend_->textures(), {TextureFormat::R32F, {2, 2}});
    const std::vector<std::int32_t> integers(4, 1);
    EXPECT_THROW(texture.texture().upload(integers.data()), UsageError);
    std::vector<std::uint32_t> back(4);
    EXPECT_THROW(readPixels(texture.framebuffer(), 0, TextureFormat::R32F, {{0, 0}, {2, 2}}, back.data()),
                 UsageError);
}

TEST_P(GlFramework, UploadOfAWindowLeavesTheRestAlone) {
    RenderTexture texture(backend_->textures(), {TextureFormat::R32F, {4, 4}});
    const std::vector<float> zeros(16, 0.0F);
    texture.texture().upload(zeros.data());
    const std::vector<float> source{1, 2, 99, 3, 4, 99};  // two columns of rows of three
    texture.texture().upload(source.data(), {{1, 2}, {2, 2}}, 3);
    std::vector<float> back(16);
    readPixels(texture.framebuffer(), 0, TextureFormat::R32F, texture.texture().extent(), back.data());
    EXPECT_THAT(back, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0));
}

// Uploads of more than two pieces, from rows with gaps in memory, into a part of the texture.
TEST_P(GlFramework, LargeUploadsGoThroughPixelBuffers) {
    for (const bool pixelBuffers : {false, true}) {
        TexturePool pool(std::size_t{1} << 28, isLegacy(), pixelBuffers);
        const int width = 700, height = 1100, left = 3, lower = 5, stride = 711;
        RenderTexture texture(pool, {TextureFormat::RGBA32F, {width + 7, height + 9}});
        texture.framebuffer().clear();
        std::vector<float> texels(std::size_t{4} * stride * height);
        for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i % 8388593);
        texture.texture().upload(texels.data(), {{left, lower}, {width, height}}, stride);
        // A small upload afterwards comes from the program's memory again.
        const std::vector<float> corner{1, 2, 3, 4};
        texture.texture().upload(corner.data(), {{0, 0}, {1, 1}}, 1);
        std::vector<float> back(texture.shape().bytes() / sizeof(float));
        readPixels(texture.framebuffer(), 0, TextureFormat::RGBA32F, texture.texture().extent(), back.data());
        std::size_t wrong = 0;
        for (int y = 0; y < height + 9; ++y)
            for (int x = 0; x < width + 7; ++x)
                for (int c = 0; c < 4; ++c) {
                    const int i = x - left, j = y - lower;
                    const bool isIn = i >= 0 && i < width && j >= 0 && j < height;
                    const float expected = x + y == 0 ? corner[static_cast<std::size_t>(c)]
                                           : isIn     ? texels[4 * (static_cast<std::size_t>(j) * stride +
                                                                static_cast<std::size_t>(i)) +
                                                           static_cast<std::size_t>(c)]
                                                      : 0.0F;
                    wrong +=
                        back[4 * (static_cast<std::size_t>(y) * (width + 7) + static_cast<std::size_t>(x)) +
                             static_cast<std::size_t>(c)] != expected;
                }
        EXPECT_EQ(wrong, 0U) << pixelBuffers;
    }
    if (isLegacy()) return;
    // A layer of an array, with another number type.
    TexturePool pool(std::size_t{1} << 28, false, true);
    Texture array = pool.acquire({TextureFormat::RGBA32UI, {512, 700}, 4});
    std::vector<std::uint32_t> words(array.shape().bytes() / 16);
    std::iota(words.begin(), words.end(), 7U);
    array.upload(words.data(), 2);
    const Framebuffer framebuffer(array, 4);
    std::vector<std::uint32_t> back(words.size());
    readPixels(framebuffer, 2, TextureFormat::RGBA32UI, array.extent(), back.data());
    EXPECT_EQ(back, words);
    pool.release(std::move(array));
}

TEST_P(GlFramework, PassDrawsItsRegionOnlyAndPingPongAlternates) {
    PingPong textures(backend_->textures(), {TextureFormat::RGBA32F, {4, 4}});
    std::vector<float> ones(64, 1.0F);
    std::vector<float> twos(64, 2.0F);
    textures.source().texture().upload(ones.data());
    textures.target().texture().upload(twos.data());
    const Texture& source = textures.source().texture();
    backend_->pass("common/copy_texel.frag")
        .input("source", source)
        .output(textures.target().framebuffer())
        .draw({{1, 1}, {2, 2}});
    textures.swap();
    EXPECT_NE(&textures.source().texture(), &source);
    std::vector<float> back(64);
    readPixels(textures.source().framebuffer(), 0, TextureFormat::RGBA32F, source.extent(), back.data());
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x) {
            const bool inside = x >= 1 && x < 3 && y >= 1 && y < 3;
            EXPECT_EQ(back[static_cast<std::size_t>(4 * (4 * y + x))], inside ? 1.0F : 2.0F)
                << x << ", " << y;
        }
}

TEST_P(GlFramework, MultipleTargetsAreLayersOfAnArray) {
    if (!backend_->gl().features.multipleTargets)
        GTEST_SKIP() << "no multiple render targets in this dialect";
    RenderTexture source(backend_->textures(), {TextureFormat::RGBA32F, {3, 8}, 4});
    RenderTexture target(backend_->textures(), {TextureFormat::RGBA32F, {3, 8}, 4});
    std::vector<float> texels(3 * 8 * 4);
    for (int layer = 0; layer < 4; ++layer) {
        std::iota(texels.begin(), texels.end(), 1000.0F * static_cast<float>(layer));
        source.texture().upload(texels.data(), layer);
    }
    backend_->pass("bounds/copy_strips.frag", {{"ROWS", "4"}, {"OUTPUTS", "4"}})
        .input("source", source.texture())
        .output(target.framebuffer())
        .draw();
    for (int layer = 0; layer < 4; ++layer) {
        readPixels(target.framebuffer(), layer, TextureFormat::RGBA32F, {{0, 0}, {3, 8}}, texels.data());
        EXPECT_EQ(texels.front(), 1000.0F * static_cast<float>(layer));
        EXPECT_EQ(texels.back(), 1000.0F * static_cast<float>(layer) + 95);
    }
}

TEST_P(GlFramework, UnknownUniformIsAnError) {
    Program& program = backend_->programs().get("common/rectangle.vert", "common/canary.frag");
    program.use();
    try {
        program.set("passNumbr", 1.0F);
        FAIL() << "a misspelt uniform was accepted";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("no uniform 'passNumbr'"));
        EXPECT_THAT(error.what(), HasSubstr("known: passNumber"));
    }
}

TEST_P(GlFramework, ProgramsAreCompiledOnce) {
    const std::size_t before = backend_->programs().size();
    Program& first = backend_->programs().get("common/rectangle.vert", "common/canary.frag");
    Program& second = backend_->programs().get("common/rectangle.vert", "common/canary.frag");
    EXPECT_EQ(&first, &second);
    EXPECT_EQ(backend_->programs().size(), before);
    // Another define makes another program.
    EXPECT_NE(&first,
              &backend_->programs().get("common/rectangle.vert", "common/canary.frag", {{"UNUSED", "1"}}));
}

/// Backends with a cache of their own.
class GlCache : public GlFramework {
  protected:
    void SetUp() override {
        GlFramework::SetUp();
        if (IsSkipped()) return;
        if (const std::string kept = backend_->programs().binaries().describe().cause;
            kept.find("gives no binary programs") != std::string::npos)
            GTEST_SKIP() << kept;
        backend_.reset();
    }
    std::unique_ptr<GlBackend> make() const {
        ::setenv("GLYCINE_CACHE", (folder_ / "cache").c_str(), 1);
        BackendOptions options;
        options.dialect = GetParam();
        auto backend = std::make_unique<GlBackend>(options);
        ::setenv("GLYCINE_CACHE", "off", 1);
        return backend;
    }
    /// Draws with a program that uses numbers, textures and attributes; returns the target.
    static std::vector<float> drawn(GlBackend& backend) {
        RenderTexture source(backend.textures(), {TextureFormat::RGBA32F, {3, 2}});
        RenderTexture target(backend.textures(), {TextureFormat::RGBA32F, {3, 2}});
        std::vector<float> numbers(24);
        std::iota(numbers.begin(), numbers.end(), 0.5F);
        source.texture().upload(numbers.data());
        target.framebuffer().clear();
        FragmentPass(backend.geometry(),
                     backend.programs().get("common/rectangle.vert", "common/copy_texel.frag"))
            .input("source", source.texture())
            .output(target.framebuffer())
            .draw({{1, 0}, {2, 2}});
        std::vector<float> back(24);
        readPixels(target.framebuffer(), 0, TextureFormat::RGBA32F, target.texture().extent(), back.data());
        backend.canary().check("testing");
        return back;
    }
    std::vector<std::filesystem::path> files() const {
        std::vector<std::filesystem::path> paths;
        for (const auto& entry : std::filesystem::directory_iterator(folder_ / "cache"))
            paths.push_back(entry.path());
        return paths;
    }

    test::TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Dialects, GlCache, testing::ValuesIn(allDialects()),
                         [](const auto& dialect) { return std::string(toString(dialect.param)); });

TEST_P(GlCache, ProgramsAreCompiledOnceAMachine) {
    std::size_t programs = 0;
    std::vector<float> expected;
    {
        const auto first = make();
        expected = drawn(*first);
        programs = first->programs().size();
        EXPECT_EQ(first->programs().binaries().stored(), programs);
        EXPECT_EQ(first->programs().binaries().loaded(), 0U);
    }
    EXPECT_EQ(files().size(), programs);
    {
        const auto second = make();
        EXPECT_EQ(drawn(*second), expected);
        EXPECT_EQ(second->programs().binaries().loaded(), programs);
        EXPECT_EQ(second->programs().binaries().stored(), 0U);
        // Another source makes another program.
        second->programs().get("common/rectangle.vert", "common/copy_texel.frag", {{"UNUSED", "1"}});
        EXPECT_EQ(second->programs().binaries().stored(), 1U);
    }
    // Damaged files are compiled again, and replaced.
    for (const auto& path : files()) std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
    for (const bool isDamaged : {true, false}) {
        const auto later = make();
        EXPECT_EQ(drawn(*later), expected);
        EXPECT_EQ(later->programs().binaries().loaded(), isDamaged ? 0 : programs);
        EXPECT_EQ(later->programs().binaries().stored(), isDamaged ? programs : 0);
    }
}

TEST_P(GlCache, ProgramsThatTheDriverRefusesAreCompiledAnew) {
    const auto backend = make();
    storage::UserCache cache(folder_ / "cache");
    const std::string vertex =
        assembleShader(GetParam(), ShaderStage::Vertex, "common/rectangle.vert", {}, "");
    const std::string fragment =
        assembleShader(GetParam(), ShaderStage::Fragment, "common/canary.frag", {}, "");
    const std::string key = "program\n" + driverKey(GetParam()) + vertex + '\0' + fragment;
    const std::optional<std::string> kept = cache.find(key);
    ASSERT_TRUE(kept && kept->size() > 8);
    std::string damaged = *kept;
    for (std::size_t i = 4; i < damaged.size(); ++i) damaged[i] = static_cast<char>(damaged[i] ^ 0x5a);
    std::string otherFormat = *kept;
    otherFormat[0] = static_cast<char>(otherFormat[0] ^ 0x5a);
    for (const std::string& value :
         {damaged, otherFormat, kept->substr(0, 4), kept->substr(0, 20), std::string()}) {
        ASSERT_TRUE(cache.put(key, value));
        ProgramBinaries binaries(cache, GetParam());
        Program program(vertex, fragment, "canary", &binaries);
        EXPECT_EQ(binaries.loaded(), 0U);
        EXPECT_EQ(binaries.stored(), 1U);
        program.use();
        program.set("passNumber", 1.0F);
        checkErrors("testing");
    }
    // Whole again, although drivers may return other bytes for the same program.
    ProgramBinaries binaries(cache, GetParam());
    const Program program(vertex, fragment, "canary", &binaries);
    EXPECT_EQ(binaries.loaded(), 1U);
}

TEST_P(GlCache, RatesAreRememberedByTheNextProcess) {
    const auto perDraw = [](GlBackend& backend, const char* work) {
        backend.budget().restart(work);
        return backend.budget().workPerDraw();
    };
    double first = 0;
    {
        const auto backend = make();
        first = perDraw(*backend, "fast");
        // Draw nothing: this imitates a device that finishes at once.
        for (int portion = 0; portion < 3; ++portion) backend->budget().note(backend->budget().workPerDraw());
        backend->canary().check("testing");
        EXPECT_GT(perDraw(*backend, "fast"), 100 * first);
    }
    const auto backend = make();
    EXPECT_GT(perDraw(*backend, "fast"), 25 * first);
    EXPECT_EQ(perDraw(*backend, "other"), first);
}

TEST_P(GlFramework, ProgramsInCompilationAreFinishedAtFirstUse) {
    ProgramCache& programs = backend_->programs();
    const std::size_t before = programs.size();
    const ShaderDefines defines{{"UNUSED", "2"}};
    programs.begin("common/rectangle.vert", "common/canary.frag", defines);
    EXPECT_EQ(programs.size(), before + 1);
    Program& program = programs.get("common/rectangle.vert", "common/canary.frag", defines);
    EXPECT_EQ(programs.size(), before + 1);
    program.use();
    program.set("passNumber", 3.0F);
    // A compile error is reported to each caller, every time.
    const ShaderDefines broken{{"main", "nonsense("}};
    programs.begin("common/rectangle.vert", "common/canary.frag", broken);
    for (int attempt = 0; attempt < 2; ++attempt)
        EXPECT_THROW(programs.get("common/rectangle.vert", "common/canary.frag", broken), DeviceError);
    DebugLog::take();  // discards the expected compiler message
}

TEST_P(GlFramework, BrokenShaderIsReportedWithTheDriversLog) {
    try {
        const Program program("void main() { gl_Position = vec4(0); }", "nonsense", "test.frag");
        FAIL() << "nonsense compiled";
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), HasSubstr("shader 'test.frag'"));
    }
    DebugLog::take();  // discards the expected compiler message
    EXPECT_THROW(assembleShader(GetParam(), ShaderStage::Fragment, "no/such.frag", {}, ""), UsageError);
}

TEST_P(GlFramework, AsynchronousReadbackBringsBandsInOrder) {
    constexpr int kWidth = 64;
    constexpr int kHeight = 40;
    RenderTexture texture(backend_->textures(), {TextureFormat::R32F, {kWidth, kHeight}});
    std::vector<float> texels(kWidth * kHeight);
    std::iota(texels.begin(), texels.end(), 0.0F);
    texture.texture().upload(texels.data());
    int nextRow = 0;
    readInBands<float>(texture, 0, [&](int firstRow, int rows, const float* values) {
        EXPECT_EQ(firstRow, nextRow);
        for (int i = 0; i < rows * kWidth; ++i)
            ASSERT_EQ(values[i], texels[static_cast<std::size_t>(firstRow * kWidth + i)]);
        nextRow = firstRow + rows;
    });
    EXPECT_EQ(nextRow, kHeight);
}

TEST_P(GlFramework, PoolReusesTexturesAndKeepsItsBound) {
    TexturePool pool(1 << 20, isLegacy());
    const TextureShape halfMebibyte{TextureFormat::RGBA32F, {256, 128}};
    GLuint name = 0;
    {
        const PooledTexture first(pool, halfMebibyte);
        name = first->name();
        EXPECT_EQ(pool.bytesLent(), halfMebibyte.bytes());
        const PooledTexture second(pool, halfMebibyte);
        EXPECT_THROW(PooledTexture(pool, halfMebibyte), UnavailableError);
    }
    EXPECT_EQ(pool.bytesLent(), 0U);
    EXPECT_EQ(pool.bytesKept(), 2 * halfMebibyte.bytes());
    {
        const PooledTexture again(pool, halfMebibyte);
        EXPECT_EQ(pool.bytesKept(), halfMebibyte.bytes());
        // A request for another shape frees the kept texture.
        const PooledTexture other(pool, {TextureFormat::RGBA32F, {128, 256}});
        EXPECT_EQ(pool.bytesKept(), 0U);
    }
    EXPECT_NE(name, 0U);
}

TEST_P(GlFramework, BudgetCutsDrawsIntoBands) {
    PassBudget budget(1e-3);  // a microsecond: every band is one row
    int rows = 0;
    int bands = 0;
    drawInBands(budget, {{3, 2}, {5, 7}}, 1e9, [&](const Rectangle& band) {
        EXPECT_EQ(band.origin.x, 3);
        EXPECT_EQ(band.size.x, 5);
        EXPECT_EQ(band.origin.y, 2 + rows);
        rows += band.size.y;
        ++bands;
    });
    EXPECT_EQ(rows, 7);
    EXPECT_EQ(bands, 7);
    PassBudget roomy(1e6);
    bands = 0;
    drawInBands(roomy, {{0, 0}, {5, 7}}, 1, [&](const Rectangle&) { ++bands; });
    EXPECT_EQ(bands, 1);
}

TEST_P(GlFramework, BudgetCutsDrawsIntoPieces) {
    const auto areaOf = [](PassBudget& budget, const Rectangle& region, double workPerTexel, int& pieces) {
        std::vector<int> hits(static_cast<std::size_t>(region.size.x * region.size.y), 0);
        pieces = 0;
        drawInPieces(budget, region, workPerTexel, [&](const Rectangle& piece) {
            ++pieces;
            for (int y = 0; y < piece.size.y; ++y)
                for (int x = 0; x < piece.size.x; ++x)
                    ++hits[static_cast<std::size_t>((piece.origin.y - region.origin.y + y) * region.size.x +
                                                    piece.origin.x - region.origin.x + x)];
        });
        return hits;
    };
    const Rectangle region{{3, 2}, {14, 11}};
    const std::vector<int> once(14 * 11, 1);
    int pieces = 0;
    PassBudget budget(1e-3);  // a microsecond: every piece is a block of 4 × 4 texels
    EXPECT_EQ(areaOf(budget, region, 1e9, pieces), once);
    EXPECT_EQ(pieces, 4 * 3);
    PassBudget roomy(1e6);
    EXPECT_EQ(areaOf(roomy, region, 1, pieces), once);
    EXPECT_EQ(pieces, 1);
    PassBudget rows(1);  // 5e4 units of work: a band of 8 rows
    EXPECT_EQ(areaOf(rows, region, 5e4 / (9 * 14), pieces), once);
    EXPECT_EQ(pieces, 2);
}

TEST_P(GlFramework, ClearedTargetsAreZero) {
    RenderTexture target(backend_->textures(), {TextureFormat::RGBA32F, {3, 5}});
    std::vector<float> texels(60, 7.0F);
    target.texture().upload(texels.data());
    target.framebuffer().clear();
    readPixels(target.framebuffer(), 0, TextureFormat::RGBA32F, target.texture().extent(), texels.data());
    EXPECT_THAT(texels, Each(0.0F));
}

TEST_P(GlFramework, CanaryPassesOnALivingDevice) {
    backend_->canary().check("testing");
    backend_->canary().check("testing again");
}

TEST_P(GlFramework, AdditionAndMultiplicationRoundCorrectly) {
    // Bounds are compared to the bit, so every supported device must execute these two as IEEE operations.
    for (const PrecisionResult& result :
         measurePrecision(backend_->textures(), backend_->geometry(), backend_->programs())) {
        const bool mustBeExact = result.operation == "a + b" || result.operation == "a * b";
        EXPECT_TRUE(result.isExact || !mustBeExact) << result.operation;
        EXPECT_LT(result.largestError, 64) << result.operation;
    }
}

// A driver that ends loops early must do so exactly at the reported limit, and not one round before.
TEST_P(GlFramework, LoopsRunAsLongAsTheLimitSays) {
    const int limit = backend_->loopLimit().rounds;
    EXPECT_TRUE(backend_->loopLimit().allows(60'000));
    RenderTexture target(backend_->textures(), {TextureFormat::RGBA32F, {1, 1}});
    const auto counted = [&](int rounds) {
        backend_->pass("common/loop_probe.frag")
            .output(target.framebuffer())
            .uniform("rounds", rounds)
            .draw();
        std::array<float, 4> texel{};
        readPixels(target.framebuffer(), 0, TextureFormat::RGBA32F, target.texture().extent(), texel.data());
        return static_cast<int>(texel[0]);
    };
    EXPECT_EQ(counted(60'000), 60'000);
    if (limit == 0) {
        EXPECT_EQ(counted(100'000), 100'000);
        return;
    }
    EXPECT_EQ(counted(limit), limit);
    EXPECT_EQ(counted(limit + 1), limit);
    EXPECT_TRUE(backend_->loopLimit().allows(static_cast<std::size_t>(limit)));
    EXPECT_FALSE(backend_->loopLimit().allows(static_cast<std::size_t>(limit) + 1));
}

// Querying one backend's abilities must not disturb work on another one.
TEST_P(GlFramework, LoopsAreCountedOnceInTheBackendsOwnContext) {
    const std::size_t atStart = backend_->programs().size();
    GlBackend other(backend_->options());
    const LoopLimit& limit = backend_->loopLimit();
    EXPECT_EQ(Context::current(), &other.context());
    EXPECT_EQ(backend_->programs().size(), atStart + 1);
    EXPECT_EQ(other.programs().size(), atStart);
    EXPECT_EQ(limit.rounds, other.loopLimit().rounds);
    // The other backend still draws.
    expectRoundTrip<float>(other, TextureFormat::RGBA32F);
    const auto rows = [](const GlBackend& backend) {
        return std::ranges::count(backend.capabilities().limits, "rounds of a fragment's loops",
                                  &Capability::name);
    };
    EXPECT_EQ(rows(*backend_), 1);
    EXPECT_EQ(rows(*backend_), 1);
}

TEST_P(GlFramework, IncompleteFramebufferNamesTheFormat) {
    if (isLegacy()) GTEST_SKIP() << "needs array textures";
    const Texture texture({TextureFormat::RGBA32F, {4, 4}, 2});
    EXPECT_THROW(Framebuffer(texture, 3), DeviceError);  // layer 2 does not exist
    while (glGetError() != GL_NO_ERROR) {
    }
    DebugLog::take();
}

TEST(GlContext, UnknownDeviceIsAUsageError) {
    BackendOptions options;
    options.device = 99;
    try {
        const GlBackend backend(options);
        FAIL() << "device 99 exists";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("no gl device 99"));
    } catch (const UnavailableError& error) {
        GTEST_SKIP() << error.what();
    }
}

TEST(GlContext, EveryListedDeviceGivesAContextOrAReason) {
    const std::vector<std::string> devices = listDevices();
    if (devices.empty()) GTEST_SKIP() << "EGL enumerates no devices";
    int usable = 0;
    for (std::size_t i = 0; i < devices.size(); ++i) try {
            BackendOptions options;
            options.device = static_cast<int>(i);
            const GlBackend backend(options);
            EXPECT_THAT(backend.context().origin(), HasSubstr("EGL device"));
            ++usable;
        } catch (const UnavailableError& error) {
            EXPECT_THAT(std::string(error.what()), Not(IsEmpty()));
        }
    EXPECT_GT(usable, 0);
}

TEST(GlContext, GlfwGivesAHiddenWindow) {
    BackendOptions options;
    options.context = ContextKind::Glfw;
    try {
        const GlBackend backend(options);
        EXPECT_EQ(backend.context().origin(), "GLFW hidden window");
    } catch (const UnavailableError& error) {
        GTEST_SKIP() << error.what();
    }
}

// ---- The ceilings of OpenGL: probes compute what they time, in each dialect.

class GlProbes : public testing::TestWithParam<Dialect> {};

TEST_P(GlProbes, ComputeWhatTheyAreTimedFor) {
    test::OwnedBackend& shared = test::sharedBackend(GetParam());
    if (!shared.backend) GTEST_SKIP() << shared.reason;
    GlBackend& backend = *shared.backend;
    backend.makeCurrent();
    DebugLog::take();
    int measured = 0;
    for (const DeviceProbe& probe : glProbes(backend)) {
        SCOPED_TRACE(probe.name);
        if (!probe.absent.empty()) continue;
        const DeviceProbe::Runner run = probe.start();
        for (const std::size_t portions : {std::size_t{1}, std::size_t{2}}) {
            const ProbeRun one = run(portions);  // throws if results are wrong
            EXPECT_GT(one.amount, 0);
            EXPECT_GT(one.seconds, 0);
            if (!probe.isTime()) continue;
            EXPECT_GE(one.amount, 1024. * static_cast<double>(portions)) << "of batches";
            EXPECT_GT(one.least, 0);
            EXPECT_LE(one.least, one.seconds / one.amount * 1.001) << "the best of them";
        }
        ++measured;
    }
    EXPECT_GE(measured, GetParam() == Dialect::Gl21 ? 8 : 15);
    EXPECT_THAT(DebugLog::take(), IsEmpty());
}

TEST(GlProbeChains, EndWhereEveryRoundLeadsThem) {
    // Eight chains start at 2^18 and fall by at least one per round; the last one falls by two in the first.
    EXPECT_LT(expectedChainSum<std::int32_t>(1 << 18), 8 * ((1 << 18) - kProbeRounds));
    EXPECT_EQ(expectedChainSum<float>(1 << 18), static_cast<float>(expectedChainSum<std::int32_t>(1 << 18)));
}

INSTANTIATE_TEST_SUITE_P(Dialects, GlProbes, testing::ValuesIn(allDialects()),
                         [](const auto& param) { return std::string(toString(param.param)); });

}  // namespace
}  // namespace glycine::gl
