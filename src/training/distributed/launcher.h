#pragma once

namespace eatt {

// This program once more for each worker, on this machine, with the same command line.
struct LocalWorkers {
  int count = 2;
  int threads = 1;  // Of each worker, unless the command line says otherwise.
};

// Starts the workers, with torchrun's variables in their environment, and waits for all of them.
// Signals that ask this process to end are passed on. As soon as a worker fails, the others are
// asked to end, and killed if they do not. Returns 0, or the exit code of the first that failed,
// whose message is on stderr, or 128 and the number of the signal that was passed on. Throws an
// Error if a worker was killed by another signal or could not be started. If this process is
// killed, the workers are too.
int run_local_workers(const LocalWorkers& workers);

}  // namespace eatt
