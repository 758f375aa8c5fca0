/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_pipeline_primitives.h: for clang-tidy alone, see words.h. */
#ifndef SUBDD_CUDA_PIPELINE_WORDS_H
#define SUBDD_CUDA_PIPELINE_WORDS_H
#include <stddef.h>
void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeroed = 0);
void __pipeline_commit();
void __pipeline_wait_prior(size_t stages);
#endif
