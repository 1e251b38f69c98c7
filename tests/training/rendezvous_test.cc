#include "training/distributed/rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/error.h"

namespace eatt {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

WorkerPlace place_in(const std::map<std::string, std::string>& variables) {
  return find_place([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(FindPlace, WithoutALauncherThisIsTheOnlyWorker) {
  EXPECT_TRUE(place_in({}).alone());
  EXPECT_TRUE(place_in({{"RANK", "1"}, {"WORLD_SIZE", "2"}}).alone()) << "nowhere to meet";
}

TEST(FindPlace, SlurmsVariablesAloneDoNotMakeATaskAWorker) {
  EXPECT_TRUE(place_in({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}).alone());
}

TEST(FindPlace, TorchrunsVariablesAreRead) {
  const WorkerPlace place = place_in({{"RANK", "5"},
                                      {"LOCAL_RANK", "1"},
                                      {"WORLD_SIZE", "8"},
                                      {"MASTER_ADDR", "node-a"},
                                      {"MASTER_PORT", "1234"},
                                      {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                      {"TORCHELASTIC_RESTART_COUNT", "2"}});
  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.size, 8);
  EXPECT_EQ(place.address, "node-a");
  EXPECT_EQ(place.port, 1234);
  EXPECT_TRUE(place.launcher_has_store);
  EXPECT_EQ(place.attempt, "2");
}

// The store of torchrun outlives the workers, and after an elastic restart there may be fewer.
TEST(FindPlace, AttemptsAndNumbersOfWorkersDoNotShareKeys) {
  const auto prefix = [](int size, const char* attempt) {
    WorkerPlace place;
    place.size = size;
    place.attempt = attempt;
    return place.key_prefix();
  };
  EXPECT_EQ(prefix(2, "0"), prefix(2, "0"));
  EXPECT_NE(prefix(2, "0"), prefix(2, "1"));
  EXPECT_NE(prefix(2, "0"), prefix(3, "0"));
  EXPECT_NE(prefix(1, "11"), prefix(11, "1"));
}

TEST(FindPlace, SlurmAndOpenMpiNameThemDifferently) {
  const WorkerPlace slurm = place_in(
      {{"MASTER_ADDR", "a"}, {"SLURM_PROCID", "3"}, {"SLURM_LOCALID", "1"}, {"SLURM_NTASKS", "4"}});
  EXPECT_EQ(slurm.rank, 3);
  EXPECT_EQ(slurm.local_rank, 1);
  EXPECT_EQ(slurm.size, 4);
  EXPECT_FALSE(slurm.launcher_has_store);
  const WorkerPlace mpi = place_in({{"MASTER_ADDR", "a"},
                                    {"OMPI_COMM_WORLD_RANK", "1"},
                                    {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                    {"OMPI_COMM_WORLD_SIZE", "2"}});
  EXPECT_EQ(mpi.rank, 1);
  EXPECT_EQ(mpi.local_rank, 1);
  EXPECT_EQ(mpi.size, 2);
}

TEST(FindPlace, AnImpossibleNumberIsNamed) {
  EXPECT_THAT(
      [] {
        place_in({{"MASTER_ADDR", "a"}, {"RANK", "two"}, {"WORLD_SIZE", "2"}});
      },
      ThrowsMessage<UsageError>(HasSubstr("RANK is 'two'")));
  EXPECT_THAT(
      [] {
        place_in({{"MASTER_ADDR", "a"}, {"RANK", "2"}, {"WORLD_SIZE", "2"}});
      },
      ThrowsMessage<UsageError>(
          HasSubstr("RANK is 2, but WORLD_SIZE is 2; expected a number from 0 to 1")));
}

}  // namespace
}  // namespace eatt
