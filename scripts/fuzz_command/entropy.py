"""`crossapen`: approximate, sample and fuzzy entropies by their definitions, template by template."""

import math

from . import files, tables
from .case import refusable

NAN = math.nan


class Undecided(Exception):
    """A distance is so close to the tolerance that rounding decides."""


def normalise(x, divisor, absolute):
    if absolute:
        return x
    mean = math.fsum(x) / len(x)
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in x) / (len(x) - (divisor == "n-1")))
    return [(v - mean) / deviation for v in x]


def templates(x, m, tau, count):
    return [[x[i + k * tau] for k in range(m)] for i in range(count)]


class Entropy:
    def __init__(self, m, tau, r, strict, bias, width):
        self.m, self.tau, self.r, self.strict, self.bias, self.width = m, tau, r, strict, bias, width

    def matches(self, a, b):
        distance = max(abs(p - q) for p, q in zip(a, b))
        if self.width and abs(distance - self.r) < self.width * max(1.0, self.r):
            raise Undecided
        return distance < self.r if self.strict else distance <= self.r

    def counts(self, u, v, m, rows):
        a, b = templates(u, m, self.tau, rows), templates(v, m, self.tau, rows)
        return [sum(self.matches(x, y) for y in b) for x in a]

    def approximate(self, u, v):
        """The entropies by two rules for templates without a match, and the share of such templates: {name: value}."""
        n = len(u)
        short, long = n - (self.m - 1) * self.tau, n - self.m * self.tau
        c = self.counts(u, v, self.m, short)
        d = self.counts(u, v, self.m + 1, long)
        first = math.fsum(math.log(x / short) if x else 0.0 for x in c) / short
        lost = {"max": [1 / short] * long, "max-short": [1 / long] * long, "0": [1 / long if x else 1.0 for x in c]}
        result = {"share_without_match": d.count(0) / long}
        for rule in {self.bias, "0", "max"}:
            if rule == "none":
                result[rule] = NAN if 0 in c or 0 in d else first - math.fsum(math.log(x / long) for x in d) / long
            else:
                result[rule] = first - math.fsum(math.log(x / long if x else y) for x, y in zip(d, lost[rule])) / long
        return result

    def sample(self, u, v, same):
        n = len(u) - self.m * self.tau
        b = sum(self.counts(u, v, self.m, n)) - (n if same else 0)
        a = sum(self.counts(u, v, self.m + 1, n)) - (n if same else 0)
        if same and self.strict and self.r <= 0:
            raise Undecided
        if not b:
            return NAN
        return math.inf if not a else -math.log(a / b)


def fuzzy(u, v, m, tau, r, power, same):
    """As in Chen et al. (2007): subtracts the mean of each template; as many templates of length m as of m + 1."""
    rows = len(u) - m * tau
    def phi(length):
        a, b = [[without_mean(x) for x in templates(w, length, tau, rows)] for w in (u, v)]
        return math.fsum(math.exp(-max(abs(p - q) for p, q in zip(x, y)) ** power / r)
                         for i, x in enumerate(a) for j, y in enumerate(b) if not same or i != j)
    return math.log(phi(m)) - math.log(phi(m + 1))


def without_mean(x):
    mean = math.fsum(x) / len(x)
    return [v - mean for v in x]


def random_signals(case, channels, samples):
    r = case.random
    style = r.choice(["noise", "noise", "walk", "coupled", "whole", "henon"])
    rows = []
    for c in range(channels):
        if style == "walk":
            row, at = [], 0.0
            for _ in range(samples):
                at += r.gauss(0, 1)
                row.append(at)
        elif style == "whole":
            row = [float(r.randrange(40)) for _ in range(samples)]
        elif style == "henon":
            row, x, y = [], r.uniform(-0.1, 0.1), 0.0
            for _ in range(samples):
                x, y = 1 - 1.4 * x * x + y, 0.3 * x
                row.append(x)
        else:
            row = [r.gauss(0, 1) for _ in range(samples)]
        if style == "coupled" and rows:
            row = [0.7 * a + 0.3 * b for a, b in zip(rows[-1], row)]
        rows.append(row)
    return rows, style


