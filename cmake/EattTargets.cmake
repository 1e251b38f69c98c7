include(GoogleTest OPTIONAL)

# eatt_library(NAME SOURCES a.cc … [LINKS eatt::base …] [PRIVATE_LINKS lib …])
# One call per folder of src/: the target eatt_NAME, known to others as eatt::NAME.
function(eatt_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(eatt_${name} STATIC ${ARG_SOURCES})
  add_library(eatt::${name} ALIAS eatt_${name})
  target_link_libraries(eatt_${name} PUBLIC eatt::flags eatt_sanitizers ${ARG_LINKS}
                                     PRIVATE ${ARG_PRIVATE_LINKS})
endfunction()

# eatt_program(NAME SOURCES main.cc … LINKS …): a program in bin/.
function(eatt_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE eatt::flags eatt_sanitizers ${ARG_LINKS})
endfunction()

# eatt_test(folder/file_test LABELS unit [LINKS …] [SOURCES more.cc] [TIMEOUT seconds])
# Builds tests/folder/file_test.cc; each TEST becomes one ctest entry carrying the labels.
function(eatt_test path)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LABELS;LINKS;SOURCES" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  string(REPLACE "/" "_" target ${path})
  add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/${path}.cc ${ARG_SOURCES})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${target} PRIVATE eatt_test_support ${ARG_LINKS} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
endfunction()
