#include "engine/alignment/clustal/progressive.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "engine/alignment/clustal/profile_alignment.hpp"
#include "engine/alignment/clustal/profile_paths.hpp"
#include "engine/alignment/clustal/thesis_alignment.hpp"
#include "engine/alignment/method.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/sequences/substitution.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "engine/trees/rooting.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::align::clustalw {

namespace {

/// Matrices are scaled to hundredths; Gonnet's tables hold tenths.
constexpr int kGonnetUnit = 10;
/// The number of letters that the mean of a protein matrix is divided by, as ClustalW counts them.
constexpr double kLettersOfMean = 22;

/// The sum of all sequences' weights, apart from rounding.
constexpr int kWeightUnit = 1000;

/// Scores and gap costs for two groups.
struct Scheme {
    SubstitutionMatrix scores;
    GapCosts costs;
};

/// The mean length of the rows without gaps, rounded down.
int ungappedLength(const Group& group) {
    std::size_t sum = 0;
    for (const auto* row : group.rows)
        sum += row->size() - static_cast<std::size_t>(std::ranges::count(*row, kGapCode));
    return static_cast<int>(static_cast<float>(sum) / static_cast<float>(group.rows.size()));
}

SubstitutionMatrix nonNegative(SubstitutionMatrix matrix, int unit) {
    const int lowest = std::min(matrix.lowest(), 0);
    for (std::size_t a = 0; a < matrix.size; ++a)
        for (std::size_t b = 0; b < matrix.size; ++b)
            matrix.scores[a][b] = (matrix.scores[a][b] - lowest) * unit;
    return matrix;
}

/// The negated mean score of two different letters.
double meanMismatch(const SubstitutionMatrix& matrix) {
    double sum = 0;
    for (std::size_t a = 0; a < 20; ++a)
        for (std::size_t b = 0; b < a; ++b) sum -= matrix.scores[a][b];
    return sum / (kLettersOfMean * (kLettersOfMean - 1) / 2);
}

class Aligner {
  public:
    Aligner(Alphabet alphabet, Rows rows, const trees::Tree& tree, const ProgressiveOptions& options,
            ProfilePaths* paths, Progress& progress)
        : alphabet_(alphabet),
          tree_(tree),
          options_(options),
          paths_(paths),
          progress_(progress),
          weights_(sequenceWeights(tree)),
          isAligned_(rows.size(), false) {
        result_.rows = std::move(rows);
        // Path lengths are in single precision, as in ClustalW. There, two sequences that are 29 % similar by
        // the digits of the tree file may count as 28 % similar.
        for (const float way : pathLengths(tree))
            similarities_.push_back(100 - 100 * std::clamp(static_cast<double>(way), 0.01, 1.0));
    }

    ProgressiveAlignment run() {
        const std::size_t n = result_.rows.size();
        progress_.begin("progressive alignment", static_cast<double>(n));
        joinAlongTree();
        addDelayed();
        return std::move(result_);
    }

    ProgressiveAlignment add(std::size_t aligned, bool asGroup) {
        const std::size_t n = result_.rows.size();
        progress_.begin("progressive alignment", static_cast<double>(n - aligned));
        for (std::size_t row = 0; row < aligned; ++row) take(row);
        if (!asGroup) {
            addDelayed();
            return std::move(result_);
        }
        const std::vector<std::size_t> first = result_.order;
        std::vector<std::size_t> second;
        for (std::size_t row = aligned; row < n; ++row) {
            second.push_back(row);
            take(row);
        }
        result_.groups.push_back(joinOne(first, second));
        return std::move(result_);
    }

  private:
    double similarity(std::size_t a, std::size_t b) const {
        const std::size_t high = std::max(a, b);
        return similarities_[high * (high - 1) / 2 + std::min(a, b)];
    }

    /// Whole percent, as ClustalW compares them to choose sequences.
    double percent(std::size_t a, std::size_t b) const { return std::trunc(similarity(a, b)); }

