#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets: small right files of every kind that a parser takes.

Usage: tests/fuzz/make_corpus.py FOLDER        FOLDER/<target>/<seed>, e.g. FOLDER/npz_fuzz/deflated
"""

import gzip
import io
import struct
import sys
import zipfile
import zlib
from pathlib import Path


def npy(descr: str, shape: tuple, data: bytes, version=(1, 0), fortran=False) -> bytes:
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    size_format, prefix = ("<H", 10) if version == (1, 0) else ("<I", 12)
    header += " " * (-(prefix + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY" + bytes(version) + struct.pack(size_format, len(header)) + header.encode() + data


def npy_seeds() -> dict:
    floats = struct.pack("<6f", 0, 1, -2.5, 1e30, float("inf"), float("nan"))
    return {
        "float32": npy("<f4", (2, 3), floats),
        "float64": npy("<f8", (2, 2), struct.pack("<4d", 0, 1, 2, 3)),
        "big_endian": npy(">f8", (1, 2), struct.pack(">2d", 1, 2)),
        "int32": npy("<i4", (2, 2), struct.pack("<4i", 0, 1, 1, 0)),
        "bytes": npy("|i1", (2, 3), b"\x00\x01\x02\xff\x00\x01"),
        "columns_first": npy("<f4", (2, 3), floats, fortran=True),
        "version2": npy("<f4", (6,), floats, version=(2, 0)),
        "version3": npy("<f4", (2, 3), floats, version=(3, 0)),
        "names": npy("<U3", (2,), "abcé\0\0".encode("utf-32-le")),
        "empty": npy("<f4", (0, 3), b""),
    }


def npz_seeds() -> dict:
    arrays = npy_seeds()

    def archive(method: int, names, comment=b"", zip64=False) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", method) as out:
            for name in names:
                member = zipfile.ZipInfo(name + ".npy")
                member.compress_type = method
                with out.open(member, "w", force_zip64=zip64) as file:
                    file.write(arrays[name])
            out.comment = comment
        return buffer.getvalue()

    return {
        "stored": archive(zipfile.ZIP_STORED, ["float32", "names"]),
        "deflated": archive(zipfile.ZIP_DEFLATED, ["float64", "names"]),
        "zip64": archive(zipfile.ZIP_STORED, ["int32"], zip64=True),
        "comment": archive(zipfile.ZIP_STORED, ["float32"], comment=b"PK\5\6"),
        "empty": archive(zipfile.ZIP_STORED, []),
    }


VCF_HEADER = (
    "##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n##contig=<ID=X>\n"
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
    '##FORMAT=<ID=DP,Number=1,Type=Integer,Description="Depth">\n'
)


def bgzf(data: bytes) -> bytes:
    def block(part: bytes) -> bytes:
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        packed = packer.compress(part) + packer.flush()
        head = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", len(packed) + 25)
        return head + packed + struct.pack("<II", zlib.crc32(part), len(part))

    return block(data) + block(b"")


def bcf() -> bytes:
    text = (VCF_HEADER.replace("ID=1,", "ID=1,IDX=0,") + "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n").encode() + b"\0"
    # A record: chromosome 0, position 9, two alleles A and C, no filter, GT (the key after PASS) of two samples.
    shared = struct.pack("<iiifII", 0, 9, 1, float("nan"), 2 << 16, 1 << 24 | 2) + b"\x07\x17A\x17C\x00"
    genotypes = b"\x11\x01" + b"\x21" + bytes([2, 4, 4, 4])
    return b"BCF\2\2" + struct.pack("<I", len(text)) + text + struct.pack("<II", len(shared), len(genotypes)) + shared + genotypes


def vcf_seeds() -> dict:
    columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n"
    diploid = VCF_HEADER + columns + (
        "1\t10\trs1\tA\tC\t50\tPASS\t.\tGT:DP\t0/0:7\t0|1:9\t1/1:3\n"
        "1\t11\t.\tA\t.\t.\t.\t.\tGT\t0/0\t./.\t0/0\n"
        "X\t12\t.\tA\tC,G\t.\t.\t.\tGT\t0\t1/2\t.\n"
        "X\t13\t.\tAT\t<DEL>\t.\tq10\tEND=20\tDP:GT\t5:0/.\t6:1\t7:0/1\n"
    )
    return {
        "plain": diploid.encode(),
        "gzip": gzip.compress(diploid.encode(), mtime=0),
        "bgzip": bgzf(diploid.encode()),
        "bcf": bcf(),
        "bcf_packed": bgzf(bcf()),
        "haploid": (VCF_HEADER + columns + "1\t5\t.\tA\tG\t.\t.\t.\tGT\t0\t1\t.\n").encode(),
        "crlf": diploid.replace("\n", "\r\n").encode(),
    }


def signals_seeds() -> dict:
    return {
        "commas": b"Fp1,Fp2,Cz\n" + b"".join(b"%d,%d.5,1e%d\n" % (i, i * i % 7, i % 3) for i in range(8)),
        "no_header": b"".join(b"%d %d\n" % (i, 7 * i % 5) for i in range(6)),
        "semicolons": b"u;v\n" + b"0,118;5\n0,25;6\n-1,5;7\n",
        "tabs_missing": b"a\tb\nNA\t1\n.\t2\n3\tinf\n4\t-nan\n",
        "time": b"time,Cz\n0.00,5\n0.01,6\n0.02,4\n0.03,8\n",
        "quoted": b'"a ""x""",b\r\n1,"2"\r\n3,4\r\n5,6\r\n',
        "one_column": b"signal\n1\n2\n3\n4\n",
        "gzip": gzip.compress(b"a,b\n1,2\n3,4\n5,6\n", mtime=0),
        "utf8": "\ufeffFpé,µV\n1,2\n3,4\n5,6\n".encode(),
        "rows": b"a,1,2,3,4\nb,4,3,2,1\n",
    }


