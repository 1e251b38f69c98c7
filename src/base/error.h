#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace eatt {

// Something outside the program is wrong: a file, an input, a disk. The message is one sentence for
// the user: where, what was found, what was expected, what to do next. Only `cli` and the C
// interface catch it.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The command or its options are wrong: `cli` ends with exit code 2 instead of 1.
class UsageError : public Error {
 public:
  using Error::Error;
};

// The program itself is wrong. Thrown by expects(); the message names the source line.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// A contract between two of our own functions. Not for input: bad input is an Error.
// (The built-ins give the caller's line; clang 14 cannot read libstdc++ 12's source_location.)
void expects(bool promise, std::string_view what, const char* file = __builtin_FILE(),
             int line = __builtin_LINE());

// The system's message for errno, such as "No space left on device", for the end of a message.
std::string system_message(int error_number);

// One sentence about any exception, for the user: the message of an Error as it is; what the
// standard library and the JSON library throw ("filesystem error: cannot remove: …",
// "[json.exception.type_error.302] …") without their decoration, and with the file in front.
std::string user_message(const std::exception& error);

}  // namespace eatt
