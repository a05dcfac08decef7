// The operating system as it is: raw system calls, without libnuma, whose constructor may exit the
// caller and whose masks have a fixed size. Serves actuation, sensing and the command line.
#pragma once

#include "os/os.h"

namespace homenode::os {

/// Stateless; any thread may use any instance.
class Linux final : public Os {
 public:
  int set_mempolicy(int mode, const NodeSet& nodes) override;
  int get_mempolicy(int& mode, NodeSet& nodes) override;
  int next_interleave_node(NodeId& node) override;
  int mbind(void* address, std::size_t bytes, int mode, const NodeSet& nodes,
            unsigned flags) override;
  int set_home_node(void* address, std::size_t bytes, NodeId home) override;
  int move_pages(pid_t pid, std::span<void* const> pages, std::span<const int> targets,
                 std::span<int> status, int flags) override;
  int sched_setaffinity(pid_t thread, const CpuSet& cpus) override;
  int sched_getaffinity(pid_t thread, CpuSet& cpus) override;
  int getcpu(CpuId& cpu, NodeId& node) override;
  int map_memory(std::size_t bytes, void*& address) override;
  int map_aligned_memory(std::size_t bytes, std::size_t alignment, void*& address) override;
  int unmap_memory(void* address, std::size_t bytes) override;
  int advise_memory(void* address, std::size_t bytes, int advice) override;
  int name_memory(void* address, std::size_t bytes, const std::string& name) override;
  int protect_memory(void* address, std::size_t bytes, int protection) override;
  int populate_memory(void* address, std::size_t bytes) override;
  int populate_ranges(std::span<const MemoryRange> ranges) override;
  std::size_t page_bytes() override;
  int execute(const std::vector<std::string>& arguments) override;
  int read_file(const std::string& path, std::string& content) override;
  int read_file_at(const std::string& path, std::uint64_t offset, std::span<char> content) override;
  int write_file(const std::string& path, const std::string& content) override;
  int open_appended(const std::string& path, int& descriptor) override;
  ssize_t append_file(int descriptor, std::span<const char> bytes) override;
  int list_folder(const std::string& path, std::vector<std::string>& names) override;
  int file_status(const std::string& path, FileStatus& status) override;
  int check_executable(const std::string& path) override;
  int attribute_bytes(const std::string& path, const std::string& name) override;
  int read_link(const std::string& path, std::string& target) override;
  int resolve_path(const std::string& path, std::string& resolved) override;
  int output_of(const std::vector<std::string>& command, std::string& output) override;
  int filter(const std::vector<std::string>& command, const std::string& input,
             Printed& printed) override;
  int open_shared_file(const std::string& path, std::optional<unsigned> permissions,
                       SharedFile& file) override;
  int resize_file(int descriptor, std::uint64_t bytes) override;
  int map_shared_file(int descriptor, std::uint64_t offset, std::size_t bytes,
                      void*& address) override;
  int close_file(int descriptor) override;
  int remove_file(const std::string& path) override;
  int segment_key(const std::string& path, int project, int& key) override;
  int find_segment(int key, const std::optional<SegmentCreation>& creation,
                   SharedSegment& segment) override;
  int attach_segment(int id, void*& address) override;
  int detach_segment(void* address) override;
  int remove_segment(int id) override;
  int page_policy(void* address, int& mode, NodeSet& nodes) override;
  int page_node(void* address, NodeId& node) override;
  int open_viewed_file(const std::string& path, ViewedFile& file) override;
  int map_viewed_file(int descriptor, std::uint64_t offset, std::size_t bytes,
                      void*& address) override;
  int find_cached_pages(void* address, std::size_t bytes, std::vector<bool>& cached) override;
  int open_perf_event(const perf_event_attr& event, pid_t thread, int cpu,
                      int& descriptor) override;
  int open_perf_event_in_group(const perf_event_attr& event, pid_t thread, int cpu, int leader,
                               int& descriptor) override;
  int map_perf_ring(int descriptor, std::size_t bytes, void*& address) override;
  int map_perf_aux(int descriptor, std::uint64_t offset, std::size_t bytes,
                   void*& address) override;
  int control_perf_event(int descriptor, unsigned long request, unsigned long argument) override;
  int open_process(pid_t pid, int& descriptor) override;
  int wait_for_input(std::span<const int> descriptors, std::chrono::milliseconds longest) override;
  int process_cpu_ns(pid_t pid, std::uint64_t& nanoseconds) override;
  int give_way() override;
  int start_waiting(const std::vector<std::string>& program,
                    const std::vector<std::pair<std::string, std::string>>& environment,
                    WaitingProgram& child) override;
  int release(WaitingProgram& child) override;
  void abandon(WaitingProgram& child) override;
  std::optional<Ending> ending_of(pid_t child, bool wait) override;
  int send_signal(pid_t process, int signal) override;
  int start_guard(const std::string& path, const std::string& content, Guard& guard) override;
  int end_guard(Guard& guard) override;
  int listen_at(const std::string& path, int& listener) override;
  int connect_to(const std::string& path, int& connection) override;
  int peer_of(int connection, Peer& peer) override;
  int accept_from(int listener, int& connection) override;
  ssize_t receive_some(int connection, std::size_t most, std::string& bytes) override;
  ssize_t send_some(int connection, std::string_view bytes) override;
  int wait_for_sockets(std::span<Awaited> sockets, std::chrono::nanoseconds longest) override;
  void close_socket(int socket) override;
  int send_datagram(const std::string& address, std::string_view text) override;
  unsigned own_user() override;

 private:
  /// get_mempolicy(2) with a mask as large as the kernel's, whatever that is.
  static int read_policy(void* address, unsigned long flags, int& mode, NodeSet& nodes);
};

/// The columns of the terminal that the standard output is; 0 where it is none.
std::size_t terminal_columns();

}  // namespace homenode::os
