#include <utility>
#include <vector>

#include "serving/http/connection.h"

namespace eatt::serving {

void ConnectionGroup::add(const std::shared_ptr<Connection>& connection) {
  const std::lock_guard lock(mutex_);
  members_[connection.get()] = connection;
  open = members_.size();
}

void ConnectionGroup::remove(const Connection* connection) {
  const std::lock_guard lock(mutex_);
  members_.erase(connection);
  open = members_.size();
}

void ConnectionGroup::for_each(const std::function<void(Connection&)>& use) {
  std::vector<std::shared_ptr<Connection>> alive;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [address, connection] : members_) {
      if (auto held = connection.lock()) alive.push_back(std::move(held));
    }
  }
  for (const auto& connection : alive) use(*connection);
}

}  // namespace eatt::serving
