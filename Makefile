# SPDX-License-Identifier: Apache-2.0
# subdd. `make help` lists the commands; sources are found by wildcard, so a new file needs no line here.
BUILD   ?= build
CC      := $(if $(filter default,$(origin CC)),gcc,$(CC))
CXX     := $(if $(filter default,$(origin CXX)),g++,$(CXX))
NVCC    ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc))
# Where nvcc itself links: its path says nothing, nvcc may be a wrapper.
CUDA_LIB = $(shell $(NVCC) --dryrun -x cu /dev/null -o /dev/null 2>&1 | sed -n '/LIBRARIES=/s/"//g; s/.*LIBRARIES=//p')
WERROR  ?= -Werror
OPENMP  ?= -fopenmp
VERSION := $(file <VERSION)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory
# A target that needs packages installs them first, then starts make again: pkg-config answers differently afterwards.
AGAIN    = +@$(MAKE) $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
say      = @printf '  %-7s %s\n' $(1) $(2)
# Targets that take minutes say so before they begin, in minutes on two cores with nothing built.
MINUTES  := test=8 check-gpu=15 test-cgal=10 asan=20 ubsan=20 tsan=45 cover=15 soak=40 lint=6 cuda=10 bundle=20 docker=$(if $(CUDA),25,8)
about-%: ; @echo '  $*: about $(patsubst $*=%,%,$(filter $*=%,$(MINUTES))) minutes on two cores$(if $(filter lint,$*), for all files; a minute or less when few have changed)'
missing := $(shell deploy/install-deps --check build 2>/dev/null)

hash := \#
# ---- flags ----------------------------------------------------------------------------------------------------
pkg       = $(shell pkg-config $(1) $(2) 2>/dev/null)
SRV_PKGS := libmicrohttpd libuv libcjson libprotobuf-c sqlite3 libxxhash gnutls inih
LIB_PKGS := libcurl libprotobuf-c libcjson
try       = $(shell $(CC) -Werror $(1) -x c -c /dev/null -o /dev/null 2>/dev/null && echo '$(1)')
FORTIFY  := $(shell [ "$$($(CC) -dumpversion 2>/dev/null | cut -d. -f1)" -ge 12 ] 2>/dev/null && echo 3 || echo 2)
WARN      = -Wall -Wextra -Wconversion -Wvla -Wformat=2 $(WERROR)
HARDEN   := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$(FORTIFY) -fstack-protector-strong -fno-delete-null-pointer-checks \
            -fno-strict-overflow $(foreach f,-fstack-clash-protection -fcf-protection=full -ftrivial-auto-var-init=zero \
            -fzero-call-used-regs=used-gpr -fstrict-flex-arrays=3,$(call try,$(f)))
OPT      := -O2 -g
ifneq ($(SAN),)
HARDEN   :=
OPT      := -O1 -g -fno-omit-frame-pointer -fsanitize=$(SAN) -fno-sanitize-recover=all
export SUBDD_TEST_TIMEOUT ?= 1800
endif
COMMON    = -I. -I$(BUILD)/gen $(OPT) $(WARN) -fPIC -MMD -MP $(call pkg,--cflags,$(SRV_PKGS) libcurl cmocka)
CSTD     := -std=c11 -D_GNU_SOURCE -Walloca -Wstrict-prototypes
C_ONLY   = $(if $(filter tests/%,$(1)),,-Wmissing-prototypes)
CFLAGS_server = $(HARDEN) -fPIE
CFLAGS_proto  = $(HARDEN) -fPIE
CFLAGS_client = $(HARDEN) -fvisibility=hidden
CFLAGS_gpu    = -ffp-contract=off $(if $(OPENMP),,-Wno-unknown-pragmas)
CFLAGS_tests  = $(CFLAGS_gpu) $(OPENMP)
CFLAGS_tests/bench/bench_fair_cpu = $(patsubst -I%,-isystem %,$(call pkg,--cflags,eigen3)) -O3
CFLAGS_gpu/device/cpu/backend_cpu = $(OPENMP)
CFLAGS_gpu/mesh/topology_create = $(OPENMP)
CFLAGS_gpu/engines/tabulated/tables = $(OPENMP)
# Where variables lie is not recorded (-g1): it changes no instruction, and took a third of the time.
CFLAGS_kernels = $(CFLAGS_gpu) $(if $(SAN),,-O3 -g1) -march=x86-64-v3 $(OPENMP)
# gcc 12 makes fused multiply-adds of products of quaternions here, in spite of -ffp-contract=off. Lint looks for others.
CFLAGS_gen/gpu/fair/kernels = -fno-tree-slp-vectorize
LDFLAGS  := -Wl,--as-needed $(if $(SAN),-fsanitize=$(SAN)) $(EXTRA)
LDHARD   := -pie -Wl,-z,relro,-z,now,-z,noexecstack
RPATH    := -Wl,-rpath,'$$ORIGIN/../lib' -Wl,--disable-new-dtags
LIBS_server = $(call pkg,--libs,$(SRV_PKGS)) $(OPENMP) -lm -ldl -lpthread
LIBS_client = $(call pkg,--libs,$(LIB_PKGS)) -lm -ldl -lpthread
# Kernels that a bench measures ours against, compiled as ours are.
CFLAGS_tests/bench/peers = -O3 -march=x86-64-v3
PEERS     = $(if $(NVCC),$(BUILD)/tests/lib/libpeers_cuda.so)
LIBS_peers = -losdCPU $(call pkg,--libs,openmesh)