    void joinAlongTree() {
        const std::size_t n = result_.rows.size();
        std::vector<bool> isNear(n, false);
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b < n; ++b)
                if (a != b && percent(a, b) > options_.divergentBelow) isNear[a] = true;
        // Sequences enter the order by the postorder of their nodes, whichever thread joins them first.
        std::vector<std::vector<std::size_t>> below(tree_.nodes.size());
        std::vector<std::size_t> place(tree_.nodes.size());
        std::size_t inner = 0;
        for (const std::size_t node : postorder(tree_)) {
            if (tree_.isLeaf(node)) {
                if (isNear[node]) below[node] = {node};
                continue;
            }
            place[node] = inner++;
            std::vector<std::size_t> leaves;
            for (const std::size_t child : tree_.nodes[node].children)
                if (tree_.isLeaf(child) && isNear[child]) leaves.push_back(child);
            std::ranges::sort(leaves);
            for (const std::size_t leaf : leaves) take(leaf);
        }
        result_.groups.resize(inner);
        const auto begin = [&](std::size_t node) {
            const std::vector<std::size_t>& children = tree_.nodes[node].children;
            std::ranges::merge(below[children[0]], below[children[1]], std::back_inserter(below[node]));
            return Join(std::exchange(below[children[0]], {}), std::exchange(below[children[1]], {}));
        };
        if (paths_ == nullptr) {
            trees::forInnerNodes(tree_, omp_get_max_threads(), [&](std::size_t node, std::size_t) {
                Join one = begin(node);
                result_.groups[place[node]] = joinOnHost(one);
            });
            return;
        }
        for (const std::vector<std::size_t>& nodes : trees::innerNodesByRounds(tree_)) {
            std::vector<Join> joins;
            for (const std::size_t node : nodes) joins.push_back(begin(node));
            const std::vector<GroupScore> scores = joinOnDevice(joins);
            for (std::size_t k = 0; k < nodes.size(); ++k) result_.groups[place[nodes[k]]] = scores[k];
        }
    }

    void addDelayed() {
        const std::size_t n = result_.rows.size();
        if (result_.order.empty()) {
            // All sequences are divergent. ClustalW starts with the first sequence of the most similar pair;
            // among equally similar pairs, the last one.
            double nearest = -1;
            std::size_t first = 0;
            for (std::size_t a = 0; a < n; ++a)
                for (std::size_t b = a + 1; b < n; ++b)
                    if (percent(a, b) >= nearest) {
                        nearest = percent(a, b);
                        first = a;
                    }
            take(first);
        }
        // For each sequence, its similarity to the nearest aligned sequence.
        std::vector<double> nearest(n, -1);
        const auto approach = [&](std::size_t aligned) {
            for (std::size_t a = 0; a < n; ++a)
                if (!isAligned_[a]) nearest[a] = std::max(nearest[a], percent(a, aligned));
        };
        for (const std::size_t aligned : result_.order) approach(aligned);
        while (result_.order.size() < n) {
            double most = -1;
            std::size_t next = 0;
            for (std::size_t a = 0; a < n; ++a)
                if (!isAligned_[a] && nearest[a] > most) {
                    most = nearest[a];
                    next = a;
                }
            std::vector<std::size_t> aligned = result_.order;
            std::ranges::sort(aligned);
            take(next);
            approach(next);
            const std::vector<int> treeWeights = weights_;
            weighBySimilarity(aligned, next);
            result_.groups.push_back(joinOne(aligned, {next}));
            weights_ = treeWeights;
        }
    }

    /// Weights the sequences that a delayed sequence is added to by their similarity to it.
    void weighBySimilarity(const std::vector<std::size_t>& aligned, std::size_t next) {
        // In whole percent, rounded down, as in ClustalW.
        std::vector<std::int64_t> shares;
        for (const std::size_t sequence : aligned)
            shares.push_back(static_cast<std::int64_t>(weights_[sequence] * similarity(sequence, next)));
        const std::int64_t sum = std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
        for (std::size_t k = 0; k < aligned.size(); ++k)
            weights_[aligned[k]] = sum > 0 ? std::max(static_cast<int>(shares[k] * kWeightUnit / sum), 1) : 1;
    }

    void take(std::size_t sequence) {
        isAligned_[sequence] = true;
        result_.order.push_back(sequence);
    }

    Group groupOf(const std::vector<std::size_t>& members) const {
        Group group;
        for (const std::size_t member : members) {
            group.rows.push_back(&result_.rows[member]);
            group.weights.push_back(weights_[member]);
        }
        return group;
    }

    /// Two groups and their profiles.
    struct Join {
        /// The larger group becomes the matrix-weighted profile.
        Join(std::vector<std::size_t> left, std::vector<std::size_t> right)
            : larger(std::move(left)), smaller(std::move(right)) {
            if (smaller.size() > larger.size()) std::swap(larger, smaller);
        }
        bool isOfOne() const { return smaller.empty(); }

        std::vector<std::size_t> larger, smaller;
        Profile scores, frequencies;
    };

