# Writes the bytes of files as a C++ source for serving/api/web_files.h.
#   cmake -DWEB=folder -DOPENAPI=file -DOUTPUT=file -P embed.cmake
# Every file of the folder becomes "/its/path"; the description of the API, "/openapi.json".
file(GLOB_RECURSE files RELATIVE ${WEB} ${WEB}/*)
list(SORT files)

set(types html "text/html\; charset=utf-8" css "text/css\; charset=utf-8"
  js "text/javascript\; charset=utf-8" mjs "text/javascript\; charset=utf-8"
  json "application/json" svg "image/svg+xml" png "image/png" ico "image/x-icon"
  webmanifest "application/manifest+json" woff2 "font/woff2" txt "text/plain\; charset=utf-8")

set(entries "")
set(arrays "")
set(number 0)
macro(embed path file)
  set(embedded_path ${path})
  cmake_path(GET embedded_path EXTENSION LAST_ONLY ending)
  string(REPLACE "." "" ending "${ending}")
  list(FIND types "${ending}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${file}: no media type is known for .${ending} files; name it in embed.cmake")
  endif()
  math(EXPR at "${at} + 1")
  list(GET types ${at} type)
  file(SHA256 ${file} hash)
  string(SUBSTRING ${hash} 0 16 hash)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "const unsigned char file_${number}[] = {${bytes}0};\n")
  string(APPEND entries "    {\"${path}\", \"${type}\", \"\\\"${hash}\\\"\", view(file_${number})},\n")
  math(EXPR number "${number} + 1")
endmacro()

foreach(file IN LISTS files)
  if(NOT file MATCHES "\\.md$")  # For readers of the source.
    embed("/${file}" ${WEB}/${file})
  endif()
endforeach()
embed("/openapi.json" ${OPENAPI})

file(WRITE ${OUTPUT} "// Made by embed.cmake.
#include \"serving/api/web_files.h\"

#include <array>
#include <cstddef>

namespace eatt::serving {
namespace {

template <size_t size>
std::string_view view(const unsigned char (&bytes)[size]) {
  return {reinterpret_cast<const char*>(bytes), size - 1};
}

${arrays}
}  // namespace

std::span<const WebFile> web_files() {
  static const std::array<WebFile, ${number}> files = {{
${entries}  }};
  return files;
}

}  // namespace eatt::serving
")