# ---- sources --------------------------------------------------------------------------------------------------
# A kernel is a file NAME.k.h or NAME.tile.h, a family of them NAME.ks.h. list-kernels makes a unit for either compiler
# of a room's kernels, one of each family, and one more of what tuned CUDA forms replace.
KERNELS  := $(wildcard $(foreach d,gpu/* gpu/*/* gpu/*/*/*,$d/*.k.h $d/*.ks.h $d/*.tile.h))
room      = $(patsubst %/,%,$(patsubst %/kernels/,%/,$(dir $(1))))
ROOMS    := $(sort $(call room,$(KERNELS)))
UNITS    := $(sort $(foreach k,$(KERNELS),$(call room,$k)/$(if $(filter %.ks.h,$k),$(notdir $(k:.ks.h=)),kernels)))
TUNED    := $(filter-out gpu/device,$(filter $(ROOMS),$(patsubst %/cuda/,%,$(sort $(dir $(wildcard gpu/*/cuda/*.cuh gpu/*/*/cuda/*.cuh))))))
LISTS    := $(addprefix $(BUILD)/gen/,kernels.def tuned.def abi.h $(foreach u,$(UNITS),$u.c $u.cu $u.def) \
              $(foreach r,$(TUNED),$r/reference.cu $r/reference.def))
GEN      := $(addprefix $(BUILD)/gen/,subdd.pb-c.c subdd.pb-c.h openapi.h web.h version.h) $(LISTS)
under     = $(wildcard $(foreach d,$(1) $(1)/* $(1)/*/*,$d/*.$(2)))
objs      = $(patsubst %,$(BUILD)/obj/%.o,$(basename $(1)))
tsrc      = $(foreach e,c cc,$(foreach d,$(1),$(wildcard tests/$(d)/$(2)*.$(e))))
TDIRS    := unit unit/* kernels kernels/* engines http oracle $(if $(CGAL),cgal)
PB_OBJ   := $(BUILD)/obj/gen/subdd.pb-c.o
GPU_OBJ  := $(call objs,$(call under,gpu,c)) $(UNITS:%=$(BUILD)/obj/gen/%.o)
FILE_OBJ := $(call objs,$(wildcard proto/files/*.c))
SRV_OBJ  := $(call objs,$(filter-out server/main.c,$(call under,server,c))) $(FILE_OBJ) $(PB_OBJ)
LIB_OBJ  := $(call objs,$(wildcard client/lib/*.c)) $(PB_OBJ)
CLI_OBJ  := $(call objs,$(wildcard client/cli/*.c))
CU_OBJ   := $(patsubst %.cu,$(BUILD)/obj/%.cu.o,$(wildcard gpu/device/cuda/*.cu)) $(UNITS:%=$(BUILD)/obj/gen/%.cu.o) \
              $(TUNED:%=$(BUILD)/obj/gen/%/reference.cu.o)
TESTS    := $(patsubst %,$(BUILD)/%,$(basename $(call tsrc,$(TDIRS),test_)))
BENCHES  := $(patsubst %,$(BUILD)/%,$(basename $(call tsrc,bench,bench_)))
FUZZERS  := $(patsubst %,$(BUILD)/%,$(basename $(call tsrc,fuzz,fuzz_)))
HELP_OBJ := $(call objs,$(filter-out $(foreach p,test_ bench_ fuzz_,$(call tsrc,. $(TDIRS) bench fuzz,$(p))) tests/./env.c, \
              $(call tsrc,. $(TDIRS) bench fuzz)))
LIBSDD   := $(BUILD)/lib/libsdd.a
ARCHIVES := $(BUILD)/obj/libtests.a $(BUILD)/obj/libserver.a $(BUILD)/lib/libsubd.a
SHARED   := $(BUILD)/tests/lib/libsdd.so
PROGS    := $(if $(wildcard server/main.c),$(BUILD)/bin/subdd) $(if $(CLI_OBJ),$(BUILD)/bin/subd)
PUBLIC_H := $(filter-out %/subd_internal.h %/subd_frame.h,$(wildcard client/lib/subd*.h))
CLIENT   := $(BUILD)/lib/libsubd.so $(BUILD)/lib/libsubd.a $(PUBLIC_H:client/lib/%=$(BUILD)/include/%)
EXAMPLES := $(patsubst client/examples/%.c,$(BUILD)/examples/%,$(wildcard client/examples/*.c))

# ---- build ----------------------------------------------------------------------------------------------------
.PHONY: all share viewer cuda demo deps test test-cgal check check-gpu bench bundle install uninstall check-install clean help lint fmt asan ubsan tsan fuzz \
        soak answers check-howto cover docker tests said run-tests run-bench fuzzers force
# Only a machine with a driver can use the CUDA module, and it takes minutes: elsewhere it is made when asked for.
DRIVER   := $(wildcard /proc/driver/nvidia/version)
all: said $(PROGS) $(CLIENT) $(LIBSDD) share $(if $(DRIVER),cuda) ## the daemon, the command line, libsubd; with an NVIDIA driver the CUDA module
said:
	@$(if $(missing),echo '  $(missing)',:)
cuda: $(if $(NVCC),$(if $(wildcard $(BUILD)/lib/libsdd_cuda.so),,about-cuda) $(if $(CU_OBJ),$(BUILD)/lib/libsdd_cuda.so)) ## only the CUDA module
	@$(if $(NVCC),:,echo '  without the CUDA module: no nvcc on PATH or in /usr/local/cuda/bin, or NVCC= was given')

$(BUILD)/gen/subdd.pb-c.c: proto/subdd.proto
	$(call say,PROTOC,$<)
	@mkdir -p $(@D) && protoc-c --c_out=$(@D) -I proto $<
$(BUILD)/gen/subdd.pb-c.h: $(BUILD)/gen/subdd.pb-c.c ;
$(BUILD)/gen/version.h: VERSION
	@mkdir -p $(@D) && echo '#define SUBDD_VERSION "$(VERSION)"' >$@
$(BUILD)/gen/openapi.yaml: server/api/openapi.yaml VERSION
	@mkdir -p $(@D) && sed 's/@VERSION@/$(VERSION)/' $< >$@
$(BUILD)/gen/openapi.json: $(BUILD)/gen/openapi.yaml
	@mkdir -p $(@D) && python=$$(for p in python3 /usr/bin/python3; do $$p -c 'import yaml' 2>/dev/null && echo $$p && break; done); \
	  $${python:-python3} -c 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout, separators=(",", ":"))' <$< >$@
$(BUILD)/gen/openapi.h: $(BUILD)/gen/openapi.yaml $(BUILD)/gen/openapi.json
	@{ for f in $^; do echo "static const unsigned char $$(basename $$f | tr . _)[] = {"; od -An -v -tx1 $$f | sed 's/ \(..\)/0x\1,/g'; \
	  echo '};'; done; } >$@
# The files of the pages, each with an entity tag of its content.
$(BUILD)/gen/web.h: $(wildcard server/web/*)
	@mkdir -p $(@D) && { for f in $^; do echo "static const unsigned char $$(basename $$f | tr . _)[] = {"; od -An -v -tx1 $$f | \
	  sed 's/ \(..\)/0x\1,/g'; echo '};'; done; echo 'static const struct web_file web_files[] = {'; for f in $^; do \
	  v=$$(basename $$f | tr . _); echo "{\"$${f##*/}\", $$v, sizeof $$v, \"\\\"$$(sha256sum $$f | cut -c-16)\\\"\"},"; done; echo '};'; } >$@
