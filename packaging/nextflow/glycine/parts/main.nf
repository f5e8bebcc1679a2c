// Distances between all pairs of samples, computed in parts side by side and merged.
process GLYCINE_PART {
    tag "$meta.id $part/$parts"
    label 'process_medium'

    conda "${moduleDir}/../distance/environment.yml"
    container "glycine:0.1.0"

    input:
    // [ meta, files ] and the ending, as of GLYCINE_DISTANCE; which of how many parts
    tuple val(meta), path(files), val(ending), val(part), val(parts)

    output:
    tuple val(meta), path(files, includeInputs: true), path("*.part-*-of-*"), emit: parts

    script:
    def args = task.ext.args ?: ''
    def input = [files].flatten().find { it.name.endsWith('.bed') } ?: [files].flatten()[0]
    """
    glycine distance $input -o ${meta.id}.${ending} --threads ${task.cpus} $args --part $part/$parts
    """

    stub:
    """
    touch ${meta.id}.${ending}.part-$part-of-$parts
    """
}

process GLYCINE_MERGE {
    tag "$meta.id"
    label 'process_single'

    conda "${moduleDir}/../distance/environment.yml"
    container "glycine:0.1.0"

    input:
    // All parts, with the files that they were made of: the command of the parts reads them again.
    tuple val(meta), path(files), path(parts), val(ending)

    output:
    tuple val(meta), path("${meta.id}.${ending}"), emit: distances

    script:
    """
    glycine merge $parts -o ${meta.id}.${ending}
    """

    stub:
    """
    touch ${meta.id}.${ending}
    """
}

workflow GLYCINE_DISTANCE_IN_PARTS {
    take:
    sets   // [ meta, files ]
    ending
    parts  // how many

    main:
    GLYCINE_PART(sets.combine(ending).combine(Channel.of(1..parts)).map { it + parts })
    GLYCINE_MERGE(GLYCINE_PART.out.parts.groupTuple(by: 0, size: parts)
        .map { meta, files, made -> [meta, files[0], made] }.combine(ending))

    emit:
    distances = GLYCINE_MERGE.out.distances
}
