#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/structure/energy_engine.hpp"
#include "engine/structure/gather_terms.hpp"
#include "engine/structure/neighbours.hpp"

namespace glycine::structure::gl {

namespace {

using glycine::gl::FragmentPass;
using glycine::gl::GlBackend;
using glycine::gl::PooledTexture;
using glycine::gl::RenderTexture;
using glycine::gl::TableTexture;
using glycine::gl::TableWidth;
using glycine::gl::TextureFormat;

constexpr auto kFormat = TextureFormat::RGBA32F;
constexpr std::size_t kTexelBytes = 16;
/// Energies added up by one fragment.
constexpr std::uint32_t kChunk = 64;
/// Smallest room for neighbours, in texels of two each: an atom of a folded protein has 30.
constexpr std::size_t kNeighbourTexels = 32;

const VariantTable<EnergyVariant>& variants() {
    static const VariantTable<EnergyVariant> table(
        "gl", {"float32"},
        {{EnergyVariant::Gather,
          "a fragment an atom of a model, which gathers its terms; lists of neighbours from the processor",
          "",
          {Dialect::Gl33, Dialect::Es300},
          true}});
    return table;
}

/// Width of all tables. The largest one, of neighbours, is about as wide as high.
TableWidth widthFor(const GlBackend& backend, std::size_t models, std::size_t atoms) {
    const auto side = static_cast<std::size_t>(backend.gl().limits.maxTextureSize);
    TableWidth width{4};
    while (width.rows(models * kNeighbourTexels * atoms) > width.texels() && 2 * width.texels() <= side)
        ++width.rowBits;
    return width;
}

/// Consecutive texels, filled once.
class Table {
  public:
    Table(GlBackend& backend, TableWidth width, const std::vector<std::array<float, 4>>& texels)
        : table_(backend.textures(), kFormat, width, texels.size()) {
        for (std::size_t k = 0; k < texels.size(); ++k) std::ranges::copy(texels[k], table_.texel(k));
        table_.upload(texels.size());
    }
    const glycine::gl::Texture& texture() const { return table_.texture(); }

