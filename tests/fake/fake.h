// A model of a NUMA kernel to test against: nodes, CPUs, policies per thread and per mapping, first
// touch, moves, and calls that fail on request. Serves the tests of every room that uses Os.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "fake/memory.h"
#include "os/os.h"

namespace homenode::os {

/// What the model is a model of.
struct FakeMachine {
  NodeSet nodes{NodeId(0)};  ///< Nodes with memory that the process may use.
  std::map<CpuId, NodeId> node_of_cpu{{CpuId(0), NodeId(0)}};  ///< The CPUs that it may use.
  FakeMemory::Limits memory = {};
};

/// No file or segment of the model is larger.
inline constexpr std::uint64_t fake_shared_bytes = std::uint64_t{16} << 20;
/// A socket of the model holds no more bytes that were not read.
inline constexpr std::size_t fake_socket_bytes = 65536;

/// Memory is really mapped, so addresses are real and may be written; but the model knows only of
/// pages that came in through populate_memory() or first_touch(). Thread safe.
class Fake final : public Os {
 public:
  explicit Fake(FakeMachine machine = {});
  ~Fake() override;

  /// The `nth` call from now (counting from 1) of the named function, or of any function when the
  /// name is empty, does nothing and gives -errno_value. Forgets failures asked for before.
  void fail_call(const std::string& name, unsigned nth, int errno_value);
  /// After the failures asked for so far one more, counted from the last of them.
  void then_fail_call(const std::string& name, unsigned nth, int errno_value);
  /// True when every failure that was asked for has happened.
  [[nodiscard]] bool has_failed() const;
  /// Every move of this page gives -errno_value from now on.
  void fail_page(const void* page, int errno_value);
  /// A file, which may be read, listed and executed; other paths are those below `root`.
  void set_file(const std::string& path, const std::string& content);
  /// What file_status gives for this path; without it a file is a regular one of the caller.
  void set_status(const std::string& path, const FileStatus& status);
  /// What a program of the fake kernel prints; other programs are started.
  void set_output(const std::string& program, const std::string& output);
  /// How filter() ends for a program of that name in any folder; any other is not there.
  void set_filter(const std::string& program, int code, const Printed& printed);
  /// The command of the last filter() and its input.
  [[nodiscard]] std::pair<std::vector<std::string>, std::string> filtered() const;
  /// What read_file_at gives of this path from `offset` on; elsewhere it gives -EIO, as
  /// /proc/PID/mem does where nothing is mapped.
  void set_bytes(const std::string& path, std::uint64_t offset, const std::string& bytes);
  void set_root(const std::string& root);
  /// What a folder's next lists are, each once, before those of its files.
  void set_lists(const std::string& path, std::vector<std::vector<std::string>> lists);
  /// A file that can be mapped, on a file system that keeps a memory policy or on one that does
  /// not; of larger pages, hugetlbfs.
  void add_shared_file(const std::string& path, std::uint64_t bytes, bool keeps_policy = true,
                       std::size_t page_bytes = fake_page_bytes);
  /// A file whose page cache can be looked at: all of it is cached.
  void add_viewed_file(const std::string& path, std::uint64_t bytes, bool cache_visible = true);
  /// Nothing when there is no such file.
  [[nodiscard]] std::optional<std::uint64_t> shared_file_bytes(const std::string& path) const;
  [[nodiscard]] std::size_t segments() const;

  /// A process that can be opened; it has used so much processor time, and runs until it is ended.
  void add_process(pid_t pid, std::uint64_t cpu_ns);
  /// It ends: a child with this code.
  void end_process(pid_t pid, int code);
  /// The process that start_waiting() gives.
  void set_child(pid_t pid);
  /// A record, its header included, in the buffer of the event that was opened first on a CPU.
  void add_perf_record(int cpu, const std::string& record);
  /// Bytes in the AUX buffer that was mapped first on a CPU, from a position on.
  void set_aux_bytes(int cpu, std::size_t position, const std::string& bytes);
  /// What was asked for, in order: event, thread and CPU.
  [[nodiscard]] std::vector<perf_event_attr> perf_events() const;
  /// Files hold no more than so many bytes: a write that does not fit is cut short.
  void set_disk_bytes(std::size_t bytes);
  /// Files that were written to, as "path=content", in order, and signals, as "PID:SIGNAL".
  [[nodiscard]] std::vector<std::string> written() const;

  /// What own_user() gives, and who connects from now on. Both are the caller's without it.
  void set_users(unsigned own, unsigned connecting);
  /// The file of a socket at which nobody listens any more.
  void add_dead_socket(const std::string& path);
  /// What was sent to the address, each datagram a line.
  [[nodiscard]] std::string datagrams(const std::string& address) const;
  /// Sockets that are open.
  [[nodiscard]] std::size_t sockets() const;

