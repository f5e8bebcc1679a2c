// Distances between all pairs of samples: one genotype set or alignment in, one matrix out.
process GLYCINE_DISTANCE {
    tag "$meta.id"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "glycine:0.1.0"

    input:
    // [ meta, files ]: .vcf[.gz], .fa[.gz], .npy, a table, or the three files of a PLINK set (.bed, .bim, .fam)
    tuple val(meta), path(files)
    // the ending of the result: npy, npz, tsv, csv, phy, dist
    val ending

    output:
    tuple val(meta), path("${meta.id}.${ending}"), emit: distances
    path "versions.yml"                          , emit: versions

    script:
    def args = task.ext.args ?: ''
    def input = [files].flatten().find { it.name.endsWith('.bed') } ?: [files].flatten()[0]
    """
    glycine distance $input -o ${meta.id}.${ending} --threads ${task.cpus} $args

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        glycine: \$(glycine --version | cut -d' ' -f2)
    END_VERSIONS
    """

    stub:
    """
    touch ${meta.id}.${ending}
    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        glycine: \$(glycine --version | cut -d' ' -f2)
    END_VERSIONS
    """
}