def table_seeds() -> dict:
    return signals_seeds() | {
        "names": b"id,height,weight\nanna,1.7,60\nben,1.8,NA\n",
        "short_header": b"height weight\nanna 1.7 60\nben 1.8 70\n",
    }


def expression_seeds() -> dict:
    table = b"gene\ts1\ts2\nYAL001C\t1.5\tNA\nYAL002W\t-2\tnull\n"
    return {
        "table": table,
        "gzip": gzip.compress(table, mtime=0),
        "entrez": b"gene_id,a,b\n1017,1,2\n7157,3,4\n",
        "aracne": b"AffyID\tAnnotation\ta\tb\nDescription\tx\ty\tz\n1_at\tDDR1\t1\t2\n2_at\tRFC2\tNA\t4\n",
        "series": b'!Series_title\t"a "b" c"\n!series_matrix_table_begin\n"ID_REF"\t"GSM1"\n"p"\t8.5\n!end\n',
        "duplicates": b"gene\ta\tb\np\t1\t2\np\t1\t9\n",
    }


def information_seeds() -> dict:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }"
    header += b" " * (118 - len(header) - 1) + b"\n"
    array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<4d", 1, 0.5, 0.5, 2)
    seeds = {
        "whole": b"\ta\tb\na\t1\t0.5\nb\t0.5\tnan\n",
        "triangle": b",a,b\na,1\nb,0.5,2\n",
        "regulators": b"# factors\na\nx\n",
        "truth": b"a\tb\t1\nb\tc\t0\n",
        "array": array,
    }
    # The length selects the kind of input, as in the target.
    kinds = {"whole": 0, "triangle": 0, "array": 1, "regulators": 2, "truth": 3}
    return {name: data + b"\n" * ((kinds[name] - len(data)) % 4) for name, data in seeds.items()}