$(LISTS) &: force
	@gpu/kernel/list-kernels $(BUILD)

flags = $(CFLAGS_$(firstword $(subst /, ,$(1)))) $(CFLAGS_$(1))
$(BUILD)/obj/%.o: %.c | $(GEN)
	$(call say,CC,$<)
	@mkdir -p $(@D) && $(CC) $(COMMON) $(CSTD) $(call C_ONLY,$*) $(call flags,$*) -c $< -o $@
$(BUILD)/obj/%.o: %.cc | $(GEN)
	$(call say,CXX,$<)
	@mkdir -p $(@D) && $(CXX) $(COMMON) -std=c++2b -D_GNU_SOURCE $(call flags,$*) -c $< -o $@
$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c | $(GEN)
	$(call say,CC,$*)
	@mkdir -p $(@D) && $(CC) $(COMMON) $(CSTD) $(CFLAGS_kernels) $(CFLAGS_gen/$*) -c $< -o $@
$(PB_OBJ): $(BUILD)/gen/subdd.pb-c.c
	@mkdir -p $(@D) && $(CC) $(COMMON) -Wno-conversion $(HARDEN) -fvisibility=hidden -c $< -o $@
# Two passes of the front end serve all architectures: what sm_80 has, and what came with sm_90.
ARCHS     = -gencode arch=compute_80,code=[sm_80,sm_86,sm_89] -gencode arch=compute_90,code=[sm_90,compute_90]
# Tests and benches alone launch references: where they are not compiled for the GPU the driver does it.
$(BUILD)/obj/gen/%/reference.cu.o: ARCHS = -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=sm_90
NVCCFLAGS = -O3 --threads 2 --fmad=false -prec-div=true -prec-sqrt=true -ftz=false -std=c++17 -I. -I$(BUILD)/gen $(ARCHS) -lineinfo \
            $(shell $(NVCC) --help | grep -o -- --compress-mode | head -1 | sed s/$$/=size/) \
            -Xcompiler -fPIC,-fvisibility=hidden,-fno-threadsafe-statics,-fno-exceptions,-fno-rtti,-fopenmp,-Wall,-Wextra,-ffp-contract=off
