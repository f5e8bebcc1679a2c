"""The functions that read files, as the commands do."""

from __future__ import annotations

import os
import pathlib
import tempfile
from typing import Any

from ._load import _glycine
from ._results import Alignment, Bounds, Expression, Sequences, Signals

__all__ = [
    "read", "read_alignment", "read_bed", "read_bounds", "read_edf", "read_eeglab", "read_expression", "read_fasta", "read_fif",
    "read_signals", "read_vcf",
]


def read(path: str | os.PathLike[str], **options: Any) -> _glycine.DataSet:
    """Reads genotypes, aligned sequences or coordinates as ``glycine distance`` does.

    Parameters
    ----------
    path : path
        .bed (with .bim and .fam), .vcf, .bcf, .fa, .fasta, .aln, .npy, .csv, .tsv.
    options
        kind, gaps, ambiguous, any_alleles, strict, autosomes_only, transpose, header: as in the command.

    Returns
    -------
    DataSet
        With `.names`, `.kind`, `.shape`, `.description`, `.notes` and `.values()`; `distances` accepts it in place of an array.
        A .bed file is memory-mapped, not read.

    Raises
    ------
    ValueError
        For files that cannot be read as such, naming the place, and for options of other formats.
    """
    return _glycine.read_data(os.fsencode(path), options)


read_bed = read_vcf = read


def read_fasta(path: str | os.PathLike[str], **options: Any) -> Sequences:
    """Reads sequences from FASTA or any alignment format, and removes gaps.

    Parameters
    ----------
    path, options
        As of `read_alignment`.

    Returns
    -------
    Sequences
        `.names`, `.letters`, `.alphabet` and `.notes`.

    Raises
    ------
    ValueError
        As `read_alignment`.
    """
    return Sequences(*_glycine.read_letters(os.fsencode(path), options))


def read_alignment(path: str | os.PathLike[str], **options: Any) -> Alignment:
    """Reads aligned sequences.

    Parameters
    ----------
    path : path
        FASTA, Clustal, PHYLIP, Stockholm or MSF.
    options
        alphabet: "protein", "dna" or "rna".

    Returns
    -------
    Alignment
        Without confidence, tree and facts about a run.

    Raises
    ------
    ValueError
        For files that cannot be read as such, naming the place, and for options of other formats.
    """
    return Alignment(**_glycine.read_rows(os.fsencode(path), options))


def read_bounds(path: Any, **options: Any) -> Bounds:
    """Reads bounds, or derives them from a structure, as ``glycine bounds`` does.

    Parameters
    ----------
    path : path, or gemmi's Structure
        .npz; for structures .pdb and .cif.
    options
        precision, rounding, allow_inconsistent; for structures atoms, model, known, cutoff, tolerance, seed, diameter and
        hydrogen_diameter.

    Returns
    -------
    Bounds
        In Å, with the `.names` of the atoms and a `.description`.

    Raises
    ------
    ValueError
        For files that cannot be read as such, naming the place, and for options of other formats.
    """
    if hasattr(path, "make_mmcif_document"):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "structure.cif")
            file.write_text(path.make_mmcif_document().as_string())
            return read_bounds(file, **options)
    upper, lower, names, description = _glycine.read_bounds(os.fsencode(path), options)
    return Bounds(upper, lower, names or None, description=description)


def read_edf(path: str | os.PathLike[str], **options: Any) -> Signals:
    """Reads a recording as ``glycine crossapen`` does, cut into epochs.

    Parameters
    ----------
    path : path
        EDF, BDF, BrainVision, FIF, EEGLAB, arrays and tables.
    options
        channels, types, exclude, reference, montage, epoch (samples), epochs, events (texts of annotations, instead of consecutive
        epochs), event_start (seconds from an event to its epoch), artefacts (a table), artefact_annotations, resample, band (low, high),
        rate, header, transpose, array, keep_time, max_flat, max_clipped.

    Returns
    -------
    Signals
        `.values`, epochs × channels × samples, with `.names`, `.rate` (Hz), `.units`, `.notes` and `.events`.

    Raises
    ------
    ValueError
        For files that cannot be read as such, naming the place, and for options of other formats.
    """
    return Signals(*_glycine.read_signals(os.fsencode(path), options))


read_fif = read_eeglab = read_signals = read_edf


def read_expression(path: str | os.PathLike[str], **options: Any) -> Expression:
    """Reads an expression matrix as ``glycine mutualinfo`` does.

    Parameters
    ----------
    path : path
        Tables, .exp, .npy, .h5ad, .h5.
    options
        header, transpose, duplicates, missing, layer, dataset.

    Returns
    -------
    Expression
        `.values`, genes × samples, with `.genes`, `.samples` and `.notes`.

    Raises
    ------
    ValueError
        For files that cannot be read as such, naming the place, and for options of other formats.
    """
    return Expression(*_glycine.read_expression(os.fsencode(path), options))