def distance_matrix_seeds() -> dict:
    return {
        "square": b"3\na 0 2 4\nb 2 0 4\nc 4 4 0\n",
        "triangle": b"3\na\nb  2\nc  4 4.5e-1\n",
        "broken_lines": b"   2\na  0\n   1\nb  1\n0\n",
    }


def fasta_seeds() -> dict:
    text = b">a first\nACGTN-\nACGT\n>b\nacgt.-\nRYKM\n"
    return {
        "plain": text,
        "gzip": gzip.compress(text, mtime=0),
        "bgzip": bgzf(text),
        "crlf": text.replace(b"\n", b"\r\n"),
        "protein": b">x\nMKVL*\n>y\nMRVLX\n",
        "comment": b";old style\n>a\nAC GT\n\n>b\nACGA\n",
        "lengths": b">x\nMKV-L*JUO\n\n>y\nM\r\nRV?X\n",
        "matrix": b"# scores\n A C G T\nA 5 -4 -4 -4\nC -4 5 -4 -4\nG -4 -4 5 -4\nT -4 -4 -4 +5\n",
    }


def newick_seeds() -> dict:
    return {
        "plain": b"((a:1,b:-2e-3):0.5,c:1.5)root;\n",
        "quoted": b"('it''s',[comment]b,(c,d)95:1);",
        "lines": b"(\n(\nx:0.1,\ny:0.2)\n:0.05,\nz:0.3);\n",
        "leaf": b"alone;",
        "gzip": gzip.compress(b"(a,b);", mtime=0),
    }


def plink_seeds() -> dict:
    fam = b"f1 a 0 0 1 1\nf2 b 0 0 2 -9\nf3 c a b 0 2\n"
    bim = b"1 rs1 0 100 A C\n23\trs2\t0.5\t200\t0\tGT\n"
    bed = b"\x6c\x1b\x01\x1c\x2b"
    return {
        "whole": b"\0".join((fam, bim, bed)),
        "truncated": b"\0".join((fam, bim, bed[:-1])),
        "individual_major": b"\0".join((fam, bim, b"\x6c\x1b\x00\x0c\x0b\x0a")),
    }


def edf_seeds() -> dict:
    def field(text: str, width: int) -> bytes:
        return text.encode().ljust(width)

    def edf(signals, records, reserved="", duration="1", version=b"0       ") -> bytes:
        head = version + field("X X X X", 80) + field("Startdate 12-AUG-2009 X X X", 80) + b"12.08.09" + b"16.15.00"
        head += field(str(256 * (len(signals) + 1)), 8) + field(reserved, 44) + field(str(len(records)), 8)
        head += field(duration, 8) + field(str(len(signals)), 4)
        for width, key in ((16, 0), (80, None), (8, 1), (8, 2), (8, 3), (8, 4), (8, 5), (80, None), (8, 6), (32, None)):
            head += b"".join(field("" if key is None else signal[key], width) for signal in signals)
        return head + b"".join(records)

    eeg = ("EEG Fp1", "uV", "-100", "100", "-1000", "1000", "2")
    two = ("EOG left", "uV", "100", "-100", "-2048", "2047", "1")
    notes = ("EDF Annotations", "", "-1", "1", "-32768", "32767", "12")
    tal = lambda text: text.encode().ljust(24, b"\0")
    sample = struct.pack("<hhh", 5, -7, 1000)
    bdf_eeg = eeg[:4] + ("-8388608", "8388607", "2")
    status = ("Status", "Boolean", "-1", "1", "-8388608", "8388607", "1")
    continuous = edf([eeg, notes], [sample[:4] + tal("+0\x14\x14\0+0.5\x151\x14blink\x14")], "EDF+C")
    gap = edf([eeg, notes], [sample[:4] + tal("+0\x14\x14"), sample[2:] + tal("+7.5\x14\x14")], "EDF+D")
    return {
        "edf": edf([eeg, two], [sample, sample]),
        "edf_continuous": continuous,
        "edf_discontinuous": gap,
        "bdf": edf([bdf_eeg, status], [b"\1\2\3\4\5\6\7\0\0"], "24BIT", version=b"\xffBIOSEMI"),
        "no_records": edf([eeg], []),
    }