nvcc      = @mkdir -p $(@D) && $(NVCC) $(NVCCFLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
$(BUILD)/obj/%.cu.o: %.cu | $(GEN)
	$(call say,NVCC,$<)
	$(nvcc)
$(BUILD)/obj/gen/%.cu.o: $(BUILD)/gen/%.cu | $(GEN)
	$(call say,NVCC,$*)
	$(nvcc)
# Where CUB needs libstdc++ it is linked statically and hidden: the module asks the host for libc and libgomp alone.
$(BUILD)/lib/libsdd_cuda.so: $(CU_OBJ)
	$(call say,LINK,$@)
	@mkdir -p $(@D) && $(CXX) -shared -static-libstdc++ -static-libgcc -o $@ $^ $(CUDA_LIB) -Wl,-s \
	  -Wl,--exclude-libs,ALL -Wl,--gc-sections -Wl,-z,defs,-z,relro,-z,now -lcudart_static -lgomp -lpthread -ldl -lrt -lm

$(BUILD)/tests/lib/libpeers_cuda.so: $(BUILD)/obj/tests/bench/peers.cu.o
	$(call say,LINK,$@)
	@mkdir -p $(@D) && $(CXX) -shared -o $@ $^ $(CUDA_LIB) -Wl,-z,defs -lcudart_static -lpthread -ldl -lrt

ar = @mkdir -p $(@D) && rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)
$(LIBSDD): $(GPU_OBJ) ; $(ar)
$(BUILD)/obj/libserver.a: $(SRV_OBJ) ; $(ar)
$(BUILD)/obj/libtests.a: $(HELP_OBJ) ; $(ar)
$(BUILD)/lib/libsubd.a: $(LIB_OBJ) ; $(ar)
$(BUILD)/lib/libsubd.so: $(LIB_OBJ)
	$(call say,LINK,$@)
	@mkdir -p $(@D) && echo '{ global: subd_*; local: *; };' >$(BUILD)/gen/libsubd.map
	@$(CC) -shared -Wl,-soname,libsubd.so.$(SOVERSION) -Wl,--version-script=$(BUILD)/gen/libsubd.map -Wl,-z,defs,-z,relro,-z,now $(LDFLAGS) \
	  -o $@.$(VERSION) $^ $(LIBS_client) && ln -sf libsubd.so.$(VERSION) $@.$(SOVERSION) && ln -sf libsubd.so.$(SOVERSION) $@