    GroupScore joinOne(std::vector<std::size_t> left, std::vector<std::size_t> right) {
        std::vector<Join> joins;
        joins.emplace_back(std::move(left), std::move(right));
        return paths_ == nullptr ? joinOnHost(joins.front()) : joinOnDevice(joins).front();
    }

    GroupScore joinOnHost(Join& join) {
        if (join.isOfOne()) return {};
        makeProfiles(join);
        return finish(join, alignProfiles(join.scores, join.frequencies));
    }

    /// Joins pairs of groups at once; no sequence may be in two of them.
    std::vector<GroupScore> joinOnDevice(std::vector<Join>& joins) {
        std::vector<GroupScore> scores(joins.size());
        std::vector<std::size_t> whole;
        std::vector<ProfilePair> pairs;
        for (std::size_t k = 0; k < joins.size(); ++k)
            if (!joins[k].isOfOne()) {
                whole.push_back(k);
                pairs.push_back({&joins[k].scores, &joins[k].frequencies});
            }
        const int threads = omp_get_max_threads();
        parallelFor(threads, whole.size(),
                    [&](std::size_t k, std::size_t) { makeProfiles(joins[whole[k]]); });
        const std::vector<ProfileAlignment> found = paths_->align(pairs, progress_);
        parallelFor(threads, whole.size(), [&](std::size_t k, std::size_t) {
            scores[whole[k]] = finish(joins[whole[k]], found[k]);
        });
        return scores;
    }

    void makeProfiles(Join& join) const {
        const Group first = groupOf(join.larger);
        const Group second = groupOf(join.smaller);
        double sum = 0;
        for (const std::size_t a : join.larger)
            for (const std::size_t b : join.smaller) sum += similarity(a, b);
        const double mean = sum / static_cast<double>(join.larger.size() * join.smaller.size());
        const Scheme scheme = alphabet_ == Alphabet::Protein ? proteinScheme(first, second, mean)
                                                             : nucleotideScheme(first, second);
        join.scores = scoreProfile(first, scheme.scores);
        join.frequencies = frequencyProfile(second);
        setPenalties(join.scores, first, scheme.costs);
        setPenalties(join.frequencies, second, scheme.costs);
    }

    GroupScore finish(const Join& join, const ProfileAlignment& path) {
        insertGaps(result_.rows, join.larger, path.steps, Step::Second);
        insertGaps(result_.rows, join.smaller, path.steps, Step::First);
        progress_.advance(1);
        return {join.larger.size() + join.smaller.size(), path.score};
    }

    Scheme proteinScheme(const Group& first, const Group& second, double similarityOfGroups) const {
        const int lengthA = ungappedLength(first);
        const int lengthB = ungappedLength(second);
        const int shorter = std::min(lengthA, lengthB);
        const bool isShort = shorter < 100;
        double scale = 0.375;
        const char* name = "GONNET80";
        if (similarityOfGroups > 35)
            scale /= 2;
        else if (similarityOfGroups > 25)
            name = isShort ? "GONNET250" : "GONNET120";
        else
            name = isShort ? "GONNET350" : "GONNET160";
        const SubstitutionMatrix& matrix = namedMatrix(name, Alphabet::Protein);
        // Single precision where ClustalW uses it.
        const float ratio = static_cast<float>(shorter) / static_cast<float>(std::max(lengthA, lengthB));
        const double logRatio = std::max(1 + 0.5 * std::log10(static_cast<double>(ratio)), 0.9);
        const double logLength = 1 / std::log10(static_cast<double>(shorter));
        const double mean = std::trunc(meanMismatch(matrix) * kGonnetUnit);
        const float open =
            static_cast<float>(scale * mean) * static_cast<float>(options_.gapOpen / (logRatio * logLength));
        return {nonNegative(matrix, kGonnetUnit), {std::trunc(open), 100 * options_.gapExtend, true}};
    }

    Scheme nucleotideScheme(const Group&, const Group&) const {
        constexpr int kUnit = 100;
        SubstitutionMatrix matrix = nonNegative(namedMatrix("IUB", Alphabet::Dna), kUnit);
        // A transition scores half as much as equal letters.
        const auto code = [](char letter) { return codeOf(Alphabet::Dna, letter); };
        const int half = matrix.scores[code('A')][code('A')] / 2;
        for (const auto& [one, other] : {std::pair('A', 'G'), std::pair('C', 'T'), std::pair('C', 'U')})
            matrix.scores[code(one)][code(other)] = matrix.scores[code(other)][code(one)] = half;
        // In single precision, in which 6.66 is slightly smaller.
        return {matrix,
                {100.0 * static_cast<float>(options_.gapOpen), 100.0 * static_cast<float>(options_.gapExtend),
                 false}};
    }

