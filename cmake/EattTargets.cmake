include(GoogleTest OPTIONAL)

# Without it every file is compiled by itself, which is what you want while you edit; editors and
# clang-tidy also need it so. In the builds that start from nothing, reading headers and instantiating
# templates would take most of the time.
option(EATT_UNITY "Compile files of a folder together, eight at a time" ON)

# What every target shares. TORCH targets link libtorch and reuse its precompiled header; all others
# are compiled with the sanitizers when those are on.
function(eatt_set_up_target target torch)
  if(torch)
    target_link_libraries(${target} PUBLIC eatt::torch)
    if(NOT ARGN)  # Else another precompiled header.
      target_precompile_headers(${target} REUSE_FROM eatt_torch_pch)
      target_compile_options(${target} PRIVATE ${EATT_TORCH_OPTIONS})
    endif()
  else()
    target_compile_options(${target} PRIVATE ${EATT_SANITIZE_FLAGS})
  endif()
  target_link_libraries(${target} PUBLIC eatt::flags eatt_sanitizers)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${EATT_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# Of a target without libtorch: what runs while text is translated or encoded is HOT and fully optimized;
# everything else compiles faster.
function(eatt_optimize target hot)
  if(hot)
    target_precompile_headers(${target} REUSE_FROM eatt_hot_headers)
    target_compile_options(${target} PRIVATE ${EATT_HOT_OPTIONS})
  else()
    target_precompile_headers(${target} REUSE_FROM eatt_cold_headers)
    target_compile_options(${target} PRIVATE ${EATT_COLD_OPTIONS})
  endif()
endfunction()

# eatt_library(NAME SOURCES a.cc … [ALONE b.cc …] [LINKS eatt::base …] [PRIVATE_LINKS lib …]
#              [HOT | TORCH | OWN_OPTIONS])
# One call per folder of src/: the target eatt_NAME, known to others as eatt::NAME. Files that are ALONE
# are never compiled together with others, whose local names they have too. With OWN_OPTIONS the folder
# says itself how it is optimized, and every file is alone.
function(eatt_library name)
  cmake_parse_arguments(ARG "HOT;TORCH;OWN_OPTIONS" "" "SOURCES;ALONE;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(eatt_${name} STATIC ${ARG_SOURCES} ${ARG_ALONE})
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  add_library(eatt::${name} ALIAS eatt_${name})
  eatt_set_up_target(eatt_${name} ${ARG_TORCH})
  if(NOT ARG_TORCH AND NOT ARG_OWN_OPTIONS)
    eatt_optimize(eatt_${name} ${ARG_HOT})
  endif()
  if(ARG_OWN_OPTIONS)
    set_target_properties(eatt_${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  target_link_libraries(eatt_${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
endfunction()

# eatt_program(NAME SOURCES main.cc … LINKS … [TORCH]): a program in bin/. Its commands are alone: each
# has its own Options and run().
function(eatt_program name)
  cmake_parse_arguments(ARG "TORCH" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  eatt_set_up_target(${name} ${ARG_TORCH})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  target_link_libraries(${name} PUBLIC ${ARG_LINKS})
endfunction()

# eatt_tests(NAME SOURCES a_test.cc … [ALONE b_test.cc …] LABEL unit [LINKS …] [TIMEOUT seconds] [TORCH])
# One program of the tests of a folder: linking takes longer than compiling a small test. Each TEST
# is a ctest entry with the label, so that `ctest -R` finds it by name. With TORCH an entry is a
# quarter of the program instead, since loading libtorch takes longer than most tests.
function(eatt_tests name)
  cmake_parse_arguments(ARG "TORCH" "LABEL;TIMEOUT" "ALONE;LINKS;SOURCES" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES} ${ARG_ALONE})
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  # What is tested is optimised; the tests themselves need not be, and compile three times faster.
  eatt_set_up_target(${name} ${ARG_TORCH} OTHER_HEADER)
  target_compile_options(${name} PRIVATE -O0 ${EATT_NO_SANITIZER})
  if(ARG_TORCH)
    target_precompile_headers(${name} REUSE_FROM eatt_torch_test_pch)
  else()
    target_precompile_headers(${name} REUSE_FROM eatt_test_pch)
  endif()
  target_link_libraries(${name} PUBLIC eatt_test_support ${ARG_LINKS} GTest::gmock
                                       GTest::gtest_main)
  if(ARG_TORCH)
    eatt_add_shards(${name} 4 ${ARG_LABEL} ${ARG_TIMEOUT})
  else()
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT}
                 SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
  endif()
endfunction()

# The tests of a program in `count` ctest entries, by GoogleTest's sharding.
function(eatt_add_shards name count label timeout)
  math(EXPR last "${count} - 1")
  foreach(shard RANGE ${last})
    math(EXPR number "${shard} + 1")
    set(entry "${name}.${number}of${count}")
    add_test(NAME ${entry} COMMAND ${name})
    set_tests_properties(${entry} PROPERTIES LABELS ${label} TIMEOUT ${timeout}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${count};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()
