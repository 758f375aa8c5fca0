# SPDX-License-Identifier: Apache-2.0
# Where `make install` puts things: GNU's names, each to be given on the command line. deploy/install does the work.
PREFIX      ?= /usr/local
bindir       = $(PREFIX)/bin
libdir       = $(PREFIX)/lib
includedir   = $(PREFIX)/include
datadir      = $(PREFIX)/share
mandir       = $(datadir)/man
docdir       = $(datadir)/doc/subdd
sysconfdir   = $(if $(filter /usr,$(PREFIX)),/etc,$(PREFIX)/etc)
unitdir      = $(PREFIX)/lib/systemd/system
sysusersdir  = $(PREFIX)/lib/sysusers.d
# The daemon opens the CUDA module in ../lib beside its own folder, wherever libraries for linking go.
moduledir    = $(patsubst %/,%,$(dir $(patsubst %/,%,$(bindir))))/lib
INSTALL_DIRS = PREFIX bindir libdir includedir datadir mandir docdir sysconfdir unitdir sysusersdir moduledir
INSTALL      = $(foreach v,BUILD VERSION SOVERSION DESTDIR $(INSTALL_DIRS),$v='$($v)') PROGS='$(PROGS)' HEADERS='$(PUBLIC_H)' \
               SUBD_LIBS='$(LIBS_client)' deploy/install