    Alphabet alphabet_;
    const trees::Tree& tree_;
    const ProgressiveOptions& options_;
    ProfilePaths* paths_;
    Progress& progress_;
    std::vector<int> weights_;
    std::vector<double> similarities_;  ///< in percent, pairs below the diagonal
    std::vector<bool> isAligned_;
    ProgressiveAlignment result_;
};

}  // namespace

ProgressiveOptions defaultOptions(Alphabet alphabet) {
    return alphabet == Alphabet::Protein ? ProgressiveOptions{} : ProgressiveOptions{15, 6.66, 30};
}

std::vector<int> sequenceWeights(const trees::Tree& rooted) {
    const std::vector<double> shares = trees::leafWeights(rooted);
    std::vector<int> weights(rooted.leaves);
    for (std::size_t leaf = 0; leaf < rooted.leaves; ++leaf)
        weights[leaf] = static_cast<int>(shares[leaf] * 100);
    const int sum = std::accumulate(weights.begin(), weights.end(), 0);
    for (int& weight : weights) weight = sum == 0 ? 1 : std::max(weight * kWeightUnit / sum, 1);
    return weights;
}

ProgressiveAlignment alignProgressively(const Sequences& sequences, const trees::Tree& rooted,
                                        const ProgressiveOptions& options, ProfilePaths* paths,
                                        Progress& progress) {
    const trees::Tree tree = resolved(rooted);
    return Aligner(sequences.alphabet, sequences.codes, tree, options, paths, progress).run();
}

ProgressiveAlignment addToAligned(Alphabet alphabet, Rows rows, std::size_t aligned, bool asGroup,
                                  const trees::Tree& rooted, const ProgressiveOptions& options,
                                  ProfilePaths* paths, Progress& progress) {
    const trees::Tree tree = resolved(rooted);
    return Aligner(alphabet, std::move(rows), tree, options, paths, progress).add(aligned, asGroup);
}

}  // namespace glycine::align::clustalw

namespace glycine::align {

// ---- the methods

namespace {

/// 1 − identities / letters of the shorter sequence, computed through percent and in single precision.
/// ClustalW's trees show that the program does so too. Distances that ClustalW finds equal must be rounded
/// alike, and the rounding can change the fifth decimal of a branch length.
double clustalDistance(double identities, double letters) {
    const auto percent = static_cast<float>(100 * identities / letters);
    return (100.0F - percent) / 100.0F;
}

/// The guide tree of ClustalW 2.1 for at least two sequences, by neighbour joining
/// (engine/trees/neighbour_joining.hpp). `distances` are those of all pairs below the diagonal, 1 −
/// identities / letters of the shorter sequence. Branches shorter than 0.0001 get length 0. Lengths are
/// rounded to the five decimals of the .dnd file, and all later stages use the rounded values.
trees::Tree clustalTree(std::size_t sequences, std::vector<double> distances, trees::TreeDevice* device,
                        Progress& progress) {
    constexpr double kNegligible = 1e-4;
    trees::Tree tree =
        trees::joinNeighbours(sequences, std::move(distances), progress,
                              {.negligibleLength = kNegligible, .roundsAsClustalW = true}, device);
    for (trees::TreeNode& node : tree.nodes)
        node.length = std::strtod(fmt::format("{:.5f}", node.length).c_str(), nullptr);
    return tree;
}

/// Methods that align pairs, build a guide tree from their distances and join groups along it.
class PairsMethod : public Method {
  public:
    Support supports(Backend& backend, const Sequences& sequences,
                     const AlignOptions& options) const override {
        if (options.guideTree || options.distances) return Support::yes();
        return pairwise::supportsPairwise(backend, sequences, pairsOf(sequences, options));
    }

    AlignmentResult align(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                          Progress& progress) const override {
        AlignmentResult result;
        MultipleAlignment& alignment = result.alignment;
        alignment.alphabet = sequences.alphabet;
        alignment.names = sequences.names;
        Stopwatch watch;
        const auto finishStage = [&](const char* name) {
            result.report.stages.emplace_back(name, watch.restart());
        };
        if (options.guideTree) {
            alignment.guideTree = *options.guideTree;
        } else {
            std::vector<double> distances;
            if (options.distances) {
                distances = *options.distances;
            } else {
                distances = alignPairs(backend, sequences, options, result.report, progress);
                finishStage("pairs");
            }
            trees::TreeDevice device(backend, options.recount);
            alignment.guideTree = guideTreeOf(sequences.size(), options.method, std::move(distances),
                                              progress, options.treeMethod, &device);
            result.report.treeOnHost = device.reason();
            finishStage("guide tree");
        }
        const std::unique_ptr<clustalw::ProfilePaths> paths = clustalw::createProfilePaths(backend);
        if (paths) paths->recountWith(options.recount);
        join(sequences, rooted(alignment.guideTree), paths.get(), alignment, progress);
        if (paths) result.report.note = paths->note();
        finishStage("progressive");
        return result;
    }

