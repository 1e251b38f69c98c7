#include "study/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/open_file.h"
#include "base/text/utf8.h"

namespace eatt::study {
namespace {

constexpr int kNotStarted = 127;

int code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

FileDescriptor open_for(const std::filesystem::path& path, int flags) {
  FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0666));
  if (!file.is_open())
    throw Error(fmt::format("{}: cannot be opened: {}", path.string(), system_message(errno)));
  return file;
}

// What the new process does before it becomes the program; returns only if that fails.
void become(char* const* argv, const std::array<int, 3>& files, pid_t parent) {
  // If this program is killed, the child is too: nobody would look after it, and the same command
  // could not continue what it still works on. A training continues from its last checkpoint.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kNotStarted);
  // A group of its own: Ctrl-C at the terminal reaches us, and we tell the children.
  ::setpgid(0, 0);
  for (int i = 0; i < 3; ++i) ::dup2(files[static_cast<size_t>(i)], i);
  ::execv(argv[0], argv);
}

// Starts a program; 0 or an error number.
int start(const std::vector<std::string>& words, const std::array<int, 3>& files, pid_t& pid) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const pid_t parent = ::getpid();
  pid = ::fork();
  if (pid == 0) {
    become(argv.data(), files, parent);
    const int error = errno;
    [[maybe_unused]] const auto written = ::write(writing.get(), &error, sizeof(error));
    ::_exit(kNotStarted);
  }
  if (pid < 0) return errno;
  writing = FileDescriptor();
  // The pipe closes when the program begins; until then it brings the reason why it does not.
  int error = 0;
  if (::read(reading.get(), &error, sizeof(error)) != sizeof(error)) return 0;
  ::waitpid(pid, nullptr, 0);
  return error;
}

}  // namespace

Child::Child(const std::vector<std::string>& words, const Outputs& outputs) {
  const FileDescriptor input = open_for("/dev/null", O_RDONLY);
  const FileDescriptor result = open_for(outputs.result, O_WRONLY | O_CREAT | O_TRUNC);
  const FileDescriptor log = open_for(outputs.log, O_WRONLY | O_CREAT | O_APPEND);
  const int error = start(words, {input.get(), result.get(), log.get()}, pid_);
  if (error != 0) {
    throw Error(fmt::format("{}: cannot be started: {}", words.front(), system_message(error)));
  }
}

Child::~Child() {
  if (exit_code_) return;
  ask_to_end();
  wait();
}

std::optional<int> Child::exit_code() {
  int status = 0;
  if (!exit_code_ && ::waitpid(pid_, &status, WNOHANG) == pid_) exit_code_ = code_of(status);
  return exit_code_;
}

void Child::ask_to_end() {
  if (!exit_code_) ::kill(pid_, SIGTERM);
}

int Child::wait() {
  int status = 0;
  while (!exit_code_) {
    if (::waitpid(pid_, &status, 0) == pid_) exit_code_ = code_of(status);
  }
  return *exit_code_;
}

std::string failure(const std::filesystem::path& log, int exit_code) {
  std::ifstream lines(log);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
  }
  for (const std::string_view program : {"eatt: ", "eatt-train: "}) {
    if (last.starts_with(program)) return last.substr(program.size());
  }
  if (exit_code == 128 + SIGKILL) return "it was killed (SIGKILL); was memory short?";
  if (exit_code > 128) return fmt::format("it was ended by signal {}", exit_code - 128);
  return fmt::format("exit code {}", exit_code);
}

std::string output_of(const std::vector<std::string>& words, const std::filesystem::path& folder) {
  const auto result = folder / "preparation.out", log = folder / "preparation.log";
  Child child(words, {.result = result, .log = log});
  if (const int code = child.wait(); code != 0) throw Error(failure(log, code));
  std::string printed = read_file(result);
  std::filesystem::remove(result);
  return printed;
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    const size_t dashes = std::min(word.find_first_not_of('-'), word.size());
    text += word.substr(0, dashes);
    if (dashes == 0 || dashes < word.size()) text += shell_quoted(word.substr(dashes));
  }
  return text;
}

}  // namespace eatt::study
