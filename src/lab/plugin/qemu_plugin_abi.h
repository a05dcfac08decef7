// The part of QEMU's plugin interface that the lab's plugin uses, declared by hand because Debian
// ships no header for it. Signatures as QEMU documents them for interface versions 1 (QEMU 7.2) to
// 5 (QEMU 10.2). What version 1 lacks is declared weak: one shared object then loads into either.
#pragma once

#include <cstddef>
#include <cstdint>

#define HN_PLUGIN_WEAK __attribute__((weak))

extern "C" {

using qemu_plugin_id_t = std::uint64_t;
using qemu_plugin_meminfo_t = std::uint32_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
struct qemu_plugin_register;

struct qemu_info_t {
  const char* target_name;
  struct {
    int min;
    int cur;
  } version;
  bool system_emulation;
  struct {
    int smp_vcpus;
    int max_vcpus;
  } system;
};

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

using qemu_plugin_simple_cb_t = void (*)(qemu_plugin_id_t);
using qemu_plugin_udata_cb_t = void (*)(qemu_plugin_id_t, void*);
using qemu_plugin_vcpu_simple_cb_t = void (*)(qemu_plugin_id_t, unsigned);
using qemu_plugin_vcpu_udata_cb_t = void (*)(unsigned, void*);
using qemu_plugin_vcpu_tb_trans_cb_t = void (*)(qemu_plugin_id_t, qemu_plugin_tb*);
using qemu_plugin_vcpu_mem_cb_t = void (*)(unsigned, qemu_plugin_meminfo_t, std::uint64_t, void*);

void qemu_plugin_reset(qemu_plugin_id_t, qemu_plugin_simple_cb_t);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, qemu_plugin_udata_cb_t, void*);
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t, qemu_plugin_vcpu_simple_cb_t);
void qemu_plugin_register_vcpu_idle_cb(qemu_plugin_id_t, qemu_plugin_vcpu_simple_cb_t);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, qemu_plugin_vcpu_tb_trans_cb_t);
void qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_insn*, qemu_plugin_vcpu_udata_cb_t,
                                            qemu_plugin_cb_flags, void*);
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn*, qemu_plugin_vcpu_mem_cb_t,
                                      qemu_plugin_cb_flags, qemu_plugin_mem_rw, void*);
std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb*);
qemu_plugin_insn* qemu_plugin_tb_get_insn(const qemu_plugin_tb*, std::size_t);
std::size_t qemu_plugin_insn_size(const qemu_plugin_insn*);
std::uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn*);
// Versions 1 and 2 return a pointer and take the instruction alone: see copy_code() in plugin.cpp.
std::size_t qemu_plugin_insn_data(const qemu_plugin_insn*, void*, std::size_t);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t);
qemu_plugin_hwaddr* qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t, std::uint64_t);
bool qemu_plugin_hwaddr_is_io(const qemu_plugin_hwaddr*);
std::uint64_t qemu_plugin_hwaddr_phys_addr(const qemu_plugin_hwaddr*);

// glib's two arrays, which the register functions speak. QEMU itself brings glib.
struct GArray {
  char* data;
  unsigned len;
};
struct GByteArray {
  std::uint8_t* data;
  unsigned len;
};
struct qemu_plugin_reg_descriptor {
  qemu_plugin_register* handle;
  const char* name;
  const char* feature;
};
HN_PLUGIN_WEAK GByteArray* g_byte_array_new();
HN_PLUGIN_WEAK GByteArray* g_byte_array_set_size(GByteArray*, unsigned);
HN_PLUGIN_WEAK char* g_array_free(GArray*, int free_segment);

// Since version 2 (QEMU 9.0). The reading function's result is an int or a bool, by version: the
// length of the buffer says whether it worked.
HN_PLUGIN_WEAK int qemu_plugin_num_vcpus();
HN_PLUGIN_WEAK GArray* qemu_plugin_get_registers();
HN_PLUGIN_WEAK int qemu_plugin_read_register(qemu_plugin_register*, GByteArray*);
// Counters that each vCPU has one of, kept by code that QEMU itself generates.
struct qemu_plugin_scoreboard;
struct qemu_plugin_u64 {
  qemu_plugin_scoreboard* score;
  std::size_t offset;
};
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64, QEMU_PLUGIN_INLINE_STORE_U64 };
HN_PLUGIN_WEAK qemu_plugin_scoreboard* qemu_plugin_scoreboard_new(std::size_t element_size);
HN_PLUGIN_WEAK void* qemu_plugin_scoreboard_find(qemu_plugin_scoreboard*, unsigned vcpu);
HN_PLUGIN_WEAK void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(qemu_plugin_tb*,
                                                                      qemu_plugin_op,
                                                                      qemu_plugin_u64,
                                                                      std::uint64_t);

// Since version 3 (QEMU 9.1).
enum qemu_plugin_cond {
  QEMU_PLUGIN_COND_NEVER,
  QEMU_PLUGIN_COND_ALWAYS,
  QEMU_PLUGIN_COND_EQ,
  QEMU_PLUGIN_COND_NE,
  QEMU_PLUGIN_COND_LT,
  QEMU_PLUGIN_COND_LE,
  QEMU_PLUGIN_COND_GT,
  QEMU_PLUGIN_COND_GE
};
HN_PLUGIN_WEAK void qemu_plugin_register_vcpu_tb_exec_cond_cb(qemu_plugin_tb*,
                                                              qemu_plugin_vcpu_udata_cb_t,
                                                              qemu_plugin_cb_flags,
                                                              qemu_plugin_cond, qemu_plugin_u64,
                                                              std::uint64_t, void*);

// Since version 4 (QEMU 9.2). Virtual, of what the vCPU that calls runs. False: not mapped.
HN_PLUGIN_WEAK bool qemu_plugin_read_memory_vaddr(std::uint64_t, GByteArray*, std::size_t);

// Never called: their presence tells versions 3 and 5.
HN_PLUGIN_WEAK void qemu_plugin_register_vcpu_insn_exec_cond_cb();
HN_PLUGIN_WEAK void qemu_plugin_write_register();

__attribute__((visibility("default"))) extern int qemu_plugin_version;
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t, const qemu_info_t*,
                                                               int, char**);
}
