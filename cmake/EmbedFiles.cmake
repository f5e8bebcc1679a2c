# glycine_embed(TARGET FOLDER FUNCTION ENDING…): embeds every file under FOLDER with one of the endings as text in TARGET, so
# that the program needs no data files. The generated source defines FUNCTION, with its namespace
# (engine/core/embedded_files.hpp).
function(glycine_embed target folder function)
    set(root ${PROJECT_SOURCE_DIR}/${folder})
    list(TRANSFORM ARGN PREPEND ${root}/*. OUTPUT_VARIABLE patterns)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${root} ${patterns})
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded_${folder}.cpp)
    list(TRANSFORM files PREPEND ${root}/ OUTPUT_VARIABLE inputs)
    string(REPLACE ";" "," file_list "${files}")
    add_custom_command(
        OUTPUT ${generated}
        COMMAND ${CMAKE_COMMAND} -DROOT=${root} -DFILES=${file_list} -DFUNCTION=${function} -DOUTPUT=${generated} -P
                ${PROJECT_SOURCE_DIR}/cmake/WriteEmbeddedFiles.cmake
        DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/cmake/WriteEmbeddedFiles.cmake
        COMMENT "Embedding ${folder}"
        VERBATIM
    )
    target_sources(${target} PRIVATE ${generated})
endfunction()