def fif_seeds() -> dict:
    def tag(kind: int, type_: int, data: bytes) -> bytes:
        return struct.pack(">iiii", kind, type_, len(data), 0) + data

    whole = lambda kind, *values: tag(kind, 3, struct.pack(f">{len(values)}i", *values))
    block = lambda kind, *parts: whole(104, kind) + b"".join(parts) + whole(105, kind)

    def channel(name: bytes, kind: int, unit: int) -> bytes:
        return tag(203, 30, struct.pack(">3i2fi12f2i16s", 1, 1, kind, 1, 0.5, 0, *([0.1] * 12), unit, 0, name))

    rate = tag(201, 4, struct.pack(">f", 100))
    channels = channel(b"MEG 1", 1, 112) + channel(b"STI 014", 3, 107)
    longer = b"".join(block(113, tag(258, 10, name)) for name in (b"MEG 1 has a long name", b"STI 014"))
    info = block(101, whole(200, 2), rate, whole(204, 1000000000, 0), channels, longer, block(359, tag(3507, 10, b"MEG 1")))
    notes = block(3810, tag(304, 4, struct.pack(">f", 0.01)), tag(305, 4, struct.pack(">f", 0.02)), tag(206, 10, b"BAD"))
    buffer = tag(300, 4, struct.pack(">4f", 1, 0, 2, 5))
    epochs = tag(302, 0x40000004, struct.pack(">12f4i", *range(12), 3, 2, 2, 3))
    events = block(361, whole(3561, 9, 0, 1, 19, 0, 2), tag(206, 10, b"left:1;right:2"))
    start = tag(100, 31, bytes(20))
    raw = block(102, whole(208, 3), buffer, whole(301, 1), buffer)
    return {
        "raw": start + block(100, info, notes, raw, block(118, whole(115, 2), tag(118, 10, b"raw-1.fif"))),
        "int16": start + block(100, info, block(102, tag(300, 16, struct.pack(">4h", 1, 0, -2, 5)))),
        "epochs": start + block(100, info, block(373, events, whole(208, -1), whole(209, 1), epochs)),
    }


