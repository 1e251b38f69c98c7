# Compiler settings, all on one interface target: eatt::flags.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

find_program(EATT_CCACHE ccache)
if(EATT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness lets ccache reuse objects that were compiled with a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${EATT_CCACHE})
endif()

add_library(eatt_flags INTERFACE)
add_library(eatt::flags ALIAS eatt_flags)
target_include_directories(eatt_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
target_compile_options(eatt_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  # g++ 12 warns falsely about strings that grow when it inlines the library (its bugs 105329, 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-stringop-overflow>
  # The operators for PyTorch are a shared library made of the same objects. Everything has the
  # flag, or the precompiled header could not be shared.
  -fPIC -fno-semantic-interposition
  $<$<BOOL:${EATT_WERROR}>:-Werror>)

# Only the torch-free half is compiled with the sanitizers (Debian's libtorch is not built with
# them); whatever links that half needs their run-time library all the same.
add_library(eatt_sanitizers INTERFACE)
if(EATT_SANITIZE STREQUAL "thread")
  # Tests are checked too: inline code of theirs that orders threads would go unseen otherwise.
  set(EATT_SANITIZE_FLAGS -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(eatt_sanitizers INTERFACE -fsanitize=thread)
elseif(EATT_SANITIZE)
  set(EATT_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=undefined
      -fno-omit-frame-pointer)
  if(EATT_FUZZ)
    list(APPEND EATT_SANITIZE_FLAGS -fsanitize=fuzzer-no-link)
  endif()
  target_link_options(eatt_sanitizers INTERFACE -fsanitize=address,undefined)
  # For tests, which are not checked themselves: half the time to compile.
  set(EATT_NO_SANITIZER -fno-sanitize=all)
endif()