  private:
    /// Joins groups along the tree: sets the rows of the alignment and their order.
    virtual void join(const Sequences& sequences, const trees::Tree& tree, clustalw::ProfilePaths* device,
                      MultipleAlignment& alignment, Progress& progress) const = 0;

    static std::vector<double> alignPairs(Backend& backend, const Sequences& sequences,
                                          const AlignOptions& options, AlignmentReport& report,
                                          Progress& progress) {
        pairs::PairStore store(
            {.layout = {sequences.size(), pairs::StoreLayout::Triangle}, .type = pairs::ValueType::Float64});
        report.pairs =
            pairwise::computePairwise(backend, sequences, pairsOf(sequences, options), store, progress);
        return distancesOf(sequences, options.method, store);
    }
};

class ClustalMethod final : public PairsMethod {
  public:
    MethodTraits traits() const override {
        return {.flag = "--method clustalw",
                .description = "clustalw (ClustalW 2.1's rules)",
                .similarity = "identity of pairs",
                .alignsPairs = true,
                .defaultTree = trees::TreeMethod::NeighbourJoining,
                .defaultOrder = RowOrder::Aligned};
    }
    void requireMemory(const Sequences&, const AlignOptions&) const override {}
    pairwise::PairScoring scoringOf(Alphabet) const override {
        return {.method = pairwise::PairMethod::ClustalW};
    }
    double distanceOf(double found, double letters) const override {
        return clustalDistance(std::round((1 - found) * letters), letters);
    }
    trees::Tree joinNeighbours(std::size_t sequences, std::vector<double> distances,
                               trees::TreeDevice* device, Progress& progress) const override {
        return clustalTree(sequences, std::move(distances), device, progress);
    }

  private:
    trees::Tree newRoot(const trees::Tree& tree) const override { return trees::rootAtMeanDistance(tree); }
    void join(const Sequences& sequences, const trees::Tree& tree, clustalw::ProfilePaths* device,
              MultipleAlignment& alignment, Progress& progress) const override {
        clustalw::ProgressiveAlignment found = clustalw::alignProgressively(
            sequences, tree, clustalw::defaultOptions(sequences.alphabet), device, progress);
        alignment.rows = letteredRows(sequences, found.rows);
        alignment.order = std::move(found.order);
    }
};

class ThesisMethod final : public PairsMethod {
  public:
    MethodTraits traits() const override {
        return {.flag = "--method thesis",
                .description = "thesis (1, −1, gaps −2; sums of pairs)",
                .similarity = "equal letters of pairs without a gap",
                .alignsPairs = true,
                .defaultTree = trees::TreeMethod::NeighbourJoining};
    }
    /// At some node the groups of the two longest sequences are joined, which needs the whole matrix.
    void requireMemory(const Sequences& sequences, const AlignOptions&) const override {
        if (sequences.size() < 2) return;
        std::vector<std::size_t> letters;
        for (const std::string& one : sequences.letters) letters.push_back(one.size());
        std::ranges::nth_element(letters, letters.begin() + 1, std::ranges::greater{});
        requireHostMemory(fmt::format("the steps of {} × {} columns, at least", letters[0], letters[1]),
                          thesis::bytesOfSteps(letters[0], letters[1]));
    }
    pairwise::PairScoring scoringOf(Alphabet alphabet) const override {
        return pairwise::thesisScoring(alphabet);
    }

  private:
    void join(const Sequences& sequences, const trees::Tree& tree, clustalw::ProfilePaths* device,
              MultipleAlignment& alignment, Progress& progress) const override {
        thesis::ThesisAlignment found = thesis::alignByThesis(sequences, tree, device, progress);
        alignment.clustalTitle = "format, aligned by Glycine by Khaladkar's scheme";
        alignment.rows = letteredRows(sequences, found.rows);
        alignment.order = std::move(found.order);
    }
};

}  // namespace

const Method& clustalMethod() {
    static const ClustalMethod method;
    return method;
}

const Method& thesisMethod() {
    static const ThesisMethod method;
    return method;
}

}  // namespace glycine::align
