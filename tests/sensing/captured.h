// Texts of /proc as a kernel writes them, and a folder of them that stands for a system.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/heap_header.h"
#include "fake/fake.h"

namespace homenode::sensing {

struct StatWords {
  int id = 1;
  std::string name = "program";
  std::uint64_t started = 1;
  unsigned cpu = 0;
  char state = 'S';
  std::uint64_t flags = 0x400100;  // Of a process that runs.
  unsigned threads = 4;
};

inline std::string stat_line(const StatWords& words) {
  return fmt::format(
      "{} ({}) {} 1 1 1 0 -1 {} 120 0 0 0 5 3 0 0 20 0 {} 0 {} 1073741824 2048 "
      "18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 {} 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
      words.id, words.name, words.state, words.flags, words.threads, words.started, words.cpu);
}

inline std::string status_text(const std::string& cpus, const std::string& nodes) {
  return fmt::format(
      "Name:\tprogram\nState:\tS (sleeping)\nThreads:\t4\nCpus_allowed:\tff\n"
      "Cpus_allowed_list:\t{}\nMems_allowed:\t1\nMems_allowed_list:\t{}\n",
      cpus, nodes);
}

/// Process 100 below a root has the header of a heap of node 1 at an address, if `present`.
inline void write_heap_header(os::Fake& os, const std::string& root, std::uint64_t address,
                              bool present = true, std::uint32_t node = 1) {
  const std::uint64_t entry = present ? std::uint64_t{1} << 63U : 0;
  const HeapHeader header{heap_header_magic, address, node, 0};
  os.set_bytes(root + "/proc/100/pagemap", address / os::fake_page_bytes * sizeof entry,
               {reinterpret_cast<const char*>(&entry), sizeof entry});
  os.set_bytes(root + "/proc/100/mem", address,
               {reinterpret_cast<const char*>(&header), sizeof header});
}

/// A folder with files of /proc and /sys; it is removed at the end.
class CapturedSystem {
 public:
  CapturedSystem() {
    static int count = 0;
    root_ = std::filesystem::temp_directory_path() /
            fmt::format("homenode-sensing-{}-{}", getpid(), ++count);
    std::filesystem::create_directories(root_);
  }
  ~CapturedSystem() { std::filesystem::remove_all(root_); }
  CapturedSystem(const CapturedSystem&) = delete;
  CapturedSystem& operator=(const CapturedSystem&) = delete;

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  void remove(const std::string& path) const { std::filesystem::remove_all(root_ / path); }
  [[nodiscard]] std::string root() const { return root_.string(); }

  void write_node(unsigned id, const std::string& cpus, unsigned free_kib) const {
    const std::string folder = fmt::format("sys/devices/system/node/node{}/", id);
    write(folder + "cpulist", cpus + "\n");
    write(folder + "meminfo", fmt::format("Node {0} MemTotal:       1048576 kB\n"
                                          "Node {0} MemFree:        {1} kB\n"
                                          "Node {0} MemUsed:        5 kB\n",
                                          id, free_kib));
  }
  void write_thread(int pid, const StatWords& words, const std::string& cpus) const {
    const std::string folder = fmt::format("proc/{}/task/{}/", pid, words.id);
    write(folder + "stat", stat_line(words));
    write(folder + "status", status_text(cpus, "0-1,64"));
  }
  /// Nodes 0, 1 and 64 (without CPUs), and process 100 with two threads.
  void write_example() const {
    write("sys/devices/system/node/online", "0-1,64\n");
    write_node(0, "0-3", 500000);
    write_node(1, "4-7", 400000);
    write_node(64, "", 300000);
    write("proc/100/stat", stat_line({.id = 100, .name = "my prog", .started = 50, .cpu = 1}));
    write("proc/100/status", status_text("0-7", "0-1,64"));
    write("proc/100/cmdline", std::string("/opt/bin/long program\0--x\0", 26));
    write_thread(100, {.id = 100, .name = "my prog", .started = 50, .cpu = 1}, "0-7");
    write_thread(100, {.id = 90, .name = "late", .started = 60, .cpu = 5, .state = 'R'}, "4-7");
    write("proc/100/task/90/syscall", "7 0x1 0x2 0x7f1000003f00 0x400010\n");
    write("proc/100/numa_maps", numa_maps);
    write("proc/100/maps", maps);
  }

  static constexpr const char* numa_maps =
      "400000 default file=/opt/bin/long\\040program mapped=10 N0=10 kernelpagesize_kB=4\n"
      "600000 default heap anon=100 dirty=100 N0=60 N1=40 kernelpagesize_kB=4\n"
      "7f0000000000 bind:1 anon=1000 dirty=1000 active=0 N0=400 N1=600 kernelpagesize_kB=4\n"
      "7f1000000000 default anon=4 dirty=4 N1=4 kernelpagesize_kB=4\n"
      "7f2000000000 interleave:0-1 file=/dev/shm/x mapped=512 mapmax=3 N0=512 "
      "kernelpagesize_kB=4\n"
      "7f3000000000 bind:64 file=/anon_hugepage\\040(deleted) huge anon=2 dirty=2 N64=2 "
      "kernelpagesize_kB=2048\n"
      "7f4000000000 default file=/lib/libc.so.6 anon=2 dirty=2 N0=2 kernelpagesize_kB=4\n"
      "7f5000000000 default\n"
      "7ffd00000000 default stack anon=3 dirty=3 N0=3 kernelpagesize_kB=4\n";
  static constexpr const char* maps =
      "00400000-0040a000 r-xp 00000000 fe:00 9    /opt/bin/long program\n"
      "00600000-00700000 rw-p 00000000 00:00 0    [heap]\n"
      "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \n"
      "7f1000000000-7f1000004000 rw-p 00000000 00:00 0 \n"
      "7f2000000000-7f2000200000 rw-s 00000000 00:1a 5    /dev/shm/x\n"
      "7f3000000000-7f3000400000 rw-p 00000000 00:0f 8    /anon_hugepage (deleted)\n"
      "7f4000000000-7f4000002000 rw-p 00000000 fe:00 7    /lib/libc.so.6\n"
      "7f5000000000-7f6000000000 ---p 00000000 00:00 0    [anon:arena]\n"
      "7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0    [stack]\n";

 private:
  std::filesystem::path root_;
};

}  // namespace homenode::sensing
