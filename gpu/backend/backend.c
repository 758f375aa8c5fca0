/* SPDX-License-Identifier: Apache-2.0 */
/* backend.c: opens a backend module, for sdd_device_open. Only an absolute path is tried. A module that was loaded
 * stays for the life of the process, because the CUDA runtime does not survive being unloaded. */
#include "gpu/backend/backend.h"
#include "abi.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Writes $ORIGIN/../lib/libsdd_cuda.so of the running program to `path`. Returns -1 if the program's path is
 * unknown. */
static int default_path(char *path, size_t size)
{
    char program[3000];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0)
        return -1;
    program[n] = 0;
    char *slash = strrchr(program, '/');
    if (!slash)
        return -1;
    *slash = 0;
    snprintf(path, size, "%s/../lib/libsdd_cuda.so", program);
    return 0;
}

const struct sdd_backend *sdd_backend_load(const char *path, char *reason, size_t size)
{
    char found[4096];
    if (!path) {
        if (default_path(found, sizeof found)) {
            snprintf(reason, size, "the program's own path cannot be read from /proc/self/exe");
            return NULL;
        }
        path = found;
    }
    if (path[0] != '/') {
        snprintf(reason, size, "the module path must be absolute");
        return NULL;
    }
    if (access(path, R_OK) != 0) {
        snprintf(reason, size, "the CUDA module was not built or is not installed beside the program");
        return NULL;
    }
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module) {
        snprintf(reason, size, "the CUDA module cannot be loaded: %.100s", dlerror());
        return NULL;
    }
    void *symbol = dlsym(module, SDD_BACKEND_ENTRY);
    sdd_backend_entry_fn *entry = NULL;
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from an object pointer to a function pointer. */
    const struct sdd_backend *b = entry ? entry(SDD_ABI_HASH) : NULL;
    if (!b || strcmp(b->abi, SDD_ABI_HASH) != 0) {
        snprintf(reason, size, "the CUDA module is of another build than this program");
        dlclose(module);
        return NULL;
    }
    return b->probe(reason, size) > 0 ? b : NULL;
}