  private:
    TableTexture<float> table_;
};
using Texels = std::vector<std::array<float, 4>>;

template <class... Numbers>
std::array<float, 4> texel(Numbers... numbers) {
    return {static_cast<float>(numbers)...};
}

Texels distanceTexels(const GatherTerms& terms) {
    Texels texels;
    for (const GatherDistance& one : terms.distances) {
        texels.push_back(texel(one.upper6, one.lower6, one.upper, one.lower));
        texels.push_back(texel(one.weight, one.first, one.end));
    }
    return texels;
}
Texels pairTexels(const std::vector<GatherPair>& pairs) {
    Texels texels;
    for (const GatherPair& pair : pairs) texels.push_back(texel(pair.first, pair.second));
    return texels;
}
/// First and end index of each list, followed by the lists.
Texels listTexels(const std::vector<std::uint32_t>& first, const std::vector<GatherPair>& entries) {
    Texels texels;
    const std::size_t lists = first.size() - 1;
    for (std::size_t k = 0; k < lists; ++k) texels.push_back(texel(lists + first[k], lists + first[k + 1]));
    const Texels behind = pairTexels(entries);
    texels.insert(texels.end(), behind.begin(), behind.end());
    return texels;
}
Texels dihedralTexels(const GatherTerms& terms) {
    Texels texels;
    for (const GatherDihedral& one : terms.dihedrals) {
        texels.push_back(texel(one.atoms[0], one.atoms[1], one.atoms[2], one.atoms[3]));
        texels.push_back(one.kind == DihedralKind::Window
                             ? texel(std::cos(one.centre), std::sin(one.centre))
                             : texel(one.partner[0], one.partner[1], one.partner[2], one.partner[3]));
        texels.push_back(texel(static_cast<std::uint32_t>(one.kind), one.half, one.weight, one.isGlycine));
    }
    return texels;
}

/// Consecutive distances, dihedral angles or atoms whose energies belong to one term.
struct Chunk {
    std::uint32_t first, end, source;
    double Energy::*term;
};
std::vector<Chunk> chunksOf(const GatherTerms& terms) {
    std::vector<Chunk> chunks;
    const auto add = [&](std::size_t first, std::size_t end, std::uint32_t source, double Energy::*term) {
        for (auto k = static_cast<std::uint32_t>(first); k < end; k += kChunk)
            chunks.push_back({k, std::min(k + kChunk, static_cast<std::uint32_t>(end)), source, term});
    };
    add(0, terms.restraints, 0, &Energy::restraints);
    add(terms.restraints, terms.distances.size(), 0, &Energy::rings);
    add(0, terms.windows, 1, &Energy::dihedrals);
    add(terms.windows, terms.ringWindows, 1, &Energy::rings);
    add(terms.ringWindows, terms.dihedrals.size(), 1, &Energy::torsions);
    add(0, terms.atoms, 2, &Energy::vanDerWaals);
    return chunks;
}
Texels chunkTexels(const std::vector<Chunk>& chunks) {
    Texels texels;
    for (const Chunk& chunk : chunks) texels.push_back(texel(chunk.first, chunk.end, chunk.source));
    return texels;
}

/// Data of the same size for each model, one model after another.
class PerModel {
  public:
    PerModel(GlBackend& backend, TableWidth width, std::size_t models, std::size_t each)
        : each_(static_cast<int>(each)),
          width_(width),
          rows_(static_cast<int>(width_.rows(models * each))),
          target_(backend.textures(), width_.shape(kFormat, models * each)) {}
    int each() const { return each_; }
    RenderTexture& target() { return target_; }
    const glycine::gl::Texture& texture() const { return target_.texture(); }
    glycine::gl::Rectangle region() const { return {{0, 0}, {static_cast<int>(width_.texels()), rows_}}; }
    void download(std::vector<float>& texels) const {
        texels.resize(4 * width_.texels() * static_cast<std::size_t>(rows_));
        glycine::gl::readPixels(target_.framebuffer(), 0, kFormat, region(), texels.data());
    }

  private:
    int each_;
    TableWidth width_;
    int rows_;
    RenderTexture target_;
};

/// The neighbour lists of all models. Each model has whole rows, which begin with the first and end index of
/// each atom's list. The processor makes the lists, as in cpu.
class NeighbourTexture {
  public:
    NeighbourTexture(GlBackend& backend, TableWidth width, const FoldProblem& problem, std::size_t models)
        : backend_(backend),
          width_(width),
          atoms_(problem.molecule->atoms.size()),
          lists_(problem),
          models_(models) {
        makeRoom((kNeighbourTexels + 1) * atoms_);
    }
    const glycine::gl::Texture& texture() const { return **texture_; }
    int region() const { return static_cast<int>(rows_ * width_.texels()); }

    void update(std::span<const Vector> positions, bool heavyOnly, int threads) {
        std::vector<std::uint8_t> isNew(models_.size());
        std::vector<std::size_t> texels(models_.size());
        parallelFor(threads, models_.size(), [&](std::size_t m, std::size_t) {
            isNew[m] = lists_.update(models_[m].list, positions.data() + m * atoms_, heavyOnly) ? 1 : 0;
            if (isNew[m] != 0) models_[m].order(atoms_);
            texels[m] = atoms_ + models_[m].texels;
        });
        const std::size_t most = *std::max_element(texels.begin(), texels.end());
        if (most > rows_ * width_.texels()) {
            makeRoom(most + most / 4);
            std::fill(isNew.begin(), isNew.end(), std::uint8_t{1});
        }
        for (std::size_t m = 0; m < models_.size(); ++m) {
            if (isNew[m] == 0) continue;
            models_[m].write(atoms_, lists_.contacts().distances, host_);
            (**texture_)
                .upload(host_.data(),
                        {{0, static_cast<int>(m * rows_)}, {width_.texels(), width_.rows(texels[m])}},
                        static_cast<int>(width_.texels()));
        }
    }

