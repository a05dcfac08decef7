// The assembly has no stack frames of its own, so that a signal may come at each instruction and a
// handler may leave by longjmp or by unwinding: the thread then lacks nothing of the program's.
#include "agent/pkeys/entry.h"

asm(R"(
  .pushsection .text.hn_pkeys, "ax", @progbits
  .p2align 6
  .hidden hn_pkeys_first, hn_pkeys_end, hn_pkeys_call, hn_pkeys_restore
  .hidden hn_pkeys_pass, hn_pkeys_passing, hn_pkeys_never
  .globl hn_pkeys_first, hn_pkeys_end, hn_pkeys_call, hn_pkeys_restore
  .globl hn_pkeys_pass, hn_pkeys_passing, hn_pkeys_never
hn_pkeys_first:

  .type hn_pkeys_call, @function
hn_pkeys_call:
  .cfi_startproc
  mov %rdi, %rax
  mov %rsi, %rdi
  mov %rdx, %rsi
  mov %rcx, %rdx
  mov %r8, %r10
  mov %r9, %r8
  mov 8(%rsp), %r9
  syscall
  ret
  .cfi_endproc
  .size hn_pkeys_call, . - hn_pkeys_call

  # No flag changes: the kernel keeps them across a system call. rcx and r11 are lost in one.
  .p2align 4
  .type hn_pkeys_pass, @function
hn_pkeys_pass:
  .cfi_startproc
  .cfi_def_cfa rsp, 160
  .cfi_offset rip, -136
  syscall
hn_pkeys_passing:
  mov %rdx, 8(%rsp)
  mov %rax, 16(%rsp)
  mov (%rsp), %eax
  mov $0, %ecx
  mov $0, %edx
  .byte 0x0f, 0x01, 0xef
  mov 8(%rsp), %rdx
  mov 16(%rsp), %rax
  mov 24(%rsp), %rcx
  lea 160(%rsp), %rsp
  .cfi_def_cfa rsp, 0
  .cfi_register rip, rcx
  jmp *%rcx
  .cfi_endproc
  .size hn_pkeys_pass, . - hn_pkeys_pass

  # Without unwind information, and in the bytes by which unwinders know it.
  .p2align 4
  nop
  .type hn_pkeys_restore, @function
hn_pkeys_restore:
  mov $15, %rax
  syscall
  .size hn_pkeys_restore, . - hn_pkeys_restore

  .p2align 4
  ud2
  ud2
  .long 0x53053053
hn_pkeys_never:
  ud2
  ud2
hn_pkeys_end:
  .popsection
)");
