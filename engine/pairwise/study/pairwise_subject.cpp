#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/pairwise/study/pairwise_problem.hpp"
#include "engine/study/study_memory.hpp"

namespace glycine::pairwise {

namespace {

using Shared = SequenceSet::Shared;

PairScoring scoringOf(PairMethod method, Alphabet alphabet) {
    const std::string name = isNucleotide(alphabet) ? "EDNAFULL" : "BLOSUM62";
    return {method, namedMatrix(name, alphabet), *defaultPenalties(name)};
}

/// Bytes of the letters, and of both numbers of the pairs, from the reference and from a backend.
study::InputBytes bytesOf(DataSize size, bool isGenerated, std::size_t checked, std::size_t problems) {
    const std::size_t n = size.instances;
    const double letters = 2 * static_cast<double>(n) * static_cast<double>(size.attributes);
    const double found = static_cast<double>(kPairQuantities) * static_cast<double>(problems);
    return {isGenerated ? letters : 0, found * study::bytesOfPairs<std::int32_t>(std::min(n, checked)),
            kPairQuantities * study::bytesOfTile<std::int32_t>(n)};
}

/// Proteins of all lengths and nucleotides by every method, or a file.
class ValidationSet final : public SequenceSet {
  public:
    ValidationSet() : SequenceSet({{1, 1}, {2, 1}, {3, 17}, {17, 40}, {40, 90}, {4, 600}}) {}
    void declare(Options& options) override {
        options.value("FASTA", file_, "Sequences, as glycine align reads them; generated ones if absent");
        declareGenerated(options, "Sequences x letters of the generated inputs");
        options.footer(
            "Compares every backend and variant with the serial reference, tile by tile; scores and\n"
            "identities must be equal. Exit code 1 if any disagree; work that a variant does not support\n"
            "counts as declined.\n\n"
            "Examples:\n"
            "  glycine validate pairwise\n"
            "  glycine validate pairwise family.fa --backend cpu");
    }
    void prepare(const Options& options, Progress&) override {
        if (!file_.empty()) addProblems(readFile(options));
    }
    std::vector<study::InputBytes> bytes(const std::vector<std::string>&) const override {
        if (!file_.empty()) {
            const Sequences& sequences = problems_.front().first->sequences;
            return {bytesOf({sequences.size(), sequences.longest()}, false, sequences.size(), kSchemes)};
        }
        std::vector<study::InputBytes> inputs;
        for (const DataSize size : sizes_)
            for (int kind = 0; kind < 2; ++kind)
                inputs.push_back(bytesOf(size, true, size.instances, kSchemes));
        return inputs;
    }
    void makeInputs(Progress&) override {
        if (!file_.empty()) return;
        for (const DataSize size : sizes_) {
            addProblems(generate(size, Alphabet::Protein, 0.1, 0.03));
            addProblems(generate(size, Alphabet::Dna, 0.8, 0.03));
        }
    }
    std::size_t count() const override { return problems_.size(); }
    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        return pairwiseProblem(problems_[index].first, problems_[index].second);
    }
    Fields settings() const override {
        return {
            {"input", !file_.empty()
                          ? problems_.front().first->description
                          : fmt::format("generated: {} (sequences × letters), proteins of all lengths and "
                                        "nucleotides; seed {}",
                                        sizes_.text(), seed_)},
            {"tiles", "one, and thirds of the sequences, on and off the diagonal"},
            {"allowed", "no difference"}};
    }

  private:
    static constexpr std::size_t kSchemes = 4;

    void addProblems(const Shared& sequences) {
        const Alphabet alphabet = sequences->sequences.alphabet;
        problems_.emplace_back(sequences, scoringOf(PairMethod::Global, alphabet));
        problems_.emplace_back(sequences, scoringOf(PairMethod::Local, alphabet));
        problems_.emplace_back(sequences, thesisScoring(alphabet));
        problems_.emplace_back(sequences, PairScoring{.method = PairMethod::ClustalW});
    }