  private:
    struct Model {
        NeighbourLists::Model list;
        std::vector<std::uint32_t>
            first;  ///< first texel of each atom's list, after the index texels of all atoms
        std::size_t texels = 0;

        void order(std::size_t atoms) {
            first.assign(atoms + 1, 0);
            for (const AtomPair& pair : std::span(list.pairs).first(list.count)) {
                ++first[pair.first + 1];
                ++first[pair.second + 1];
            }
            for (std::size_t a = 0; a < atoms; ++a) first[a + 1] = first[a] + (first[a + 1] + 1) / 2;
            texels = first.back();
        }
        void write(std::size_t atoms, const std::vector<double>& contacts, std::vector<float>& host) const {
            std::fill_n(host.begin(), 4 * (atoms + texels), 0.0F);
            std::vector<std::uint32_t> used(atoms);
            const auto add = [&](AtomIndex a, AtomIndex neighbour, double contact) {
                float* const entry = host.data() + 4 * (atoms + first[a]) + 2 * used[a]++;
                entry[0] = static_cast<float>(neighbour);
                entry[1] = static_cast<float>(contact);
            };
            for (std::size_t k = 0; k < list.count; ++k) {
                const AtomPair pair = list.pairs[k];
                add(pair.first, pair.second, contacts[list.kinds[k]]);
                add(pair.second, pair.first, contacts[list.kinds[k]]);
            }
            for (std::size_t a = 0; a < atoms; ++a) {
                host[4 * a] = static_cast<float>(atoms + first[a]);
                host[4 * a + 1] = static_cast<float>(atoms + first[a + 1]);
            }
        }
    };

    void makeRoom(std::size_t texels) {
        rows_ = width_.rows(texels);
        const std::size_t count = models_.size() * rows_ * width_.texels();
        const auto side = static_cast<std::size_t>(backend_.gl().limits.maxTextureSize);
        if (models_.size() * rows_ >= side)
            throw UnavailableError(
                fmt::format("lists of {} neighbours of each of {} models do not fit into textures of {} rows",
                            2 * texels, models_.size(), side));
        texture_.reset();
        texture_.emplace(backend_.textures(), width_.shape(kFormat, count));
        host_.resize(4 * rows_ * width_.texels());
    }

    GlBackend& backend_;
    TableWidth width_;
    std::size_t atoms_;
    NeighbourLists lists_;
    std::vector<Model> models_;
    std::size_t rows_ = 0;  ///< rows per model
    std::optional<PooledTexture> texture_;
    std::vector<float> host_;
};

class GlEnergyRun final : public EnergyRun {
  public:
    GlEnergyRun(GlBackend& backend, const FoldProblem& problem, std::size_t models)
        : GlEnergyRun(backend, problem, models, GatherTerms(problem)) {}