def write_signals(case, names, epochs):
    """(options, names): epochs × channels × samples, as an array of epochs or one recording."""
    r = case.random
    channels, samples = len(epochs[0]), len(epochs[0][0])
    joined = [[v for epoch in epochs for v in epoch[c]] for c in range(channels)]
    kind = r.choice([".npy", ".npy", ".npz", ".csv", ".tsv"])
    if kind in (".csv", ".tsv"):
        data = tables.table_text(case, names, [[repr(row[k]) for row in joined] for k in range(len(joined[0]))],
                                 "\t" if kind == ".tsv" else ",", r.choice(["\n", "\r\n"]), case.chance(0.1))
        if case.chance(0.15):
            return [case.write("in" + kind + ".gz", files.packed(data)), "--header", "yes"], names
        return [case.write("in" + kind, data), "--header", "yes"], names
    if case.chance(0.5):
        source, shape = [v for epoch in epochs for row in epoch for v in row], (len(epochs), channels, samples)
        options = []
    else:
        source, shape, options = [v for row in joined for v in row], (channels, len(joined[0])), []
        if case.chance(0.3):
            source, shape = [row[k] for k in range(len(joined[0])) for row in joined], (len(joined[0]), channels)
            options = ["--transpose"]
    dtype = r.choice(["<f8", ">f8"])
    if all(v == int(v) for v in source) and case.chance(0.5):
        dtype, source = "<i2", [int(v) for v in source]
    array = files.npy(source, shape, dtype)
    if kind == ".npy":
        return [case.write("in.npy", array), *options], [str(c + 1) for c in range(channels)]
    return [case.write("in.npz", files.npz({"data": array, "ch_names": files.npy(names, (channels,), "U")})), *options], names


def run_crossapen(case):
    r = case.random
    measure = r.choice(["crossapen", "crossapen", "crossapen", "crosssampen", "crossfuzzyen", "apen", "sampen"])
    m, tau = r.choice([1, 1, 2, 3]), r.choice([1, 1, 1, 2, 3])
    if measure == "crossfuzzyen":
        m = max(2, m)
    channels, epochs = case.size(1, 4), r.choice([1, 1, 2, 3])
    samples = max(m * tau + 2, case.size(8, 60))
    signals = [random_signals(case, channels, samples) for _ in range(epochs)]
    styles = {style for _, style in signals}
    signals = [rows for rows, _ in signals]
    names = [name for name in tables.random_names(case, channels, avoid=",;\t*?", plain=0.6)]
    names = ["c" + name if not name[0].isalpha() else name for name in names]
    options, names = write_signals(case, names, signals)
    absolute = case.chance(0.3)
    tolerance = r.choice([0.1, 0.2, 0.5, 1.0])
    if absolute:
        whole = styles == {"whole"}
        tolerance = r.choice([1.0, 2.0, 5.0]) if whole else r.choice([0.2, 0.7])
        options += ["--absolute"]
    options += ["--measure", measure, "--m", m, "--tau", tau, "--r", tolerance, "--epoch", samples, "--max-flat", 1, "--max-clipped", 1]
    strict = case.chance(0.2)
    bias, divisor, power = "max", "n-1", 2
    if measure != "crossfuzzyen":
        options += ["--strict"] if strict else []
    if measure in ("crossapen", "apen") and case.chance(0.6):
        bias = r.choice(["max", "0", "max-short", "none"])
        options += ["--bias", bias]
    if not absolute and case.chance(0.3):
        divisor = r.choice(["n", "n-1"])
        options += ["--sd", divisor]
    if measure == "crossfuzzyen" and case.chance(0.5):
        power = r.choice([1, 2, 3])
        options += ["--n", power]
    narrow = not case.chance(0.75)
    options += ["--precision", "float32" if narrow else "float64"]
    if not options[0].endswith(".npy"):
        options += ["--keep-time"]
    backend, _ = case.settings.backends.choose(case, "crossapen", gl_share=0.12 if narrow else 0.02)
    form = r.choice(["npz", "npz", "csv", "npy", "square"])
    output = "out." + {"square": "csv"}.get(form, form)
    extra = ["--per-epoch"] if form in ("npz", "csv") and case.chance(0.5) else ["--square"] if form == "square" else []
    result = case.attempt("crossapen", *options, *extra, *backend, "-o", output, "--json", outputs=[output], may_refuse=refusable(backend))
    report = result.report()
    constant = [[all(v == row[0] for v in row) for row in epoch] for epoch in signals]
    if any(map(any, constant)) or "unusableChannels" in str(report) and report.get("unusableChannels"):
        return
    single = measure in ("apen", "sampen")
    exact = absolute and styles == {"whole"}
    width = 0.0 if exact else (2e-5 if narrow else 1e-12)
    if narrow:
        width *= max([1.0] + [abs(v) for epoch in signals for row in epoch for v in row]) if absolute else 4.0
    entropy = Entropy(m, tau, tolerance, strict, bias, width)
    values = []
    try:
        for epoch in signals:
            rows = [normalise(row, divisor, absolute) for row in epoch]
            matrix = []
            for i, u in enumerate(rows):
                line = []
                for j, v in enumerate(rows):
                    if single and i != j:
                        line.append({})
                    elif measure in ("crossapen", "apen"):
                        line.append(entropy.approximate(u, v))
                    elif measure in ("crosssampen", "sampen"):
                        line.append(entropy.sample(u, v, i == j))
                    else:
                        line.append(fuzzy(u, v, m, tau, tolerance, power, i == j))
                matrix.append(line)
            values.append(matrix)
    except Undecided:
        return
    allowed = 1e-10 if measure != "crossfuzzyen" or not narrow else 2e-4
    quantities = {}
    for e, matrix in enumerate(values):
        for i, line in enumerate(matrix):
            for j, value in enumerate(line):
                for key, one in (value.items() if isinstance(value, dict) else [(None, value)]):
                    name = key if key == "share_without_match" else column_name(measure, key)
                    quantities.setdefault(name, {}).setdefault((i, j), []).append(one)
    compare(case, output, form, column_name(measure, bias), names, quantities, single, allowed)


