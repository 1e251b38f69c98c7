# What most files of the torch-free half include, compiled once for each level of optimization: a
# precompiled header fits only files that are compiled with the same options.

# Around the hot folders -O3 only takes the compiler time. Without any optimization the sanitized tests
# of the hot folders would run for three times as long.
set(EATT_COLD_OPTIONS $<$<CONFIG:Release>:-O1>)
# (At -O3 g++ 12 warns falsely about strings that are resized.)
set(EATT_HOT_OPTIONS $<$<CONFIG:Debug>:-Og> $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>)

function(eatt_precompiled_header name)
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cc)
  target_compile_options(${name} PRIVATE ${ARGN})
  target_link_libraries(${name} PRIVATE eatt::flags fmt::fmt nlohmann_json::nlohmann_json)
  target_precompile_headers(${name} PRIVATE
    <fmt/format.h> <nlohmann/json.hpp>
    <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <cstring> <filesystem> <functional> <map>
    <memory> <mutex> <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <vector>)
endfunction()

eatt_precompiled_header(eatt_hot_headers ${EATT_SANITIZE_FLAGS} ${EATT_HOT_OPTIONS})
eatt_precompiled_header(eatt_cold_headers ${EATT_SANITIZE_FLAGS} ${EATT_COLD_OPTIONS})