    void evaluate(std::span<const Vector> positions, std::span<const AtomIndex> names,
                  const EnergyWeights& weights, std::span<Energy> energies,
                  std::span<Vector> gradients) override {
        backend_.makeCurrent();
        backend_.budget().restart("structure/gather_gradients.frag");
        takeNames(names);
        parallelFor(threads_, models_, [&](std::size_t model, std::size_t) {
            for (std::size_t k = model * atoms_; k < (model + 1) * atoms_; ++k) {
                float* const to = positions_.texel(k);
                to[0] = static_cast<float>(positions[k].x);
                to[1] = static_cast<float>(positions[k].y);
                to[2] = static_cast<float>(positions[k].z);
            }
        });
        positions_.upload(models_ * atoms_);
        neighbours_.update(positions, weights.heavyAtomsOnly, threads_);

        FragmentPass distances = pass("structure/measure_distances.frag");
        distances.input("positions", positions_.texture())
            .input("names", names_.texture())
            .input("distances", distanceTable_.texture())
            .input("pairs", pairTable_.texture())
            .uniform("atoms", static_cast<int>(atoms_))
            .uniform("count", coefficients_.each())
            .uniform("restraints", restraints_)
            .uniform("weight", static_cast<float>(weights.restraints));
        draw(distances, coefficients_);
        FragmentPass dihedrals = pass("structure/measure_dihedrals.frag");
        dihedrals.input("positions", positions_.texture())
            .input("dihedrals", dihedralTable_.texture())
            .uniform("atoms", static_cast<int>(atoms_))
            .uniform("count", slopes_.each());
        draw(dihedrals, slopes_);
        FragmentPass gather = pass("structure/gather_gradients.frag");
        gather.input("positions", positions_.texture())
            .input("names", names_.texture())
            .input("dihedrals", dihedralTable_.texture())
            .input("coefficients", coefficients_.texture())
            .input("slopes", slopes_.texture())
            .input("aliasLists", aliasTable_.texture())
            .input("atomLists", atomTable_.texture())
            .input("neighbours", neighbours_.texture())
            .uniform("atoms", static_cast<int>(atoms_))
            .uniform("distanceCount", coefficients_.each())
            .uniform("dihedralCount", slopes_.each())
            .uniform("region", neighbours_.region())
            .uniform("weight", static_cast<float>(weights.vanDerWaals))
            .uniform("coreWeight", static_cast<float>(weights.core))
            .uniform("coreShare", static_cast<float>(kCoreShare))
            .uniform("leastCore", static_cast<float>(kLeastCore));
        draw(gather, gradients_);
        FragmentPass add = pass("structure/add_energies.frag");
        add.input("chunks", chunkTable_.texture())
            .input("coefficients", coefficients_.texture())
            .input("slopes", slopes_.texture())
            .input("gradients", gradients_.texture())
            .uniform("chunkCount", sums_.each())
            .uniform("atoms", static_cast<int>(atoms_))
            .uniform("distanceCount", coefficients_.each())
            .uniform("dihedralCount", slopes_.each());
        draw(add, sums_);
        backend_.canary().check("evaluating energies");

        sums_.download(texels_);
        for (std::size_t model = 0; model < models_; ++model) {
            energies[model] = {};
            for (std::size_t k = 0; k < chunks_.size(); ++k)
                energies[model].*chunks_[k].term += double{texels_[4 * (model * chunks_.size() + k)]};
        }
        gradients_.download(texels_);
        for (std::size_t k = 0; k < models_ * atoms_; ++k)
            gradients[k] = {texels_[4 * k], texels_[4 * k + 1], texels_[4 * k + 2]};
    }

  private:
    GlEnergyRun(GlBackend& backend, const FoldProblem& problem, std::size_t models, const GatherTerms& terms)
        : backend_(backend),
          models_(models),
          atoms_(terms.atoms),
          width_(widthFor(backend, models, atoms_)),
          restraints_(static_cast<int>(terms.restraints)),
          chunks_(chunksOf(terms)),
          distanceTable_(backend, width_, distanceTexels(terms)),
          pairTable_(backend, width_, pairTexels(terms.pairs)),
          aliasTable_(backend, width_, listTexels(terms.firstOfAlias, terms.ofAlias)),
          dihedralTable_(backend, width_, dihedralTexels(terms)),
          atomTable_(backend, width_, listTexels(terms.firstOfAtom, terms.ofAtom)),
          chunkTable_(backend, width_, chunkTexels(chunks_)),
          positions_(backend.textures(), kFormat, width_, models * atoms_),
          names_(backend.textures(), kFormat, width_, models * atoms_),
          neighbours_(backend, width_, problem, models),
          coefficients_(backend, width_, models, std::max<std::size_t>(terms.distances.size(), 1)),
          slopes_(backend, width_, models, std::max<std::size_t>(terms.dihedrals.size(), 1)),
          gradients_(backend, width_, models, atoms_),
          sums_(backend, width_, models, chunks_.size()) {}

