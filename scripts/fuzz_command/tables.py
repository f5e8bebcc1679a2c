"""Random genotypes, alignments, coordinates and tables, in every format that the program reads."""

import math
import struct

from . import files

NUCLEOTIDES = "ACGT"
RESIDUES = "ARNDCQEGHILKMFPSTWYV"
SPECIALS = "é 中文 x,y q\"q it's a;b ß-1 𝒢 #7 NA7 1e5x - +x =1+2 a/b (c) [d] {e} %s \\n &amp; <g>".split() + ["a b"]


def one_line(name):
    return name.replace("\n", "_").replace("\r", "_")


def in_table(name):
    return name.replace("\t", "_").replace("\n", "_").replace("\r", "_")


def without_space(name):
    return "".join("_" if c.isspace() else c for c in name)


def random_names(case, count, avoid="", plain=0.5, blanks=True):
    """Names that differ even if white space becomes an underscore, without the characters of `avoid`."""
    odd = not case.chance(plain)
    names = []
    for i in range(count):
        name = f"s{i + 1}"
        if odd and case.chance(0.5):
            special = case.random.choice(SPECIALS)
            if not any(c in special for c in avoid) and (blanks or " " not in special):
                name = special + str(i)
        names.append(f"s{i + 1}" if is_number(name) else name)  # a line of numbers is not recognised as a header
    return names


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


# Tables

def table_text(case, header, rows, separator, end, bom):
    lines = ([header] if header else []) + rows
    text = end.join(separator.join(files.quoted(field) for field in line) for line in lines)
    if case.chance(0.85):
        text += end
    data = text.encode("utf-8")
    return b"\xef\xbb\xbf" + data if bom else data


def write_table(case, names, columns, fields, corner="id", endings=(".csv", ".tsv", ".txt"), transposable=True, stem="in"):
    """(file name, options) of a table with names in the first column and a header, transposed or not."""
    r = case.random
    header, rows = [corner, *columns], [[name, *row] for name, row in zip(names, fields)]
    options = []
    if transposable and case.chance(0.2):
        header, rows = [corner, *names], [[column, *(row[k] for row in fields)] for k, column in enumerate(columns)]
        options = ["--transpose"]
    ending = r.choice(endings)
    separator = "\t" if ending == ".tsv" else r.choice([",", ",", ";", "\t"])
    data = table_text(case, header, rows, separator, r.choice(["\n", "\n", "\r\n"]), case.chance(0.1))
    if case.chance(0.15):
        ending, data = ending + r.choice([".gz", ".bgz"]) , files.packed(data)
    return case.write(stem + ending, data), options


# Genotypes

def genotypes(case, least=1):
    r = case.random
    n, m = max(least, case.size(1, 14)), case.size(1, 40)
    if case.chance(0.1):
        m = r.choice([63, 64, 65, 127, 128, 129, 255, 256, 257])
    share = r.choice([0, 0, 0.05, 0.3, 0.7])
    spread = [r.random() for _ in range(m)]
    draw = lambda k: None if r.random() < share else (r.random() < spread[k]) + (r.random() < spread[k])
    rows = [[draw(k) for k in range(m)] for _ in range(n)]
    if n > 2 and case.chance(0.3):
        rows[1] = list(rows[0])
    return rows


def genotype_table(case, make):
    rows = genotypes(case)
    r = case.random
    names = random_names(case, len(rows), avoid=";\t")
    gap = r.choice(["NA", "-1", "-9", "", ".", "NaN", "null", "N/A"])
    fields = [[gap if v is None else str(v) for v in row] for row in rows]
    data = make(names, rows, alleles=True)
    data.input, options = write_table(case, names, [f"v{k}" for k in range(len(rows[0]))], fields,
                                      corner=r.choice(["id", "sample", "", "Name", "IID"]))
    data.options = ["--data", "genotypes", *options]
    if all(v is not None for row in rows for v in row) and case.chance(0.5):
        data.options = options
    return data


def genotype_array(case, make):
    rows = genotypes(case)
    n, m = len(rows), len(rows[0])
    dtype, gap = case.pick(("|i1", -1), ("|i1", -9), ("|i1", -127), ("<i2", -9), (">i4", -1), ("<i8", -1), ("<f4", math.nan), ("<f8", -9.0))
    if not any(v is None for row in rows for v in row) and case.chance(0.3):
        dtype = "|u1"
    number = float if dtype[1] == "f" else int
    options = ["--data", "genotypes"] if dtype[1] == "f" else []
    source = rows
    if case.chance(0.2):
        source = [[rows[i][k] for i in range(n)] for k in range(m)]
        options += ["--transpose"]
    data = make([str(i + 1) for i in range(n)], rows, alleles=True)
    data.input = case.write("in.npy", files.npy([gap if v is None else number(v) for row in source for v in row],
                                                (len(source), len(source[0])), dtype, case.chance(0.3)))
    data.options = options
    return data