def statistics_of(values):
    """(mean, standard deviation or None, number) of the epochs that have a value."""
    known = [v for v in values if v is not None and not math.isnan(v)]
    if not known:
        return NAN, None, 0
    if math.inf in known:
        return math.inf, None, len(known)
    mean = math.fsum(known) / len(known)
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in known) / (len(known) - 1)) if len(known) > 1 else None
    return mean, deviation, len(known)


def column_name(measure, bias):
    """Names of approximate entropies include the rule for templates without a match."""
    return f"{measure}_{ {'0': 'zero', 'max-short': 'max_short'}.get(bias, bias)}" if measure in ("crossapen", "apen") else measure


def compare(case, output, form, main, names, quantities, single, allowed):
    channels = len(names)
    pairs = [(i, j) for i in range(channels) for j in range(channels) if not single or i == j]
    def check(what, kind, pair, expected, found):
        where = f"{output}: {what}{kind} of ({names[pair[0]]!r}, {names[pair[1]]!r})"
        if expected is not None:
            case.close(where, float(expected), float(found), allowed, allowed)
    if form == "npy":
        _, _, flat = files.read_npy(case.read(output), output)
        case.equal(f"{output}: values", len(pairs), len(flat))
        shown = files.lines_of(case.read_text(output + ".names"), output)
        case.equal(f"{output}: names", names, shown[:shown.index("")] if "" in shown else shown)
        for pair, value in zip(pairs, flat):
            check(main, "", pair, statistics_of(quantities[main][pair])[0], value)
    elif form == "npz":
        arrays = files.read_npz(case.read(output), output)
        case.equal(f"{output}: whether {main} is there", True, main in arrays)
        for what, of in quantities.items():
            for part, kind in enumerate(("", "_sd", "_epochs_used")):
                for pair, value in zip(pairs, arrays[what + kind][2] if what in arrays else ()):
                    check(what, kind, pair, statistics_of(of[pair])[part], value)
            if what + "_by_epoch" in arrays:
                shape, _, flat = arrays[what + "_by_epoch"]
                case.equal(f"{output}: epochs", len(of[pairs[0]]), shape[0])
                for k, value in enumerate(flat):
                    pair = pairs[k % len(pairs)]
                    check(what, f" in epoch {k // len(pairs)}", pair, of[pair][k // len(pairs)], value)
    else:
        rows = [files.split_csv(line) for line in files.lines_of(case.read_text(output), output)]
        if form == "square":
            if not single:
                case.equal(f"{output}: names", names, rows[0][1:])
                for i, j in pairs:
                    check(main, "", (i, j), statistics_of(quantities[main][i, j])[0], files.to_number(rows[1 + i][1 + j], output))
            return
        at = {name: k for k, name in enumerate(rows[0])}
        case.equal(f"{output}: whether {main} is there", True, main in at)
        place = {name: i for i, name in enumerate(names)}
        means = [row for row in rows[1:] if row[at["epoch"]] == "mean"]
        case.equal(f"{output}: lines of means", len(pairs), len(means))
        for row in rows[1:]:
            pair = place[row[at["templates"]]], place[row[at["partner"]]]
            for what, of in quantities.items():
                if what not in at:
                    continue
                if row[at["epoch"]] != "mean":
                    e = int(row[at["epoch"]]) - 1
                    if what == main or row[at[what]]:
                        check(what, f" in epoch {e}", pair, of[pair][e], files.to_number(row[at[what]], output))
                    continue
                for part, kind in enumerate(("", "_sd", "_epochs")):
                    check(what, kind, pair, statistics_of(of[pair])[part], files.to_number(row[at[what + kind]] or "nan", output))


def edf(names, rows, record, rate_seconds, low=-3200, high=3200):
    """An EDF file of 16-bit samples; with these ranges, the physical value is a tenth of the digital one."""
    field = lambda text, width: str(text).encode("ascii").ljust(width)
    count = len(names)
    records = len(rows[0]) // record
    head = field("0", 8) + field("X X X X", 80) + field("Startdate X X X X", 80) + b"01.01.2401.02.03"
    head += field(256 * (count + 1), 8) + field("", 44) + field(records, 8) + field(rate_seconds, 8) + field(count, 4)
    fields = [(names, 16), ([""] * count, 80), (["uV"] * count, 8), ([low] * count, 8), ([high] * count, 8), ([-32000] * count, 8),
              ([32000] * count, 8), ([""] * count, 80), ([record] * count, 8), ([""] * count, 32)]
    head += b"".join(field(value, width) for values, width in fields for value in values)
    body = b"".join(files.struct.pack(f"<{record}h", *rows[c][k * record:(k + 1) * record]) for k in range(records) for c in range(count))
    return head + body


def run_recording(case):
    """An EDF file gives the same results as an array of the same samples; an incomplete epoch is left out."""
    r = case.random
    channels, samples, epochs = case.size(1, 4), r.choice([32, 50, 64]), r.choice([1, 2, 3])
    rest = r.randrange(0, samples)
    rows = [[r.randrange(-2000, 2000) for _ in range(samples * epochs + rest)] for _ in range(channels)]
    record = next(k for k in (10, 8, 5, 4, 2, 1) if len(rows[0]) % k == 0)
    names = [f"EEG C{c}" for c in range(channels)]
    case.write("in.edf", edf(names, rows, record, 1))
    case.write("in.npy", files.npy([v / 10 for row in rows for v in row], (channels, len(rows[0]))))
    options = ["--epoch", samples, "--precision", "float64", "--per-epoch", "--m", r.choice([1, 2]), "--max-flat", 1, "--max-clipped", 1]
    taken = list(range(channels))
    chosen = []
    if channels > 1 and case.chance(0.4):
        taken = r.sample(taken, r.randint(1, channels))
        chosen = taken
    only = lambda name: ["--channels", ",".join(name(c) for c in chosen)] if chosen else []
    case.run("crossapen", "in.edf", *options, *only(lambda c: names[c]), "-o", "a.npz", outputs=["a.npz"])
    case.run("crossapen", "in.npy", *options, *only(lambda c: str(c + 1)), "-o", "b.npz", outputs=["b.npz"])
    a, b = (files.read_npz(case.read(n), n) for n in ("a.npz", "b.npz"))
    case.equal("a.npz: names", [names[c] for c in taken], a["channels"][2])
    key = "crossapen_max_by_epoch"
    case.equal("a.npz: shape", (epochs, len(taken), len(taken)), a[key][0])
    for x, y in zip(a[key][2], b[key][2]):
        case.close("entropy of EDF and of the array", y, x, 1e-9)


def run_unusable(case):
    """Constant channels and samples that are not numbers have no value in their epoch, and do not affect others."""
    r = case.random
    channels, samples, epochs = r.randint(2, 4), 40, r.choice([1, 2, 3])
    signals = [[[r.gauss(0, 1) for _ in range(samples)] for _ in range(channels)] for _ in range(epochs)]
    case.write("good.npy", files.npy([v for e in signals for row in e for v in row], (epochs, channels, samples)))
    e, c = r.randrange(epochs), r.randrange(channels)
    if case.chance(0.5):
        signals[e][c] = [signals[e][c][0]] * samples
    else:
        signals[e][c][r.randrange(samples)] = r.choice([NAN, math.inf])
    case.write("bad.npy", files.npy([v for e_ in signals for row in e_ for v in row], (epochs, channels, samples)))
    backend, _ = case.settings.backends.choose(case, "crossapen", gl_share=0.0, variants=False)
    options = ["--epoch", samples, "--precision", "float64", "--per-epoch", *backend]
    case.run("crossapen", "good.npy", *options, "-o", "good.npz", outputs=["good.npz"])
    result = case.attempt("crossapen", "bad.npy", *options, "-o", "bad.npz", outputs=["bad.npz"], excused=channels < 2)
    if not result:
        return
    good, bad = (files.read_npz(case.read(n), n) for n in ("good.npz", "bad.npz"))
    key = "crossapen_max_by_epoch"
    at = 0
    for epoch in range(epochs):
        for i in range(channels):
            for j in range(channels):
                expected = NAN if epoch == e and c in (i, j) else good[key][2][at]
                case.close(f"epoch {epoch}, ({i}, {j})", expected, bad[key][2][at], 1e-12)
                at += 1


KINDS = [("crossapen", run_recording, 3), ("crossapen", run_unusable, 2), ("crossapen", run_crossapen, 12)]