    std::vector<std::pair<Shared, PairScoring>> problems_;
};

/// Proteins of similar length, or a file, by one method.
class TimingSet final : public SequenceSet {
  public:
    TimingSet() : SequenceSet({{200, 400}, {1000, 400}}) {}
    void declare(Options& options) override {
        declareGenerated(options, "Sequences x letters");
        isForGenerated(options.choice("--alphabet A", alphabet_, "Alphabet: protein, dna or rna"));
        options.value("--input FILE", file_, "Time this file instead, as glycine align reads it");
        options.choice("--method NAME", method_, "Method: global, local or clustalw");
        options.flag("--thesis", isThesis_, "Use linear gaps: match 1, mismatch -1, gap -2 (global)");
        options.footer(
            "A result that fails its check gets no time, and exit code 1.\n\n"
            "Examples:\n"
            "  glycine bench pairwise --sizes 1000x400 --backend cpu\n"
            "  glycine bench pairwise --input family.fa --method clustalw -o report.json");
    }
    void prepare(const Options& options, Progress&) override {
        if (isThesis_ && method_ != PairMethod::Global)
            throw UsageError("--thesis is a global scheme; it and --method exclude each other");
        if (!file_.empty()) input_ = readFile(options);
    }
    std::vector<study::InputBytes> bytes(const std::vector<std::string>&) const override {
        if (input_)
            return {bytesOf({input_->sequences.size(), input_->sequences.longest()}, false, kCheckedSequences,
                            1)};
        std::vector<study::InputBytes> inputs;
        for (const DataSize size : sizes_) inputs.push_back(bytesOf(size, true, kCheckedSequences, 1));
        return inputs;
    }
    std::size_t count() const override { return input_ ? 1 : sizes_.size(); }
    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        const Shared sequences = input_ ? input_ : generate(sizes_[index], alphabet_, 0.9, 0);
        const Alphabet alphabet = sequences->sequences.alphabet;
        const PairScoring scoring = isThesis_ ? thesisScoring(alphabet) : scoringOf(method_, alphabet);
        return pairwiseProblem(sequences, scoring, kCheckedSequences, seed_);
    }
    Fields settings() const override {
        const Alphabet alphabet = input_ ? input_->sequences.alphabet : alphabet_;
        return {
            {"input", input_ ? input_->description
                             : fmt::format("generated, {}, seed {}", toString(alphabet_), seed_)},
            {"scoring", isThesis_                         ? "1, -1, gaps of -2 a letter"
                        : method_ == PairMethod::ClustalW ? "ClustalW's own"
                        : isNucleotide(alphabet)          ? "EDNAFULL, 12 + 4k"
                                                          : "BLOSUM62, 11 + 1k"},
            {"total", "on the clock, from the start of a run until its last tile lies in memory"},
            {"rates", "cells of all unordered pairs in 10⁹ / s (minimum time): GCUPS; scores and identities"},
            {"check", fmt::format("all pairs among up to {} sequences of the first and the last result "
                                  "aligned again by the reference",
                                  kCheckedSequences)}};
    }

  private:
    PairMethod method_ = PairMethod::Global;
    bool isThesis_ = false;
    Alphabet alphabet_ = Alphabet::Protein;
    Shared input_;  ///< read from the file
};

class PairwiseSubject final : public study::SubjectOf<ValidationSet, TimingSet> {
  public:
    const Algorithm& algorithm() const override { return pairwiseAlgorithm(); }
    std::string unit() const override { return ""; }
    std::string rateUnit() const override { return "GCUPS"; }
    std::string sizeLabel() const override { return "sequences × letters"; }
    std::vector<study::EndToEndRun> endToEndRuns(study::Extent extent) const override {
        return study::endToEndRunsOf(
            extent, {"64", "512", "2048"},
            {{"all pairs", "sequences --length 300 -o in.fa --sequences {}", "pairwise in.fa -o out.npy"}});
    }
    std::vector<study::SweepStep> sweep() const override {
        return study::sweepOver("--sizes", {"32x200,64x200,128x200", "256x200,512x200", "1024x200,2048x200"},
                                {{"global"}, {"clustalw", {"--method", "clustalw"}}});
    }
};

}  // namespace

std::unique_ptr<study::Subject> pairwiseSubject() {
    return std::make_unique<PairwiseSubject>();
}

}  // namespace glycine::pairwise
