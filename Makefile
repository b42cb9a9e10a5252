# Berth: `make run` installs what is missing, builds, and opens the window;
# `make test` does the same for the tests. `make setup` only installs packages.

SHELL = /bin/sh
GO ?= go
FYNE = fyne.io/tools/cmd/fyne@v1.7.4
GOLANGCI = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# Fyne's new threading model, on every build.
TAGS = migrated_fynedo
HEADLESS = CGO_ENABLED=0 $(GO)
GOFLAGS_TEST = -count=1 -timeout 15m

.PHONY: setup run build test lint bench proof package headless screenshots

# Packages only: right under sudo. TESTS=1 also installs what the tests use.
setup:
	@sh assets/setup.sh $(if $(TESTS),test,run)
	@echo "The packages are there. Now, as yourself: make $(if $(TESTS),test,run)"

run:
	@sh assets/setup.sh go
	@sh assets/setup.sh yourself
	@sh assets/setup.sh run
	@$(MAKE) --no-print-directory build
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname -s)" != Linux ]; then \
		exec ./berth; \
	fi; \
	out=build/quick-$$(date +%Y%m%d-%H%M%S); \
	echo "There is no display: running the quick comparison here instead."; \
	./berth run --preset quick --out "$$out" && \
	echo "The charts and tables are in $$out: open $$out/report.html or $$out/throughput.png."

build:
	@sh assets/setup.sh go
	@[ -e berth ] || echo "Building Berth. The first build takes 3 to 5 minutes."
	@$(GO) build -tags $(TAGS) -o berth .

test:
	@sh assets/setup.sh go
	@sh assets/setup.sh test
	$(GO) vet -tags $(TAGS) ./...
	$(HEADLESS) vet -tags headless,$(TAGS) ./...
	GOOS=darwin $(HEADLESS) vet -tags headless,$(TAGS) ./core/... ./ui/cli/...
	GOOS=windows $(HEADLESS) vet -tags headless,$(TAGS) ./core/... ./ui/cli/...
	$(HEADLESS) test $(GOFLAGS_TEST) -p 1 -tags headless,$(TAGS) ./assets/... ./core/... ./ui/cli/... .
	$(HEADLESS) test $(GOFLAGS_TEST) -tags ci,$(TAGS) ./ui/window/...
	$(GO) test $(GOFLAGS_TEST) -tags $(TAGS) -run 'Xvfb' ./ui/window/...

lint:
	@sh assets/setup.sh go
	$(GO) run $(GOLANGCI) run ./...

# First the alternating pairs with redis-benchmark and sysbench: ratios, with
# their range over 7 pairs. They want a machine with nothing else to do.
bench:
	@sh assets/setup.sh go
	$(HEADLESS) test -run '^$$' -bench Against -benchtime 7x -timeout 60m -p 1 -tags headless,$(TAGS) ./core/redisload ./core/oltp
	$(HEADLESS) test -run '^$$' -bench . -skip Against -benchmem -p 1 -tags headless,$(TAGS) ./core/...

# That the method finds no differences where there are none, and those that there
# are as often as theory says: 2,000 simulated runs of a kind, and 20 real ones.
proof:
	@sh assets/setup.sh go
	@sh assets/setup.sh test
	$(HEADLESS) test -count=1 -v -tags headless,$(TAGS),proof ./core/stats \
		-run 'UnderTwoNames|KeepsItsLevel|AsOftenAsTheory|FourOfFive|TheSameInTwoRuns'
	$(HEADLESS) test -count=1 -v -tags headless,$(TAGS),proof ./core/run -run UnderTwoNames

package:
	@sh assets/setup.sh go
	@mkdir -p build
	@# It counts its own builds in FyneApp.toml: the file is put back as it was, also when interrupted.
	@cp FyneApp.toml build/ && trap 'mv build/FyneApp.toml .; rm -f fyne_metadata_init.go' EXIT INT TERM && \
		$(GO) run $(FYNE) package --os linux --release --tags $(TAGS) --icon assets/icon.png
	@mv Berth.tar.xz build/
	@echo "The package is build/Berth.tar.xz."

# One static program without the window, for servers.
headless:
	@sh assets/setup.sh go
	@mkdir -p build
	$(HEADLESS) build -trimpath -ldflags '-s -w' -tags headless,$(TAGS) -o build/berth-headless .
	@echo "The program is build/berth-headless."

# The README's pictures: the window in a real run, the chart of another, and a gallery
# of every figure from runs of about seven minutes. They want Docker, and a machine
# with nothing else to do.
screenshots: headless
	@sh assets/setup.sh test
	@mkdir -p build/screenshots assets/screenshots
	$(GO) test $(GOFLAGS_TEST) -tags $(TAGS) -run TestScreenshots ./ui/window -screenshots $(CURDIR)/build/screenshots
	@for state in setup running results; do \
		mv build/screenshots/$$state.png assets/screenshots/window-$$state.png; \
	done
	build/berth-headless run --preset quick --out build/screenshots/run --force
	@cp build/screenshots/run/throughput.png assets/screenshots/
	@rm -rf build/screenshots/gallery
	sh assets/screenshots/gallery.sh build/berth-headless build/screenshots/gallery assets/screenshots/gallery
