// Names of hosts for the small command: none. It is linked statically, and glibc's name service is
// not: `run` becomes homenode-native for a list with ip: in it (needs_full_machine).
#include "machine/devices/network.h"

namespace homenode::machine {

Result<std::string> interface_towards(const std::string& host) {
  return not_supported("the statically linked command cannot resolve the host '" + host + "'",
                       "give the interface as netdev:NAME");
}

}  // namespace homenode::machine