    FragmentPass pass(std::string_view file) {
        FragmentPass one = backend_.pass(file);
        one.uniform("rowBits", width_.rowBits).uniform("models", static_cast<int>(models_));
        return one;
    }
    /// Unit of work: an atom has about twenty pair terms, and no draw has more.
    void draw(FragmentPass& pass, PerModel& result) {
        constexpr double kTerms = 20;
        pass.output(result.target().framebuffer());
        glycine::gl::drawInBands(backend_.budget(), result.region(), kTerms * result.region().size.x,
                                 [&](const glycine::gl::Rectangle& band) { pass.draw(band); });
    }

    /// Uploads the names if they changed; they are seldom exchanged.
    void takeNames(std::span<const AtomIndex> names) {
        if (std::equal(names.begin(), names.end(), taken_.begin(), taken_.end())) return;
        taken_.assign(names.begin(), names.end());
        for (std::size_t k = 0; k < names.size(); ++k) {
            names_.texel(k)[0] = static_cast<float>(names[k]);
            names_.texel(k / atoms_ * atoms_ + names[k])[1] = static_cast<float>(k % atoms_);
        }
        names_.upload(names.size());
    }

    GlBackend& backend_;
    std::size_t models_;
    std::size_t atoms_;
    TableWidth width_;
    int restraints_;
    std::vector<Chunk> chunks_;
    Table distanceTable_, pairTable_, aliasTable_, dihedralTable_, atomTable_, chunkTable_;
    TableTexture<float> positions_, names_;
    NeighbourTexture neighbours_;
    PerModel coefficients_, slopes_, gradients_, sums_;
    std::vector<AtomIndex> taken_;
    std::vector<float> texels_;
    int threads_ = omp_get_max_threads();
};

class GlEnergyEngine final : public EnergyEngine {
  public:
    explicit GlEnergyEngine(GlBackend& backend) : backend_(backend) {}

    Support supports(const EnergyRequest& request) const override {
        if (Support known = variants().supports(request.variant); !known) return known;
        if (backend_.dialect() == Dialect::Gl21)
            return Support::no(
                "energies find atoms in tables by shifts and masks of integers, which OpenGL 2.1 lacks");
        if (request.models == 0 || request.atoms == 0) return Support::slowly(kReluctance);
        const TableWidth width = widthFor(backend_, request.models, request.atoms);
        const auto side = static_cast<std::size_t>(backend_.gl().limits.maxTextureSize);
        const std::size_t rows = request.models * width.rows((kNeighbourTexels + 1) * request.atoms);
        if (rows >= side)
            return Support::no(
                fmt::format("neighbours of {} models of {} atoms do not fit into textures of {} rows",
                            request.models, request.atoms, side));
        // Per atom, eight texels of each model and 40 of the problem's own lists; 32 more rows.
        const std::size_t bytes =
            kTexelBytes *
            (rows * width.texels() + (8 * request.models + 40) * request.atoms + 32 * width.texels());
        if (bytes > backend_.textures().bytesFree())
            return Support::no(
                lackOfDeviceMemory(fmt::format("{} models of {} atoms", request.models, request.atoms),
                                   static_cast<double>(bytes), backend_.textures().bytesFree()));
        return Support::slowly(kReluctance);
    }
    std::unique_ptr<EnergyRun> start(const FoldProblem& problem, std::size_t models) override {
        backend_.makeCurrent();
        return std::make_unique<GlEnergyRun>(backend_, problem, models);
    }

  private:
    static constexpr const char* kReluctance = "gl has its lists of neighbours made by the processor";
    GlBackend& backend_;
};

}  // namespace

Implementation<EnergyEngine> energy() {
    return implementWith<EnergyEngine, GlEnergyEngine, GlBackend>(variants());
}

}  // namespace glycine::structure::gl