$(BUILD)/include/%.h: client/lib/%.h ; @mkdir -p $(@D) && cp $< $@
# As a program of others is built: by the public headers and the shared library alone.
$(BUILD)/examples/%: client/examples/%.c $(CLIENT)
	$(call say,CC,$<)
	@mkdir -p $(@D) && $(CC) -std=gnu11 -O2 -g -Wall -Wextra -Wpedantic $(WERROR) $(if $(SAN),-fsanitize=$(SAN)) -I$(BUILD)/include $< -o $@ \
	  -L$(BUILD)/lib -lsubd $(call pkg,--cflags --libs,libuv) -lm $(RPATH)
$(BUILD)/bin/subdd: $(call objs,server/main.c) $(BUILD)/obj/libserver.a $(LIBSDD)
	$(call say,LINK,$@)
	@mkdir -p $(@D) && $(CC) $(LDHARD) $(RPATH) $(LDFLAGS) -o $@ $^ $(LIBS_server)
$(BUILD)/bin/subd: $(CLI_OBJ) $(FILE_OBJ) $(BUILD)/lib/libsubd.a
	$(call say,LINK,$@)
	@mkdir -p $(@D) && $(CC) $(LDHARD) $(RPATH) $(LDFLAGS) -o $@ $^ $(LIBS_client)

# What the programs say of themselves, from their own tables of options.
SHARE    := $(addprefix $(BUILD)/share/,man/man1/subd.1 man/man8/subdd.8 bash-completion/completions/subd zsh/site-functions/_subd \
              fish/vendor_completions.d/subd.fish)
share: $(SHARE) ## manual pages and completions for bash, zsh and fish, in build/share
made      = @mkdir -p $(@D) && $(1) >$@
$(BUILD)/share/man/man1/subd.1: $(BUILD)/bin/subd ; $(call made,$< man)
$(BUILD)/share/man/man8/subdd.8: $(BUILD)/bin/subdd ; $(call made,$< --man)
$(BUILD)/share/bash-completion/completions/subd: $(BUILD)/bin/subd ; $(call made,$< completion bash)
$(BUILD)/share/zsh/site-functions/_subd: $(BUILD)/bin/subd ; $(call made,$< completion zsh)
$(BUILD)/share/fish/vendor_completions.d/subd.fish: $(BUILD)/bin/subd ; $(call made,$< completion fish)

# The page of GET /viewer. Node's packages are those of the lock file; they stay in build/.
VIEWER   := $(BUILD)/share/subdd/viewer
viewer: ## the page GET /viewer, where Node.js is: client/web with three.js, in build/share
	@if command -v npm >/dev/null; then $(MAKE) $(VIEWER)/viewer.html.gz; else \
	  echo "  without the viewer: no Node.js here (deploy/install-deps viewer brings it)"; fi
$(BUILD)/viewer/node_modules/.package-lock.json: client/web/package.json client/web/package-lock.json
	$(call say,NPM,$<)
	@mkdir -p $(BUILD)/viewer && cp $^ $(BUILD)/viewer/ && npm ci --prefix $(BUILD)/viewer --ignore-scripts --no-audit --no-fund --silent