def plink_set(case, make):
    rows = genotypes(case)
    r = case.random
    n, m = len(rows), len(rows[0])
    names = [without_space(v) for v in random_names(case, n, avoid="#", blanks=False)]
    families = [r.choice(["f1", "f2"]) for _ in names] if case.chance(0.5) else names
    founders = [not case.chance(0.3) for _ in names] if case.chance(0.4) else [True] * n
    chromosomes = [r.choice(["1", "22", "X", "chrX", "23", "Y", "MT", "XY", "25", "0", "scaffold_7", "chr5", "26", "chrM"])
                   if case.chance(0.4) else "1" for _ in range(m)] if case.chance(0.4) else ["1"] * m
    negative = [case.chance(0.1) for _ in range(m)] if case.chance(0.1) else [False] * m
    code = {2: 0, None: 1, 1: 2, 0: 3}
    data = bytearray(b"\x6c\x1b\x01")
    for k in range(m):
        for start in range(0, n, 4):
            data.append(sum(code[rows[i][k]] << 2 * (i - start) for i in range(start, min(n, start + 4))))
    parent = lambda is_founder: "0 0" if is_founder else "pa ma"
    blank = r.choice([" ", "\t"])
    case.write("in.fam", "".join(f"{f} {v} {parent(founder)} 0 -9\n".replace(" ", blank)
                                 for f, v, founder in zip(families, names, founders)))
    case.write("in.bim", "".join(f"{chromosomes[k]} rs{k} 0 {-1 if negative[k] else k + 1} A G\n".replace(" ", blank) for k in range(m)))
    case.write("in.bed", bytes(data))
    result = make(names, rows, alleles=True, founders=founders)
    result.ids = list(zip(families, names))
    result.input = case.pick("in.bed", "in")
    result.autosomes = [k for k in range(m) if not negative[k] and
                        chromosomes[k] not in ("X", "chrX", "23", "Y", "MT", "26", "chrM")]
    return result


def variant_calls(case, make):
    rows = genotypes(case)
    r = case.random
    n, m = len(rows), len(rows[0])
    names = random_names(case, n, avoid="#")
    lines = ["##fileformat=VCFv4.2", "##contig=<ID=1>", "##contig=<ID=X>", '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
             "\t".join(["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", *names])]
    symbols = [[None] * m for _ in range(n)]
    copies = [[None] * m for _ in range(n)]
    autosomes, biallelic = [], set()
    for k in range(m):
        alleles = r.choice([1, 1, 1, 1, 2, 3]) if case.chance(0.4) else 1
        star = alleles > 1 and case.chance(0.4)
        alternates = (["*"] if star else ["G"]) + ["T", "C"][:alleles - 1]
        chromosome = "X" if case.chance(0.05) else "1"
        fields = []
        for i in range(n):
            if rows[i][k] is None:
                fields.append(r.choice(["./.", ".|.", "./1", "0/.", "."]))
                continue
            if alleles == 1:
                pair = [1 if rows[i][k] == 2 else 0, 1 if rows[i][k] else 0]
            else:
                pair = [r.randrange(alleles + 1), r.randrange(alleles + 1)]
            if case.chance(0.1):
                pair[1] = pair[0]
                fields.append(str(pair[0]))
            else:
                if case.chance(0.3):
                    pair.reverse()
                fields.append(r.choice("/|").join(map(str, pair)))
            symbols[i][k] = None if star and 1 in pair else tuple(sorted(pair))
            copies[i][k] = sum(a > 0 for a in pair)
        if alleles == 1:
            biallelic.add(k)
        if chromosome == "1":
            autosomes.append(k)
        lines.append("\t".join([chromosome, str(k + 1), ".", "A", ",".join(alternates), ".", "PASS", ".", "GT", *fields]))
    text = "\n".join(lines) + "\n"
    result = make(names, symbols, alleles=True)
    result.biallelic = (copies, biallelic)
    result.autosomes = autosomes
    result.input = case.write("in.vcf.gz", files.packed(text)) if case.chance(0.3) else case.write("in.vcf", text)
    return result


# Alignments

