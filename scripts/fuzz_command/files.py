"""Files of numbers and sequences, written and read with Python's standard library only."""

import gzip
import io
import math
import re
import struct
import zipfile

from .case import Failure

CODES = {"f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q"}


# NPY and NPZ

def npy(values, shape, dtype="<f8", fortran=False, version=1):
    """The .npy bytes of values in C order. dtype: byte order and code, e.g. '<f8'; 'U' for text."""
    if fortran and len(shape) == 2:
        rows, columns = shape
        values = [values[i * columns + j] for j in range(columns) for i in range(rows)]
    else:
        fortran = False
    if dtype == "U":
        width = max([len(v) for v in values] + [1])
        dtype = f"<U{width}"
        data = b"".join(v.encode("utf-32-le").ljust(4 * width, b"\0") for v in values)
    else:
        order = ">" if dtype[0] == ">" else "<"
        data = struct.pack(f"{order}{len(values)}{CODES[dtype[1:]]}", *values)
    shown = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    header = f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shown}, }}".encode("utf-8")
    length = 10 if version == 1 else 12
    header += b" " * (-(length + len(header) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)) + header + data


def read_npy(data, name="array"):
    """(shape, code, values in C order)."""
    try:
        if data[:6] != b"\x93NUMPY":
            raise ValueError(f"begins with {data[:6]!r}")
        length, = struct.unpack("<H", data[8:10]) if data[6] == 1 else struct.unpack("<I", data[8:12])
        start = 10 if data[6] == 1 else 12
        header = data[start:start + length].decode("utf-8")
        dtype = re.search(r"'descr': '([^']*)'", header).group(1)
        fortran = re.search(r"'fortran_order': (\w+)", header).group(1) == "True"
        shape = tuple(int(part) for part in re.search(r"'shape': \(([^)]*)\)", header).group(1).split(",") if part.strip())
        count = math.prod(shape)
        body = data[start + length:]
        if dtype[1] == "U":
            width = int(dtype[2:])
            if len(body) != 4 * width * count:
                raise ValueError(f"{len(body)} bytes of data for {count} texts of {width}")
            values = [body[4 * width * i:4 * width * (i + 1)].decode("utf-32-le").rstrip("\0") for i in range(count)]
        else:
            values = list(struct.unpack(f"{'>' if dtype[0] == '>' else '<'}{count}{CODES[dtype[1:]]}", body))
        if fortran and len(shape) == 2:
            values = [values[j * shape[0] + i] for i in range(shape[0]) for j in range(shape[1])]
        return shape, dtype[1:], values
    except (ValueError, AttributeError, struct.error, IndexError, UnicodeDecodeError, KeyError) as error:
        raise Failure(f"{name} is no whole .npy file", "an array", f"{error}") from error


def npz(arrays, compressed=False):
    """arrays: name → bytes of an .npy file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as archive:
        for name, data in arrays.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy", (2020, 1, 1, 0, 0, 0)), data,
                             zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED)
    return buffer.getvalue()


def read_npz(data, name="archive"):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {member[:-4]: read_npy(archive.read(member), f"{name}:{member}") for member in archive.namelist()}
    except zipfile.BadZipFile as error:
        raise Failure(f"{name} is no whole .npz file", "an archive", str(error)) from error


def matrix_of(array, name="array"):
    shape, _, values = array
    if len(shape) != 2:
        raise Failure(f"{name}: dimensions", "2", str(shape))
    return [values[i * shape[1]:(i + 1) * shape[1]] for i in range(shape[0])]


def packed(data):
    return gzip.compress(data if isinstance(data, bytes) else data.encode("utf-8"), 1, mtime=0)


# Text

def number(value):
    """Parses a number; accepts the program's spellings of missing numbers."""
    return math.nan if value is None else value


def shortest(value):
    if isinstance(value, int):
        return str(value)
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


