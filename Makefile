# deltacc: PGXS build.  `make && make install`, then CREATE EXTENSION deltacc.

EXTENSION    = deltacc
EXTVERSION   = $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" $(EXTENSION).control)

MODULE_big   = deltacc
# The generated scanner is #included by the grammar, so it is no object of its own.
SOURCES      = $(filter-out src/predicate/pred_scan.c src/predicate/pred_gram.c,$(sort $(wildcard src/*/*.c)))
OBJS         = $(SOURCES:.c=.o) $(if $(wildcard src/predicate/pred_gram.y),src/predicate/pred_gram.o)

INSTALL_SQL  = $(sort $(wildcard sql/install/*.sql))
DATA_built   = $(EXTENSION)--$(EXTVERSION).sql
DATA         = $(sort $(wildcard sql/upgrade/$(EXTENSION)--*--*.sql))

REGRESS      = $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS = --load-extension=$(EXTENSION)

EXTRA_CLEAN  = src/predicate/pred_gram.c src/predicate/pred_gram.h src/predicate/pred_scan.c \
               $(wildcard src/*/*.gcda src/*/*.gcno) results

PG_CPPFLAGS  = -I$(srcdir)/src $(shell pkg-config --cflags jansson)
PG_CFLAGS    = -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers
SHLIB_LINK   = $(shell pkg-config --libs jansson) -lm

ifdef COVERAGE
PG_CFLAGS   += -O0 --coverage
SHLIB_LINK  += --coverage
endif

PG_CONFIG   ?= pg_config
PGXS        := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# Some packaged prefixes leave these empty.
FLEX        := $(or $(FLEX),flex)
BISON       := $(or $(BISON),bison)

# PGXS tracks no headers: every object depends on all of them.
HEADERS_ALL  = $(wildcard $(srcdir)/src/*/*.h)
$(OBJS) $(OBJS:.o=.bc): $(HEADERS_ALL)
src/predicate/pred_gram.o src/predicate/pred_gram.bc: src/predicate/pred_scan.c
src/predicate/pred_gram.c: BISONFLAGS += -d

# The loops over all files of a commit, which -O2 leaves scalar.
ifndef COVERAGE
$(patsubst %.c,%.o,$(wildcard src/skipping/*.c src/predicate/eval*.c src/delta/actions*.c) src/conflict/reads.c src/conflict/check_files.c): override CFLAGS += -O3
endif

$(EXTENSION)--$(EXTVERSION).sql: $(INSTALL_SQL)
	cat $^ > $@
