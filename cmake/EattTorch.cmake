# libtorch's headers take half a minute to parse, so they are compiled once, into a precompiled
# header that every target of the libtorch half shares.
find_package(Torch REQUIRED)

# TORCH_LIBRARIES carries flags with Debian's paths; warnings inside its headers are not ours.
add_library(eatt_torch INTERFACE)
add_library(eatt::torch ALIAS eatt_torch)
target_include_directories(eatt_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
target_link_libraries(eatt_torch INTERFACE ${TORCH_LIBRARIES})

# What is hot is in the kernels and in libtorch itself; around them -O3 only takes the compiler time.
set(EATT_TORCH_OPTIONS $<$<CONFIG:Release>:-O1>)

add_library(eatt_torch_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cc)
target_link_libraries(eatt_torch_pch PRIVATE eatt::flags eatt::torch)
target_compile_options(eatt_torch_pch PRIVATE ${EATT_TORCH_OPTIONS})
target_precompile_headers(eatt_torch_pch PRIVATE ${PROJECT_SOURCE_DIR}/src/model/torch_pch.h)

# The same for tests, which are not optimised.
if(EATT_TESTS)
  add_library(eatt_torch_test_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cc)
  target_link_libraries(eatt_torch_test_pch PRIVATE eatt::flags eatt::torch GTest::gmock)
  target_compile_options(eatt_torch_test_pch PRIVATE -O0)
  target_precompile_headers(eatt_torch_test_pch PRIVATE
    ${PROJECT_SOURCE_DIR}/src/model/torch_pch.h <gmock/gmock.h>)
endif()
