# glycine_embed_shaders(TARGET): compiles every file under shaders/ into TARGET as text, so that the program
# needs no data files. The generated source defines glycine::gl::embeddedShaders().
function(glycine_embed_shaders target)
    file(GLOB_RECURSE shader_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/shaders
         ${PROJECT_SOURCE_DIR}/shaders/*.frag ${PROJECT_SOURCE_DIR}/shaders/*.vert ${PROJECT_SOURCE_DIR}/shaders/*.glsl
         ${PROJECT_SOURCE_DIR}/shaders/*.comp
    )
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded_shaders.cpp)
    set(inputs ${shader_files})
    list(TRANSFORM inputs PREPEND ${PROJECT_SOURCE_DIR}/shaders/)
    string(REPLACE ";" "," file_list "${shader_files}")
    add_custom_command(
        OUTPUT ${generated}
        COMMAND ${CMAKE_COMMAND} -DSHADER_ROOT=${PROJECT_SOURCE_DIR}/shaders -DSHADER_FILES=${file_list}
                -DOUTPUT=${generated} -P ${PROJECT_SOURCE_DIR}/cmake/WriteEmbeddedShaders.cmake
        DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/cmake/WriteEmbeddedShaders.cmake
        COMMENT "Embedding shaders"
        VERBATIM
    )
    target_sources(${target} PRIVATE ${generated})
endfunction()
