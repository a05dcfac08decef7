// Markers that a program executes to tell the lab's QEMU plugin where a region of interest begins
// and ends, and which rank the calling thread has. A marker is a multi-byte NOP whose displacement
// carries a magic number: outside the lab it does nothing and costs nothing, so an instrumented
// program is the same program everywhere. Freestanding; for C and C++.
//
// The jump after each NOP ends QEMU's translation block: the plugin changes its instrumentation
// between two blocks, so nothing before BEGIN or after END is counted, even when the compiler
// inlines the marker into a loop.
#pragma once

// NOLINTBEGIN: this header must also be C.
#define HN_MARKER_MAGIC 0x484E0000u

enum hn_marker_kind {
  HN_MARKER_BEGIN = 1,      // A region of interest begins for the calling process.
  HN_MARKER_END = 2,        // The region of interest that the calling process began ends.
  HN_MARKER_THREAD = 3,     // The rank of the calling thread is in RDI.
  HN_MARKER_BEGIN_ALL = 4,  // A region of interest begins in which every process is counted.
  HN_MARKER_CLOCK = 5,      // The modelled time is wanted in the slot of the clock that RDI names.
  HN_MARKER_END_ANY = 6,    // The region of interest ends, whichever process began it.
  HN_MARKER_KERNEL = 7,  // The guest kernel's function that RDI names lies at the address in RSI.
  // As BEGIN_ALL, until a region begins inside it, which takes its place as if it had not been.
  HN_MARKER_BEGIN_PROVISIONAL = 8
};

// The functions by which a thread of the guest wakes another one up, a CPU changes from one to
// another, and a thread comes into the kernel. Tasks are addresses of the kernel's task_structs, a
// CPU is its number.
enum hn_kernel_function {
  HN_KERNEL_SWITCH = 0,     // __switch_to(previous, next)
  HN_KERNEL_WAKE = 1,       // try_to_wake_up(task, …)
  HN_KERNEL_WAKE_NEW = 2,   // wake_up_new_task(task)
  HN_KERNEL_KICK = 3,       // native_smp_send_reschedule(cpu)
  HN_KERNEL_KICK_CALL = 4,  // native_send_call_func_single_ipi(cpu)
  HN_KERNEL_CALL = 5,       // x64_sys_call(registers, number)
  HN_KERNEL_FUTEX = 6,      // do_futex(address, operation, …)
  HN_KERNEL_FAULT = 7,      // do_user_addr_fault(…)
  HN_KERNEL_FUNCTIONS = 8
};

#if defined(__x86_64__)
#define HN_MARKER_CODE(kind) \
  ".byte 0x0f, 0x1f, 0x84, 0x00\n\t.long 0x484e0000 + " #kind "\n\tjmp 1f\n1:"
#else
#define HN_MARKER_CODE(kind) ""
#endif

/// In the caller's own code, in unoptimised programs too.
#define HN_MARKER_INLINE __attribute__((always_inline)) static inline void

/// Begins a region of interest: from here on, the lab counts the calling process's accesses.
HN_MARKER_INLINE hn_marker_begin(void) {
  __asm__ volatile(HN_MARKER_CODE(1)::: "memory");
}

/// Ends the region of interest that the calling process began.
HN_MARKER_INLINE hn_marker_end(void) {
  __asm__ volatile(HN_MARKER_CODE(2)::: "memory");
}

/// Ends the region of interest that a process which is gone left open. For the lab's init.
HN_MARKER_INLINE hn_marker_end_any(void) {
  __asm__ volatile(HN_MARKER_CODE(6)::: "memory");
}

/// Says where the guest kernel has a function. For the lab's init.
HN_MARKER_INLINE hn_marker_kernel(enum hn_kernel_function function, unsigned long address) {
#if defined(__x86_64__)
  __asm__ volatile(HN_MARKER_CODE(7)::"D"((unsigned long)function), "S"(address) : "memory");
#else
  (void)function;
  (void)address;
#endif
}

/// Says which rank the calling thread has, so that its counts can be told from other threads'.
HN_MARKER_INLINE hn_marker_thread(unsigned long rank) {
#if defined(__x86_64__)
  __asm__ volatile(HN_MARKER_CODE(3)::"D"(rank) : "memory");
#else
  (void)rank;
#endif
}

/// Begins a region of interest in which the accesses of every process are counted.
HN_MARKER_INLINE hn_marker_begin_all(void) {
  __asm__ volatile(HN_MARKER_CODE(4)::: "memory");
}

/// Begins a region of interest in which every process is counted, until one begins by another
/// marker; what was counted until then is dropped. For the lab's init.
HN_MARKER_INLINE hn_marker_begin_provisional(void) {
  __asm__ volatile(HN_MARKER_CODE(8)::: "memory");
}

/// Asks for the modelled time of the CPU that executes this, in picoseconds since the region of
/// interest began, 0 outside one. When it returns, slot `slot` (of 8192, each 8 bytes, little
/// endian) of the lab's clock holds it: the file that the environment variable HOMENODE_LAB_CLOCK
/// names.
HN_MARKER_INLINE hn_marker_clock(unsigned long slot) {
#if defined(__x86_64__)
  __asm__ volatile(HN_MARKER_CODE(5)::"D"(slot) : "memory");
#else
  (void)slot;
#endif
}
// NOLINTEND