$(VIEWER)/viewer.html.gz: $(BUILD)/viewer/node_modules/.package-lock.json $(wildcard client/web/*)
	$(call say,ESBUILD,client/web)
	@mkdir -p $(@D) && NODE_PATH=$(abspath $(BUILD)/viewer/node_modules) $(BUILD)/viewer/node_modules/.bin/esbuild client/web/viewer.js client/web/viewer.css \
	  --bundle --minify --format=esm --target=es2022 --legal-comments=none --log-level=warning --outdir=$(BUILD)/viewer/page
	@{ echo '/*' && cat $(BUILD)/viewer/node_modules/three/LICENSE $(BUILD)/viewer/node_modules/three-mesh-bvh/LICENSE && echo '*/'; } >>$(BUILD)/viewer/page/viewer.js
	@cp client/web/viewer.html $(BUILD)/viewer/page/ && for f in js css html; do gzip -9nc $(BUILD)/viewer/page/viewer.$$f >$(@D)/viewer.$$f.gz; done

# ---- tests, benches, fuzzers: one executable a file -----------------------------------------------------------------
# Tests and benches share one copy of the kernels, which are 2 MB. Only what is linked to OpenSubdiv (tests/oracle, and any
# .cc) needs g++.
$(SHARED): $(GPU_OBJ)
	$(call say,LINK,$@)
	@mkdir -p $(@D) && $(CC) -shared -Wl,-soname,libsdd.so -Wl,-z,defs $(LDFLAGS) -o $@ $^ $(LIBS_server)
linker = $(if $(filter tests/oracle/%,$(1))$(wildcard $(1).cc),$(CXX),$(CC)) $(LDFLAGS) \
         -Wl,-rpath,'$$ORIGIN/../lib:$$ORIGIN/../../lib:$$ORIGIN/../../../lib' -Wl,--disable-new-dtags
$(TESTS) $(BENCHES): $(SHARED)
$(FUZZERS): $(LIBSDD)
$(TESTS) $(BENCHES) $(FUZZERS): $(BUILD)/%: $(BUILD)/obj/%.o $(BUILD)/obj/tests/env.o $(ARCHIVES)
	$(call say,LINK,$@)
	@mkdir -p $(@D) && $(call linker,$*) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(filter %.so,$^) \
	  $(LIBS_server) $(LIBS_client) -lcmocka $(if $(filter tests/oracle/%,$*)$(wildcard $*.cc),$(LIBS_peers)) $(FUZZLD)
# A test in shell or Python is copied beside the others, for run-tests to find.
$(BUILD)/tests/%: tests/%.sh ; @install -D $< $@
PY_SHARED := $(addprefix $(BUILD)/,$(filter-out tests/http/test_%,$(wildcard tests/http/*.py)))
$(BUILD)/tests/%: tests/%.py $(PY_SHARED) ; @install -D $< $@
$(PY_SHARED): $(BUILD)/%: % ; @install -D $< $@
tests: all cuda $(EXAMPLES) $(TESTS) $(addprefix $(BUILD)/,$(basename $(wildcard tests/*/test_*.sh tests/*/test_*.py)))
test: about-test deps ## install what is needed, build, run every test (T=file[:glob] picks); last line "N passed, N failed"
	$(AGAIN) run-tests
check: test ## the same as test
test-cgal: about-test-cgal deps ; +@deploy/install-deps cgal && $(MAKE) run-tests CGAL=1 T='cgal/*' ## CGAL as a second opinion on sqrt3 and fields (215 MB)
soak: export SUBDD_SOAK = 1
soak: export SUBDD_TEST_TIMEOUT = 36000
$(foreach v,KILLS CHANGES ROUNDS MESHES EDITS SEED,$(eval soak: export SUBDD_$v = $($v)))
run-tests: tests
	@SUBDD_BUILD=$(BUILD) SUBDD_BIN=$(BUILD)/bin tests/tools/run-tests $(RUN_FLAGS) $(T)
check-gpu: about-check-gpu deps ## the tests on the CUDA backend; here a skip is a failure
	$(AGAIN) run-tests RUN_FLAGS='--backend cuda --strict'
load: deps ## what is promised under load, in its long form, on a machine that does nothing else (tests/http/test_load_*)
	$(AGAIN) run-tests SUBDD_LOAD=1 T='http/load_*'
	tests/load/memory --bin $(BUILD)/bin
soak: about-soak deps ## long forms of what kills, watches and repeats (T=http/kills picks; KILLS, CHANGES, ROUNDS, MESHES, EDITS, SEED: how many)
	$(AGAIN) run-tests T='$(or $(T),$(SOAKS))'; rc=$$?; \
	  for t in $(or $(T),$(SOAKS)); do sed -n 's/^result:/  &/p' $(BUILD)/tests/$${t%/*}/test_$${t##*/}.log; done; exit $$rc
SOAKS    := http/kills http/rebuild http/rounds
answers: all ; @tests/tools/record-answers $(BUILD) >$(BUILD)/answers && echo $(BUILD)/answers ## record what the daemon answers, to compare builds
bench: deps ## run the benchmarks (T=name picks one; K=kernel holds its tuned CUDA form to its reference)
	$(AGAIN) run-bench
run-bench: all $(BENCHES) $(if $(DRIVER),$(PEERS))
	@SUBDD_BUILD=$(abspath $(BUILD)) SUBDD_BENCH_KERNEL=$(K) tests/tools/run-bench $(if $(K),kernel,$(T))
blender: ; @python3 client/blender/make_zips.py $(BUILD) $(VERSION) ## the add-on for Blender: two zips in build/, for Install from Disk
demo: deps ## install what is needed, build, push a sample mesh, refine it, stream it to build/demo
	$(AGAIN) all
	@SUBDD_BUILD=$(BUILD) tests/demo

asan: about-asan ; $(AGAIN) run-tests NVCC= BUILD=build/asan SAN=address,undefined ## all tests under AddressSanitizer and UBSan
ubsan: about-ubsan ; $(AGAIN) run-tests NVCC= BUILD=build/ubsan SAN=undefined ## all tests under UBSan
tsan: about-tsan ; $(AGAIN) run-tests NVCC= BUILD=build/tsan SAN=thread OPENMP= ## all tests under ThreadSanitizer (without OpenMP)
cover: about-cover ## run the tests with coverage and print lines and branches a file
	$(AGAIN) run-tests NVCC= BUILD=build/cover OPT='-O0 -g --coverage' HARDEN= EXTRA=--coverage
	@tests/tools/coverage build/cover
fuzz: ## F=name runs one libFuzzer target (all without F), SECONDS=60 each, from tests/fuzz/corpus
	@echo '  fuzz: $(if $(F),one target,$(words $(FUZZERS)) targets), $(or $(SECONDS),60) s each, after a build of about 3 minutes'
	@deploy/install-deps fuzz
	$(AGAIN) fuzzers NVCC= CC=clang CXX=clang++ BUILD=build/fuzz SAN=address,undefined OPENMP= WERROR= FUZZ=1
	@tests/tools/run-fuzz build/fuzz '$(F)' $(or $(SECONDS),60)
ifneq ($(FUZZ),)
OPT += -fsanitize=fuzzer-no-link
FUZZLD = -fsanitize=fuzzer
endif
fuzzers: $(FUZZERS)
# ---- the rest ---------------------------------------------------------------------------------------------------
deps: ## apt-get install of what is missing (nothing when all is there)
	@deploy/install-deps
lint: about-lint ## format, sizes, licence line, banned calls, layering, libsubd's ABI, kernel headers, clang-tidy, of what changed (ALL=1: of all)
	@deploy/install-deps lint
	@$(MAKE) $(GEN) $(BUILD)/lib/libsubd.so
	@tests/tools/lint $(BUILD) $(if $(ALL),--all)
check-howto: deps ## build and run a sample kernel, engine, route, option and error by the recipes of docs/adding.md
	$(AGAIN) all NVCC=
	@tests/tools/check-howto $(BUILD)
fmt: ## clang-format everything in place
	@git ls-files '*.c' '*.h' '*.cu' '*.cuh' '*.cc' | xargs clang-format -i
bundle: about-bundle deps ## a relocatable folder build/bundle: binaries, libraries, tests, samples, run-tests, run-bench
	$(AGAIN) all cuda tests $(BENCHES) $(PEERS)
	+@$(MAKE) viewer || echo '  without the viewer'
	@deploy/make-bundle $(BUILD) $(BUILD)/bundle
docker: about-docker ## the CPU image, with docker or buildah (CUDA=1: the CUDA image; IMAGE=name; BASE=image to build on)
	+@$(MAKE) viewer || echo '  without the viewer'
	@BASE='$(BASE)' docker/build $(if $(CUDA),cuda,cpu) $(IMAGE)
include deploy/install.mk
install: all ## into PREFIX (/usr/local), below DESTDIR; bindir, libdir, ... (deploy/install.mk) as GNU has them
	@$(INSTALL)
uninstall: ## removes what install put there; the same variables
	@$(INSTALL) --remove
check-install: all ## install, build against it, run, uninstall, in a temporary folder; CLEAN_ROOT=dir: in a bare Debian
	@$(if $(CLEAN_ROOT),BUILD='$(BUILD)' tests/install/clean-root '$(CLEAN_ROOT)',SUBDD_BUILD='$(BUILD)' sh tests/install/test_install.sh)
clean: ; rm -rf build ## remove all that was built
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | while read -r t d; do printf '  make %-10s %s\n' "$$t" "$$d"; done
force:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