  /// A thread on `node` writes to the range for the first time.
  void first_touch(void* address, std::size_t bytes, NodeId node);
  /// Where a page is; nothing when it is not present.
  [[nodiscard]] std::optional<NodeId> node_of(const void* page) const;
  [[nodiscard]] std::size_t mappings() const;
  /// What the memory that begins at an address is called; empty where it has no name.
  [[nodiscard]] std::string name_of(const void* address) const;
  /// The names of all calls so far, in order, those that failed included.
  [[nodiscard]] std::vector<std::string> calls() const;
  [[nodiscard]] std::size_t count(const std::string& name) const;
  /// The arguments of the last execute(), which gives -ENOENT unless told otherwise.
  [[nodiscard]] std::vector<std::string> executed() const;

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
  std::size_t page_bytes() override { return fake_page_bytes; }
  int execute(const std::vector<std::string>& arguments) override;
  int read_file(const std::string& path, std::string& content) override;
  int read_file_at(const std::string& path, std::uint64_t offset, std::span<char> content) override;
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
  int write_file(const std::string& path, const std::string& content) override;
  int open_appended(const std::string& path, int& descriptor) override;
  ssize_t append_file(int descriptor, std::span<const char> bytes) override;
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
  struct FakeProcess {
    std::uint64_t cpu_ns = 0;
    std::optional<int> code;  // Of one that has ended.
  };
  struct FakeEvent {
    perf_event_attr event{};
    int cpu = -1;
    void* ring = nullptr;
    std::size_t bytes = 0;
    void* aux = nullptr;
  };
  struct FakeSocket {
    std::string path;          // Of one that listens.
    std::deque<int> waiting;   // Clients of it.
    std::optional<int> other;  // The other end; nothing once that is closed.
    std::string received;      // What it has not read yet.
    unsigned user = 0;         // Who connected.
  };
  struct Thread {
    FakePolicy policy;
    CpuSet cpus;
  };
  struct SharedObject {
    std::uint64_t bytes = 0;
    void* memory = nullptr;
    bool keeps_policy = true;
    std::size_t page_bytes = fake_page_bytes;
  };
  struct Failure {
    std::string call;  // Or any.
    unsigned calls_until = 0;
    int errno_value = 0;
  };
  int memory_of(SharedObject& object, void*& address);
  [[nodiscard]] bool is_shared(const void* address) const;
  /// 0, or the -errno that was asked for. pre: the lock is held.
  int enter(const char* name);
  Thread& thread(pid_t id);
  Thread& caller() { return thread(0); }
  [[nodiscard]] int check_policy(int mode, const NodeSet& nodes) const;
  [[nodiscard]] CpuSet cpus() const;

  mutable std::mutex lock_;
  FakeMachine machine_;
  FakeMemory memory_;
  std::map<std::thread::id, Thread> callers_;
  std::map<pid_t, Thread> threads_;
  std::map<const void*, std::size_t> mapped_;
  std::map<const void*, std::string> memory_names_;
  std::map<const void*, int> failing_pages_;
  std::map<std::string, std::string> files_;
  std::map<std::string, std::vector<std::vector<std::string>>> lists_;  // Of folders.
  std::map<std::string, FileStatus> statuses_;
  std::map<std::string, std::string> outputs_;
  std::map<std::string, std::pair<int, Printed>> filters_;
  std::pair<std::vector<std::string>, std::string> filtered_;
  std::map<std::string, std::map<std::uint64_t, std::string>> bytes_;  // By offset.
  std::map<std::string, SharedObject> shared_files_;
  std::map<std::string, ViewedFile> viewed_files_;
  std::map<int, SharedObject> segments_;
  std::vector<std::string> open_files_;
  std::map<pid_t, FakeProcess> processes_;
  std::map<int, pid_t> process_descriptors_;
  std::map<int, FakeEvent> events_;
  std::map<int, std::string> appended_;
  std::map<pid_t, std::pair<std::string, std::string>> guards_;  // Path and content.
  std::vector<std::string> written_;
  std::map<int, FakeSocket> sockets_;
  std::map<std::string, int> socket_files_;  // -1: nobody listens.
  std::map<std::string, std::string> datagrams_;
  std::optional<unsigned> own_user_;
  std::optional<unsigned> connecting_user_;
  std::size_t disk_bytes_ = static_cast<std::size_t>(-1);
  pid_t child_ = 4000;
  int next_descriptor_ = 1000;
  std::vector<const void*> shared_memory_;  // Where the memory of objects begins.
  std::string root_;
  std::vector<std::string> calls_;
  std::vector<std::string> executed_;
  std::deque<Failure> failures_;  // Those to come.
  bool has_failed_ = false;
};

}  // namespace homenode::os