def quoted(text):
    """A field quoted by RFC 4180; also quoted if it contains the separator of another table format."""
    if any(c in text for c in ',;\t"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text


def split_csv(line):
    """The fields of a line of comma separated values."""
    fields, at = [], 0
    while True:
        if line[at:at + 1] == '"':
            field, at = "", at + 1
            while True:
                end = line.index('"', at)
                field += line[at:end]
                at = end + 1
                if line[at:at + 1] != '"':
                    break
                field += '"'
                at += 1
        else:
            end = line.find(",", at)
            end = len(line) if end < 0 else end
            field, at = line[at:end], end
        fields.append(field)
        if at >= len(line):
            return fields
        if line[at] != ",":
            raise Failure("a quoted field", "a comma after it", repr(line))
        at += 1


def lines_of(text, name):
    if text and not text.endswith("\n"):
        raise Failure(f"{name}: its last line has no end", "a line feed", repr(text[-80:]))
    return text.split("\n")[:-1]


def to_number(text, name):
    try:
        return float(text)
    except ValueError as error:
        raise Failure(f"{name}: a number", "a number", repr(text)) from error


def read_square_table(text, name, comma=False, triangle=False):
    """(names, matrix) of a table with names in the first row and column; a triangle is completed."""
    rows = [split_csv(line) if comma else line.split("\t") for line in lines_of(text, name)]
    if not rows:
        raise Failure(f"{name}: its content", "a table", "nothing")
    names = rows[0][1:]
    if len(rows) != len(names) + 1:
        raise Failure(f"{name}: its lines", f"{len(names) + 1}", str(len(rows)))
    found = []
    for i, row in enumerate(rows[1:]):
        if row[0] != names[i]:
            raise Failure(f"{name}: the name of row {i}", repr(names[i]), repr(row[0]))
        if len(row) != (i + 2 if triangle else len(names) + 1):
            raise Failure(f"{name}: fields of row {i}", str(i + 2 if triangle else len(names) + 1), str(len(row)))
        found.append([to_number(field, name) for field in row[1:]])
    if triangle:
        found = [[found[max(i, j)][min(i, j)] for j in range(len(names))] for i in range(len(names))]
    return names, found


def read_molten(text, name):
    """[(name, name, value)]"""
    rows = []
    for line in lines_of(text, name):
        fields = line.split("\t")
        if len(fields) != 3:
            raise Failure(f"{name}: fields of a line", "3", repr(line))
        rows.append((fields[0], fields[1], to_number(fields[2], name)))
    return rows


def read_phylip(text, name, triangle=False):
    """(names, matrix) of a PHYLIP distance matrix; names without blanks."""
    lines = lines_of(text, name)
    count = int(lines[0])
    if len(lines) != count + 1:
        raise Failure(f"{name}: its lines", str(count + 1), str(len(lines)))
    names, rows = [], []
    for i, line in enumerate(lines[1:]):
        fields = line.split()
        if len(fields) != (i if triangle else count) + 1:
            raise Failure(f"{name}: fields of line {i + 2}", str((i if triangle else count) + 1), repr(line))
        names.append(fields[0])
        rows.append([to_number(field, name) for field in fields[1:]])
    if triangle:
        rows = [[0.0 if i == j else rows[max(i, j)][min(i, j)] for j in range(count)] for i in range(count)]
    return names, rows


# Sequences

def fasta(names, sequences, width=60, end="\n"):
    lines = []
    for name, sequence in zip(names, sequences):
        lines.append(">" + name)
        lines += [sequence[i:i + width] for i in range(0, len(sequence), width)] or [""]
    return end.join(lines) + end


def read_fasta(text, name):
    names, sequences = [], []
    for line in lines_of(text, name):
        if line.startswith(">"):
            names.append(line[1:].split()[0])
            sequences.append("")
        elif not names:
            raise Failure(f"{name}: its first line", "'>' and a name", repr(line))
        else:
            sequences[-1] += line
    return names, sequences


def read_clustal(text, name):
    lines = lines_of(text, name)
    if not lines or not lines[0].startswith("CLUSTAL"):
        raise Failure(f"{name}: its first line", "CLUSTAL", repr(lines[:1]))
    names, sequences = [], {}
    for line in lines[1:]:
        if not line.strip() or line[0] in " \t":
            continue
        fields = line.split()
        if fields[0] not in sequences:
            names.append(fields[0])
            sequences[fields[0]] = ""
        sequences[fields[0]] += fields[1]
    return names, [sequences[n] for n in names]


def read_stockholm(text, name):
    lines = lines_of(text, name)
    if not lines or not lines[0].startswith("# STOCKHOLM") or lines[-1] != "//":
        raise Failure(f"{name}: its frame", "# STOCKHOLM … //", repr(lines[:1] + lines[-1:]))
    names, sequences = [], {}
    for line in lines[1:-1]:
        if not line.strip() or line.startswith("#"):
            continue
        key, letters = line.split()
        if key not in sequences:
            names.append(key)
            sequences[key] = ""
        sequences[key] += letters
    return names, [sequences[n] for n in names]


def read_phylip_alignment(text, name):
    """Interleaved or sequential; names end at the first blank."""
    lines = [line for line in lines_of(text, name)]
    count, columns = map(int, lines[0].split())
    names, sequences, row = [], [], 0
    for line in lines[1:]:
        if not line.strip():
            row = 0
            continue
        fields = line.split()
        if len(names) < count:
            names.append(fields[0])
            sequences.append("".join(fields[1:]))
        else:
            sequences[row] += "".join(fields)
            row += 1
    for i, sequence in enumerate(sequences):
        if len(sequence) != columns:
            raise Failure(f"{name}: letters of row {i}", str(columns), str(len(sequence)))
    return names, sequences


def read_msf(text, name):
    lines = lines_of(text, name)
    try:
        start = lines.index("//")
    except ValueError as error:
        raise Failure(f"{name}: its divider", "//", "none") from error
    names = [line.split()[1] for line in lines[:start] if line.strip().startswith("Name:")]
    sequences = {n: "" for n in names}
    for line in lines[start + 1:]:
        fields = line.split()
        if fields and fields[0] in sequences:
            sequences[fields[0]] += "".join(fields[1:])
    return names, [sequences[n].replace(".", "-").replace("~", "-") for n in names]


# Trees

def read_newick(text, name="tree"):
    """(children, names, lengths): children[node] is a list; the root is node 0; a length is that of the branch above a node."""
    children, names, lengths, labels = [[]], [None], [0.0], [None]
    at, node, stack = 0, 0, []
    text = text.strip()

    def fail(expected):
        raise Failure(f"{name}: Newick at character {at}", expected, repr(text[max(0, at - 20):at + 20]))

    def add():
        children.append([])
        names.append(None)
        lengths.append(None)
        labels.append(None)
        return len(children) - 1

    while True:
        if at >= len(text):
            fail("';'")
        c = text[at]
        if c in " \n\r\t":
            at += 1
        elif c == "(":
            stack.append(node)
            child = add()
            children[node].append(child)
            node = child
            at += 1
        elif c == ",":
            node = add()
            children[stack[-1]].append(node)
            at += 1
        elif c == ")":
            node = stack.pop()
            at += 1
        elif c == ":":
            found = re.compile(r"[-+0-9.eE]+").match(text, at + 1)
            if not found:
                fail("a length")
            lengths[node] = float(found.group())
            at = found.end()
        elif c == "[":
            at = text.index("]", at) + 1
        elif c == ";":
            if stack:
                fail("')'")
            return children, names, lengths
        elif c == "'":
            label, at = "", at + 1
            while True:
                end = text.index("'", at)
                label += text[at:end]
                at = end + 1
                if text[at:at + 1] != "'":
                    break
                label += "'"
                at += 1
            names[node] = label
        else:
            found = re.compile(r"[^():,;\[\]'\s]+").match(text, at)
            names[node] = found.group()
            at = found.end()


def leaf_distances(tree):
    """(names of the leaves, matrix of path lengths between them, depths of the leaves)."""
    children, names, lengths = tree
    below, depth = {}, {0: 0.0}
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        for child in children[node]:
            depth[child] = depth[node] + (lengths[child] or 0.0)
            stack.append(child)
    leaves = [node for node in order if not children[node]]
    place = {node: i for i, node in enumerate(leaves)}
    distances = [[0.0] * len(leaves) for _ in leaves]
    for node in reversed(order):
        if not children[node]:
            below[node] = [node]
            continue
        below[node] = []
        for child in children[node]:
            for a in below[node]:
                for b in below[child]:
                    way = depth[a] + depth[b] - 2 * depth[node]
                    distances[place[a]][place[b]] = distances[place[b]][place[a]] = way
            below[node] = below[node] + below[child]
    return [names[leaf] for leaf in leaves], distances, [depth[leaf] for leaf in leaves]


def splits(tree):
    """For each branch, the leaves on the side without the smallest name: {frozenset: name of its inner node}."""
    children, names, _ = tree
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        stack += children[node]
    below = {}
    for node in reversed(order):
        below[node] = frozenset([names[node]]) if not children[node] else frozenset().union(*(below[c] for c in children[node]))
    every = below[0]
    least = min(every)
    return {(every - s if least in s else s): names[node] for node, s in below.items() if children[node] and node}