def eeglab_seeds() -> dict:
    def element(type_: int, data: bytes) -> bytes:
        if 0 < len(data) <= 4:
            return struct.pack("<HH", type_, len(data)) + data.ljust(4, b"\0")
        return struct.pack("<II", type_, len(data)) + data.ljust((len(data) + 7) // 8 * 8, b"\0")

    def array(kind: int, shape: tuple, content: bytes, name=b"") -> bytes:
        head = element(6, struct.pack("<II", kind, 0)) + element(5, struct.pack(f"<{len(shape)}i", *shape))
        return element(14, head + element(1, name) + content)

    text = lambda value: array(4, (1, len(value)), element(4, value.encode("utf-16-le")))
    number = lambda value: array(6, (1, 1), element(9, struct.pack("<d", value)))

    def structure(fields: dict, name=b"") -> bytes:
        count = len(next(iter(fields.values())))
        names = b"".join(field.encode().ljust(16, b"\0") for field in fields)
        values = b"".join(values[k] for k in range(count) for values in fields.values())
        return array(2, (1, count), element(5, struct.pack("<i", 16)) + element(1, names) + values, name)

    def eeg(data: bytes, points: int, trials: int) -> bytes:
        places = structure({"labels": [text("Fz"), text("Cz")], **{axis: [number(1), number(2)] for axis in "XYZ"}})
        events = structure({"type": [text("go"), text("boundary")], "latency": [number(1), number(2.5)], "duration": [number(0), number(9)]})
        fields = {"nbchan": 2, "pnts": points, "trials": trials, "srate": 100}
        values = {field: [number(value)] for field, value in fields.items()}
        return structure({**values, "data": [data], "chanlocs": [places], "event": [events]}, b"EEG")

    head = b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM"
    floats = array(7, (2, 4), element(7, struct.pack("<8f", *range(8))))
    packed = zlib.compress(eeg(floats, 4, 1))
    return {
        "continuous": head + eeg(floats, 4, 1),
        "trials": head + eeg(array(6, (2, 2, 2), element(2, bytes(range(8)))), 2, 2),
        "packed": head + struct.pack("<II", 15, len(packed)) + packed,
    }


def brainvision_seeds() -> dict:
    def vhdr(binary: str, orientation="MULTIPLEXED", extra="", count=2) -> str:
        return (
            "Brain Vision Data Exchange Header File Version 1.0\r\n; comment\r\n[Common Infos]\r\nCodepage=UTF-8\r\n"
            f"DataFile=fuzz.eeg\r\nMarkerFile=fuzz.vmrk\r\nDataFormat=BINARY\r\nDataOrientation={orientation}\r\n"
            f"NumberOfChannels={count}\r\nSamplingInterval=2000\r\n{extra}[Binary Infos]\r\nBinaryFormat={binary}\r\n"
            "[Channel Infos]\r\nCh1=Fp1,,0.5,µV\r\nCh2=E\\1G,Fp1,0.1\r\n[Coordinates]\r\nCh1=1,0,90\r\n"
        )

    vmrk = (
        "Brain Vision Data Exchange Marker File, Version 1.0\r\n[Common Infos]\r\nDataFile=fuzz.eeg\r\n[Marker Infos]\r\n"
        "Mk1=New Segment,,1,1,0,20090812161500000000\r\nMk2=Stimulus,S  1,2,1,0\r\n"
    )
    data = struct.pack("<6h", 1, 2, -3, 4, 32767, -32768)
    join = lambda header, binary: header.encode() + b"\0" + vmrk.encode() + b"\0" + binary
    return {
        "int16": join(vhdr("INT_16"), data),
        "float32": join(vhdr("IEEE_FLOAT_32"), struct.pack("<4f", 1, 2, 3.5, -1e9)),
        "vectorized": join(vhdr("INT_16", "VECTORIZED", "DataPoints=3\r\n"), data),
    }


def structure_seeds() -> dict:
    atom = "{:6}{:5} {:^4}{:1}{:3} {:1}{:4}{:1}   {:8.3f}{:8.3f}{:8.3f}{:6.2f}{:6.2f}          {:>2}\n"

    def line(kind, serial, name, residue, number, x, altloc=" ", chain="A", element="C") -> str:
        return atom.format(kind, serial, name, altloc, residue, chain, number, " ", x, x + 1, -x, 1, 20, element)

    pdb = "HEADER    TEST\nMODEL        1\n" + line("ATOM", 1, "N", "MET", 1, 0.5, element="N")
    pdb += line("ATOM", 2, "CA", "MET", 1, 1.5, altloc="A") + line("ATOM", 3, "CA", "MET", 1, 2.5, altloc="B")
    pdb += line("HETATM", 4, "SE", "MSE", 2, 3.5, element="SE") + "TER       5      MSE A   2\n"
    pdb += line("HETATM", 6, "O", "HOH", 3, 4.5, element="O") + "ENDMDL\nMODEL        2\nENDMDL\nEND\n"
    names = "group_PDB id type_symbol label_atom_id label_alt_id label_comp_id label_asym_id label_entity_id label_seq_id"
    names += " Cartn_x Cartn_y Cartn_z occupancy auth_seq_id auth_asym_id pdbx_PDB_model_num"
    cif = "data_TEST\n_entry.id TEST\nloop_\n" + "".join(f"_atom_site.{name}\n" for name in names.split())
    cif += "ATOM 1 C CA . MET A 1 1 0.5 1.5 -2.5 1.00 1 A 1\nHETATM 2 O \"O'\" ? HOH B 2 . 1 2 3 1.00 7 A 1\n#\n"
    return {"pdb": pdb.encode(), "cif": cif.encode(), "quoted": cif.replace(" A 1 1 ", " 'A' 1 1 ").encode()}


def restraints_seeds() -> dict:
    columns = "restraint_id chain_code_1 sequence_code_1 residue_name_1 atom_name_1 chain_code_2 sequence_code_2 residue_name_2"
    columns += " atom_name_2 lower_limit upper_limit"
    nef = "data_x\nsave_a\nloop_\n" + "".join(f"_nef_distance_restraint.{name}\n" for name in columns.split())
    nef += "1 A 2 LEU HBx A 1 ALA C . 5\n1 A 2 LEU HB% B 1 'SER' N 2 5\nstop_\nsave_\n"
    tbl = "assign (resid 2 and name HB#)((segid \" A\" and resid 1) or resn SER) 4 2 1 weight 1 ! c\n or (resid 1)(all)\n"
    tbl += "assign (resid 1 and name C)(resid 2 and name N)(atom A 2 CA)(resid 2 and name C) 1 -60 30 2\n"
    return {
        "nef": b"\x00" + nef.encode(),
        "xplor": b"\x01{c}" + tbl.encode(),
        "upl": b"\x02 2 LEU QB 1 ALA C 5.0\n 2 LEU N 1 ALA C 0.0\n",
        "aco": b"\x03 2 LEU PHI -70 -50\n",
        "bounds": b"\x041 2 1.5 inf\nA:2:CA A/LEU2/N 1 2\n",
        "csv": b"\x05i,j,lower,upper\n1,2,1,2\n",
    }


def alignment_seeds() -> dict:
    stockholm = "# STOCKHOLM 1.0\n#=GF ID x\n\na ac.D\n#=GR a SS HHHH\nb ACGD\n#=GC RF xxxx\n\na W\nb -\n//\n"
    msf = "PileUp\n\n  MSF: 6  Type: P  Check: 1 ..\n\n Name: 12 oo  Len: 6  Check: 0  Weight: 1.0\n Name: b Len: 6 Check: 7\n\n"
    msf += "//\n\n   1   4\n12  ~ACD\nb   GACD\n\n   5\n12   .W\nb W.\n"
    return {
        "fasta": b">a x\nAC-D\n>b\nACGD\n",
        "clustal": b"CLUSTAL 2.1 multiple sequence alignment\n\n\na   AC-D  3\nbb  ACGD 4\n    ** *\n\na   Wy 5\nbb  W- 5\n    *\n",
        "interleaved": b"2 8\nab   ACGT\ncd   AC--\n\n     ACGT\n     ACGA\n",
        "sequential": b"2 8\nab\nACGT\nACGT\ncd\nAC--\nACGA\n",
        "strict": b"2 5\nHomo sap 1ACGTT\nPan       ACG-T\n",
        "stockholm": stockholm.encode(),
        "msf": msf.encode(),
        "packed": gzip.compress(stockholm.encode(), mtime=0),
    }


TARGETS = {
    "npy_fuzz": npy_seeds,
    "npz_fuzz": npz_seeds,
    "vcf_fuzz": vcf_seeds,
    "signals_fuzz": signals_seeds,
    "table_fuzz": table_seeds,
    "expression_fuzz": expression_seeds,
    "information_matrix_fuzz": information_seeds,
    "distance_matrix_fuzz": distance_matrix_seeds,
    "fasta_fuzz": fasta_seeds,
    "alignment_fuzz": alignment_seeds,
    "newick_fuzz": newick_seeds,
    "plink_fuzz": plink_seeds,
    "edf_fuzz": edf_seeds,
    "brainvision_fuzz": brainvision_seeds,
    "fif_fuzz": fif_seeds,
    "eeglab_fuzz": eeglab_seeds,
    "restraints_fuzz": restraints_seeds,
    "structure_fuzz": structure_seeds,
}


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for target, seeds in TARGETS.items():
        folder = Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in seeds().items():
            (folder / name).write_bytes(data)


main()
