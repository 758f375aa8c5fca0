/* SPDX-License-Identifier: Apache-2.0 */
/* kernels_cpu_v4.c: kernels_cpu.c once more, for processors with AVX-512 (x86-64-v4). The bits are the same. */
#include "gpu/kernels_cpu.c" /* NOLINT(bugprone-suspicious-include) */
