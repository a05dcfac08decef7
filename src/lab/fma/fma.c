// libm's fma() for QEMU, which computes the guest's fused multiply-adds with it, one by one.
//
// Where the guest uses AVX, QEMU's translated code leaves the upper halves of vector registers in
// use, and its own code is SSE. On CPUs by Intel since Ice Lake a step from an instruction of AVX,
// as in libm's fma(), to one of SSE then stalls (Intel's optimization manual, "Mixing AVX code with
// SSE code"), 175 ns on the Xeon where it was measured. This one clears the upper halves; no
// register of vectors outlives a call. Results, rounding and flags are the CPU's own, as libm's
// are. The lab preloads it into QEMU.

double fma(double x, double y, double z);
float fmaf(float x, float y, float z);

double fma(double x, double y, double z) {
  __asm__("vfmadd213sd %2, %1, %0\n\tvzeroupper" : "+x"(x) : "x"(y), "x"(z));
  return x;
}

float fmaf(float x, float y, float z) {
  __asm__("vfmadd213ss %2, %1, %0\n\tvzeroupper" : "+x"(x) : "x"(y), "x"(z));
  return x;
}
