#!/usr/bin/env python3
"""Writes the genotypes of 90 people of Utah (CEU) and 90 of Ibadan (YRI) at 603 sites of chromosome 22, from the HapMap project, as a
PLINK set, and a table of their populations.

Usage: scripts/hapmap.py LD.EXAMPLE.RDATA OUT      writes OUT.bed, OUT.bim, OUT.fam and OUT.tsv

The file is in Debian's r-bioc-snpstats (GPL-3), in data/. Its SnpMatrix objects have a byte for each genotype: 0 unknown, 1 to 3 the
number of second alleles plus 1. The format of R's saved objects is in "R Internals", section 1.8.
"""

import lzma
import struct
import sys


class Objects:
    """Reads the saved objects of R (format XDR, version 2 or 3): vectors as lists or bytes, with their attributes."""

    def __init__(self, data):
        self.data, self.place, self.symbols = data, 7, []
        if data[:4] not in (b"RDX2", b"RDX3") or data[5:7] != b"X\n":
            raise ValueError("expected objects that R saved in the format XDR")
        version, _, _ = self.integers(3)
        if version == 3:
            self.take(self.integers(1)[0])

    def take(self, count):
        self.place += count
        return self.data[self.place - count:self.place]

    def integers(self, count):
        return list(struct.unpack(f">{count}i", self.take(4 * count)))

    def item(self):
        flags, = self.integers(1)
        kind, has_attributes, has_name = flags & 255, flags & 0x200, flags & 0x400
        if kind == 254:  # the end of a list
            return {}
        if kind == 255:  # a symbol that was read before
            return self.symbols[(flags >> 8) - 1]
        if kind == 1:
            self.symbols.append(self.item())
            return self.symbols[-1]
        if kind == 2:
            if has_attributes:
                self.item()
            name = self.item() if has_name else None
            return {name: self.item(), **self.item()}
        if kind == 25:  # an object of class S4
            return self.item() if has_attributes else {}
        count, = self.integers(1)
        if kind == 9:
            return "" if count < 0 else self.take(count).decode()
        if kind == 24:
            values = self.take(count)
        elif kind in (10, 13):
            values = self.integers(count)
        elif kind == 14:
            values = list(struct.unpack(f">{count}d", self.take(8 * count)))
        elif kind in (16, 19):
            values = [self.item() for _ in range(count)]
        else:
            raise ValueError(f"objects of R's type {kind} are not read")
        return {"values": values, **(self.item() if has_attributes else {})}


def names_of(matrix):
    return [one["values"] for one in matrix["dimnames"]["values"]]


def main():
    source, target = sys.argv[1:]
    with lzma.open(source) as file:
        objects = Objects(file.read()).item()
    sites = objects["support.ld"]
    columns = dict(zip(sites["names"]["values"], sites["values"]))
    alleles = [columns["dbSNPalleles"]["levels"]["values"][k - 1].split("/") for k in columns["dbSNPalleles"]["values"]]
    positions = columns["Position"]["values"]
    populations = {"CEU, Utah": objects["ceph.1mb"], "YRI, Ibadan": objects["yri.1mb"]}
    site_names = names_of(objects["ceph.1mb"])[1]
    people = [(name, label) for label, matrix in populations.items() for name in names_of(matrix)[0]]
    # PLINK counts the first allele of the .bim file: 00 two of them, 01 unknown, 10 one, 11 none.
    codes = bytes([0b01, 0b00, 0b10, 0b11])
    with open(target + ".bed", "wb") as bed:
        bed.write(b"\x6c\x1b\x01")
        for site in range(len(site_names)):
            values = b""
            for matrix in populations.values():
                count = len(names_of(matrix)[0])
                values += matrix["values"][site * count:(site + 1) * count]
            bed.write(bytes(sum(codes[value] << 2 * k for k, value in enumerate(values[four:four + 4])) for four in range(0, len(values), 4)))
    with open(target + ".bim", "w") as bim:
        bim.writelines(f"22 {name} 0 {int(position)} {first} {second}\n" for name, position, (first, second) in zip(site_names, positions, alleles))
    with open(target + ".fam", "w") as fam:
        fam.writelines(f"0 {name} 0 0 0 -9\n" for name, _ in people)
    with open(target + ".tsv", "w") as table:
        table.writelines(f"{name}\t{label}\n" for name, label in people)


main()