def alignment(case, make):
    r = case.random
    n, m = case.size(1, 14), case.size(1, 70)
    kind = r.choice(["dna", "protein"])
    letters = NUCLEOTIDES if kind == "dna" else RESIDUES
    ambiguous = "NRYKM" if kind == "dna" else "XBZ"
    share = r.choice([0, 0, 0.1, 0.5])
    ancestor = [r.choice(letters) for _ in range(m)]
    change = r.choice([0.02, 0.3, 1.0])
    texts = []
    for _ in range(n):
        row = [r.choice(letters) if r.random() < change else c for c in ancestor]
        row = [r.choice("-." + ambiguous + ambiguous) if r.random() < share else c for c in row]
        texts.append(row)
    gaps, vague = case.pick("missing", "missing", "state"), case.pick("missing", "missing", "state")
    rows = []
    for row in texts:
        rows.append([None if (c in "-." and gaps == "missing") or (c in ambiguous and vague == "missing") else c for c in row])
    style = lambda c: c.lower() if case.chance(0.2) else "U" if c == "T" and kind == "dna" and case.chance(0.1) else c
    shown = ["".join(style(c) for c in row) for row in texts]
    names = [without_space(v) for v in random_names(case, n, avoid=" ")]
    heads = [name + (" any text" if case.chance(0.2) else "") for name in names]
    result = make(names, rows)
    text = files.fasta(heads, shown, r.choice([1, 7, 60, 1000]), r.choice(["\n", "\n", "\r\n"]))
    ending = r.choice([".fa", ".fasta", ".aln", ".afa", ".fna" if kind == "dna" else ".faa"])
    result.input = case.write("in" + ending + ".gz", files.packed(text)) if case.chance(0.2) else case.write("in" + ending, text)
    result.options = ["--data", kind]
    if gaps == "state" or case.chance(0.2):
        result.options += ["--gaps", gaps]
    if vague == "state" or case.chance(0.2):
        result.options += ["--ambiguous", vague]
    return result


# Coordinates

def coordinates(case, make):
    """(data, whether the file has float32 numbers, whether all are small integers)"""
    r = case.random
    n, m = case.size(1, 12), case.size(1, 25)
    style = r.choice(["normal", "normal", "normal", "whole", "offset", "huge", "tiny", "mixed", "edge"])
    draw = {
        "normal": lambda: r.gauss(0, 1),
        "whole": lambda: float(r.randrange(-50, 50)),
        "offset": lambda: 1e6 + r.random(),
        "huge": lambda: r.gauss(0, 1) * 10.0 ** r.choice([100, 150, 153, 154, 300]),
        "tiny": lambda: r.gauss(0, 1) * 10.0 ** r.choice([-40, -150, -160, -300]),
        "mixed": lambda: r.gauss(0, 1) * 10.0 ** r.randrange(-8, 8),
        "edge": lambda: float(2 ** 53 - r.randrange(3)),
    }[style]
    rows = [[draw() for _ in range(m)] for _ in range(n)]
    if n > 2 and case.chance(0.2):
        rows[1] = list(rows[0])
    narrow = False
    if case.chance(0.5):
        dtype = r.choice(["<f4", "<f8", ">f8", "<f8"])
        if style in ("whole",) and case.chance(0.4):
            dtype = r.choice(["<i2", "<i4", ">i8"])
        if style == "edge":
            dtype = r.choice(["<i8", ">u8", "<f8"])
        if style in ("huge", "tiny"):
            dtype = "<f8"
        if dtype[1] != "f":
            values = [[int(v) for v in row] for row in rows]
        else:
            values = rows = [[struct.unpack("<f", struct.pack("<f", v))[0] if dtype[1:] == "f4" else v for v in row] for row in rows]
        narrow = dtype[1:] in ("f4", "i2")
        source, options = values, ["--data", "coordinates"]
        if case.chance(0.2):
            source = [[values[i][k] for i in range(n)] for k in range(m)]
            options += ["--transpose"]
        data = make([str(i + 1) for i in range(n)], rows)
        array = files.npy([v for row in source for v in row], (len(source), len(source[0])), dtype, case.chance(0.3))
        data.input = case.write("in.npy", array)
        data.options = options
        return data, narrow, style in ("whole",)
    names = random_names(case, n, avoid=";\t")
    data = make(names, rows)
    shown = lambda v: r.choice([repr(v), repr(v), f"{v:.17g}", f"{v:.17e}"])
    data.input, options = write_table(case, names, [f"x{k}" for k in range(m)], [[shown(v) for v in row] for row in rows])
    data.options = ["--data", "coordinates", *options]
    return data, False, style in ("whole",)
